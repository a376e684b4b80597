"""Shown: a page in a tab, as a test opens it, reads its numbers and acts on it.

Everything is found by its role, by what it is called aloud, or by the `data-` attributes that the
page has for readers like this one; never by how it looks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import Locator, Page

GRIDS = """async own => {
    const all = selector => [...document.querySelectorAll(`main ${selector}`)];
    const whole = () => all(`[role=grid][aria-label="${own}"]`).length
        && all('figure').every(figure => figure.querySelector('[role=grid]'));
    for (const end = Date.now() + 5000; !whole() && Date.now() < end;)
        await new Promise(requestAnimationFrame);
    return all('[role=grid]').map(grid => [
        grid.getAttribute('aria-label'),
        [...grid.querySelectorAll('[data-index][data-value]')].map(
            cell => [cell.dataset.index, cell.dataset.value])]);
}"""
TURN = """view => {
    const parts = new URLSearchParams(location.hash.slice(1));
    parts.delete('cell');
    for (const [key, value] of Object.entries(view)) parts.set(key, value);
    location.hash = parts.toString();
}"""
PANEL = """() => { const panel = document.querySelector('aside'); return {
    said: panel.querySelector('h2').innerText,
    text: panel.innerText,
    value: panel.querySelector('[data-value]:not(button)').dataset.value,
    rows: [...panel.querySelectorAll('tbody tr')].map(
        row => [...row.querySelectorAll('button[data-value]')].map(b => b.dataset.value))}; }"""
Index = tuple[int, ...]
Cells = dict[Index, float]


@dataclass(frozen=True)
class Panel:
    """The chosen number: its title, its value, the operands in each line, and all its text."""

    said: str
    value: float
    rows: list[list[float]]
    text: str


@dataclass(frozen=True)
class Shown:
    """A page, and the tab that it is in."""

    tab: Page
    address: str

    def open(self, **view: str) -> None:
        """Open it anew, looking at something: `show="logits"`, `text="we am"`."""
        self.tab.goto("about:blank")
        self.tab.goto(f"{self.address}#{written(view)}")
        # A narrow screen shows the stage when it is asked for.
        stage = "main [role=grid], main canvas, button:text-is('Stage')"
        self.tab.locator(stage).first.wait_for()

    def turn(self, **view: str) -> None:
        """Change parts of the open page's address, as a link would; no number stays chosen."""
        self.tab.evaluate(TURN, view)

    def grids(self, own: str) -> dict[str, Cells]:
        """Every matrix on the stage, once that of one tensor is there and all have numbers."""
        found = {name: as_cells(cells) for name, cells in self.tab.evaluate(GRIDS, own)}
        assert own in found, f"{own} did not come; there are {', '.join(found)}"
        return found

    def grid(self, name: str) -> Locator:
        """The matrix of a tensor."""
        return self.tab.locator(f'main [role=grid][aria-label="{name}"]')

    def cell(self, name: str, index: Index) -> Locator:
        """A cell of a matrix: what is clicked."""
        place = ",".join(map(str, index))
        return self.grid(name).locator(f'[data-index="{place}"]')

    def click(self, name: str, index: Index) -> None:
        """Choose a number, and wait until it is explained."""
        self.cell(name, index).click()
        self.explained(name, index)

    def explained(self, name: str, index: Index) -> None:
        """Wait until a number is explained: the address says which one is."""
        place = f"{name}@{','.join(map(str, index))}"
        said = "new URLSearchParams(location.hash.slice(1)).get('cell')"
        self.tab.wait_for_function(f"place => {said} === place", arg=place)
        self.tab.locator("aside [data-value]:not(button)").wait_for()

    def panel(self) -> Panel:
        """The chosen number as it stands at the right."""
        found = self.tab.evaluate(PANEL)
        rows = [[as_number(value) for value in row] for row in found["rows"]]
        return Panel(found["said"], as_number(found["value"]), rows, found["text"])


def written(view: Mapping[str, str]) -> str:
    """A view as an address has it."""
    return "&".join(f"{key}={quote(value)}" for key, value in view.items())


def as_cells(found: list[list[str]]) -> Cells:
    """Numbers by their indices."""
    return {tuple(map(int, filter(None, at.split(",")))): as_number(value) for at, value in found}


def as_number(written: str) -> float:
    """A number as JavaScript writes it."""
    return float(written.replace("Infinity", "inf"))
