"""Another text is typed, and every number follows it; what cannot be read is named."""

import pytest


def box(shown):
    return shown.tab.get_by_role("textbox", name="The text")


def wait_for_next(shown, trace):
    """Wait until the likeliest token is as likely as it is in a trace."""
    shown.tab.wait_for_function(
        """best => { const all = document.querySelector('[aria-label="What comes next"]');
            return Math.abs(all.querySelector('[data-value]').dataset.value - best) < 1e-5; }""",
        arg=float(trace["probs"].values[-1].max()),
    )


def next_tokens(shown):
    listed = shown.tab.get_by_role("list", name="What comes next").locator("[data-value]")
    return [float(each.get_attribute("data-value")) for each in listed.all()]


def test_what_comes_next_follows_what_is_typed(shown, groot_page):
    shown.open()
    for text in ("groot we am", "groot likes", "we"):
        box(shown).fill(text)
        wait_for_next(shown, groot_page.model.trace(text))
        expected = sorted(map(float, groot_page.model.trace(text)["probs"].values[-1]))[::-1]
        listed = next_tokens(shown)
        assert listed == pytest.approx(expected[: len(listed)], abs=1e-5)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("i am gruut", "gruut"),
        ("i am groot groot groot groot", "4"),
        ("</script>", "</script>"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_last_text_stays(shown, text, named):
    shown.open()
    before = next_tokens(shown)
    box(shown).fill(text)
    status = shown.tab.get_by_role("status").filter(has_text=named)
    status.first.wait_for()
    assert box(shown).get_attribute("aria-invalid") == "true"
    assert next_tokens(shown) == before
    box(shown).fill("i am groot")
    status.first.wait_for(state="detached")


def test_a_text_that_is_typed_quickly_ends_as_what_was_typed_last(shown, groot_page):
    shown.open()
    box(shown).fill("")
    box(shown).press_sequentially("groot we am", delay=1)
    wait_for_next(shown, groot_page.model.trace("groot we am"))
