"""A page of a model that is too large for one: it has a trace of one text, and that is right."""

import pytest

import pellucid
from pellucid.views.explorer import data, to_page
from tests.browser.conftest import LEAVES, Explored, model_of
from tests.browser.shown import Shown, as_cells
from tests.browser.test_shown import close

PATTERN = "blocks.1.attn.pattern"
RRMS = "blocks.0.norm1.rrms"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A page with a trace and its gradients, and no weights."""
    return stored_page(tmp_path_factory, target="next")


def stored_page(tmp_path_factory, **options):
    """A page that holds one run."""
    model = model_of("like llama 3")
    trace = model.trace(LEAVES, **options)
    path = tmp_path_factory.mktemp("stored") / "page.html"
    with pytest.MonkeyPatch.context() as patch:
        # A model of a few thousand weights stands for those of more than a page may carry.
        patch.setattr(data, "MOST_LIVE", 0)
        page = to_page(trace, title="large", prompt=LEAVES, tokenizer=model.tokenizer)
    assert page.data["parameters"]["bytes"] is None
    return Explored(model, trace, LEAVES, page.save(path).as_uri())


@pytest.fixture
def opened(tab, stored):
    shown = Shown(tab, stored.address)
    shown.open()
    return shown


def own_grid(shown, name):
    """The numbers of one tensor; of the parameters beside it this page has none."""
    shown.grid(name).wait_for()
    found = (
        shown.grid(name)
        .locator("[data-index][data-value]")
        .evaluate_all("cells => cells.map(cell => [cell.dataset.index, cell.dataset.value])")
    )
    return as_cells(found)


def assert_cells(shown, name, values):
    cells = own_grid(shown, name)
    assert cells
    assert cells == {index: close(float(values[index])) for index in cells}
    return cells


def assert_explained(shown, trace, kind, name, cells):
    """The largest of some numbers is explained by its real operands."""
    index = max(cells, key=lambda index: abs(cells[index]))
    shown.click(name, index)
    explained = trace.explainer.follow(kind, name, index)
    panel = shown.panel()
    assert panel.value == close(explained.value)
    assert panel.rows == [
        [close(term.value) for term in each.terms] for each in explained.contributions[:12]
    ]


def test_every_tensor_is_shown_with_its_numbers(opened, stored):
    for name in stored.trace.names:
        opened.turn(show=name)
        assert_cells(opened, name, stored.trace[name].values)


@pytest.mark.parametrize("name", ["blocks.1.attn.pattern", "blocks.0.attn.z", "probs"])
def test_a_number_is_explained_by_what_the_trace_holds(opened, stored, name):
    opened.turn(show=name)
    cells = assert_cells(opened, name, stored.trace[name].values)
    assert_explained(opened, stored.trace, "value", name, cells)


@pytest.mark.parametrize("name", ["logits", "blocks.1.attn.pattern", "blocks.0.attn.scores"])
def test_gradients_are_shown_and_explained(opened, stored, name):
    opened.turn(show=name, layer="gradient")
    cells = assert_cells(opened, name, stored.trace.grad[name].values)
    assert_explained(opened, stored.trace, "gradient", name, cells)


def test_what_needs_the_weights_says_so(opened, stored):
    name = next(node.name for node in stored.trace.graph.nodes if node.op.kind == "linear")
    opened.turn(show=name)
    opened.grid(name).locator("[data-index]").first.click()
    opened.tab.get_by_text("too large for a page in a file").wait_for()


def test_another_text_and_changes_are_not_offered(opened):
    assert opened.tab.get_by_role("textbox", name="The text").count() == 0
    tabs = opened.tab.get_by_role("group", name="Open one").get_by_role("button")
    titles = set(map(str.strip, tabs.all_inner_texts()))
    assert "Backward" in titles
    assert not titles & {"What if", "Training"}


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """A page of a run on whose way numbers were changed: of a tensor, and within a norm."""
    edits = [pellucid.zero(PATTERN, head=0, query=1), pellucid.scale(RRMS, 1.5)]
    return stored_page(tmp_path_factory, edits=edits)


@pytest.mark.parametrize("name", [PATTERN, f"{PATTERN}.unedited", f"{RRMS}.unedited", RRMS])
def test_a_run_with_edits_shows_what_they_changed_before_and_after(tab, edited, name):
    shown = Shown(tab, edited.address)
    shown.open(show=name)
    cells = assert_cells(shown, name, edited.trace[name].values)
    assert_explained(shown, edited.trace, "value", name, cells)
