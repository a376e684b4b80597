"""Whatever stands in a text, a vocabulary or a title, the page shows it as text."""

import pytest

from pellucid.text.tokenizer import Tokenizer
from pellucid.views.explorer import to_page
from tests.browser.conftest import Explored
from tests.browser.shown import Shown
from tests.small_models import small_model

WORDS = (
    "</script><script>alert(1)</script>",
    "<img/src=x/onerror=alert(2)>",
    "\"'`&amp;{@html}",
    "👩‍👩‍👧",
    "مرحبا",
    "e\u0301\u0302\u0303\u0304",
    "\u202eevil",
    "long" * 1250,
)
"""In place of the eight words of the small model; the last has 5,000 characters."""
TITLE = "</title><script>alert(3)</script> 👩‍👩‍👧 \u202e“x”"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The page of a model whose every word is hostile, opened at a text that has all it reads."""
    tokenizer = Tokenizer.words([" ".join(WORDS)])
    model = small_model(dtype="float32", tokenizer=tokenizer)
    text = " ".join(WORDS[:5])
    page = to_page(model.trace(text), title=TITLE, prompt=text, tokenizer=tokenizer)
    path = page.save(tmp_path_factory.mktemp("hostile") / "page.html")
    return Explored(model, model.trace(text), text, path.as_uri())


@pytest.fixture
def opened(tab, hostile):
    """That page in a tab, in which nothing may speak up."""
    said: list[str] = []

    def dismiss(dialog):
        said.append(dialog.message)
        dialog.dismiss()

    tab.on("dialog", dismiss)
    shown = Shown(tab, hostile.address)
    shown.open()
    yield shown
    assert not said


def labels(shown, name):
    """What stands above the columns and before the rows of a matrix."""
    return [each.strip() for each in shown.grid(name).locator("th").all_text_contents()]


def test_the_text_is_shown_as_it_is(opened, hostile):
    assert opened.tab.get_by_role("textbox", name="The text").input_value() == hostile.text
    tokens = opened.tab.get_by_role("list", name="tokens").locator("bdi").all_text_contents()
    assert tokens == list(hostile.trace.tokens)


def test_so_are_the_labels_of_matrices_and_of_numbers(opened, hostile):
    tokens, name = hostile.trace.tokens, "blocks.0.attn.pattern"
    opened.turn(show=name)
    opened.grids(name)
    assert set(tokens) <= set(labels(opened, name))
    opened.click(name, (0, 2, 1))
    assert tokens[2] in opened.tab.locator("aside h2").text_content()
    opened.turn(show="logits")
    opened.grids("logits")
    assert set(labels(opened, "logits")) & set(WORDS)


def test_so_is_the_title(opened):
    assert TITLE in opened.tab.title()
    assert TITLE in opened.tab.get_by_role("heading", level=1).text_content()


def test_so_is_what_cannot_be_read(opened):
    opened.tab.get_by_role("textbox", name="The text").fill("<b>bold</b>")
    status = opened.tab.get_by_role("status").filter(has_text="<b>bold</b>")
    status.first.wait_for()


def test_a_word_of_5000_characters_leaves_everything_in_its_place(opened, hostile):
    text = f"{WORDS[-1]} {WORDS[3]}"
    name = "blocks.0.attn.pattern"
    opened.open(text=text, show=name)
    cells = opened.grids(name)[name]
    expected = hostile.model.trace(text)[name].values
    assert cells == {index: pytest.approx(float(expected[index]), abs=1e-5) for index in cells}
    page = opened.tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert page[0] <= page[1]
    box = opened.tab.locator("main").bounding_box()
    assert box is not None
    assert box["y"] < 300


@pytest.mark.parametrize("label", ["th", "[aria-label*='tokens'] li"])
def test_right_to_left_stays_within_its_own_label(opened, hostile, label):
    """A word that turns the direction of writing does not turn that of its neighbours."""
    opened.open(text=f"{WORDS[4]} {WORDS[6]} {WORDS[4]}", show="blocks.0.attn.pattern")
    opened.grids("blocks.0.attn.pattern")
    turned = opened.tab.locator(label).evaluate_all(
        """all => all.filter(each => /[\\u0600-\\u06ff\\u202e]/.test(each.textContent))
            .map(each => each.querySelector('bdi') !== null)"""
    )
    assert len(turned) >= 2
    assert all(turned)


def test_no_text_is_markup_in_the_file(hostile):
    """Nowhere in it does a script begin that the page does not bring."""
    page = hostile.file
    assert "alert(1)</script>" not in page
    assert "<script>alert" not in page
