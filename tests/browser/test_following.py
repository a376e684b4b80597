"""A number leads to those that it was made of, and a trail leads back."""

from tests.browser.shown import as_number

SCORES = "blocks.0.attn.scores"


def test_an_operand_leads_on_and_esc_leads_back(shown, groot_page):
    shown.open(show=SCORES)
    shown.click(SCORES, (0, 2, 1))
    started = shown.panel()
    first = groot_page.trace.explain(SCORES, query="am", key="i").contributions[0].terms[0]
    operand = shown.tab.locator("aside tbody tr button[data-value]").first
    assert as_number(operand.get_attribute("data-value")) == started.rows[0][0]
    operand.click()
    shown.explained(first.name, tuple(first.cell.values()))
    assert first.name in shown.panel().text
    shown.tab.keyboard.press("Escape")
    shown.explained(SCORES, (0, 2, 1))
    assert shown.panel() == started


def test_numbers_are_followed_down_to_the_text_itself(shown, groot_page):
    """The first operand of the first operand, and so on, ends where the run started."""
    shown.open(show="logits")
    shown.click("logits", (3, 2))
    lines = shown.tab.locator("aside button[data-value]")
    seen = []
    while lines.count():
        before = shown.tab.url
        lines.first.click()
        shown.tab.wait_for_function("before => location.href !== before", arg=before)
        seen.append(shown.panel().text)
        assert len(seen) < 40
    leaves = {*groot_page.trace.parameters, "ids", "positions"}
    assert leaves & set(seen[-1].splitlines())
    trail = shown.tab.get_by_label("The way here").get_by_role("button")
    assert trail.count() == len(seen)
    trail.first.click()
    shown.explained("logits", (3, 2))


def test_esc_leads_back_one_number_at_a_time(shown):
    shown.open(show="logits")
    shown.click("logits", (3, 2))
    seen = []
    for _ in range(3):
        seen.append((shown.panel(), shown.tab.url))
        shown.tab.locator("aside button[data-value]").first.click()
        shown.tab.wait_for_function("was => location.href !== was", arg=seen[-1][1])
    for panel, address in reversed(seen):
        shown.tab.keyboard.press("Escape")
        shown.tab.wait_for_function("was => location.href === was", arg=address)
        assert shown.panel() == panel


def test_esc_always_leads_out(shown):
    """However deep one is, and wherever the focus is, Esc ends at nothing chosen."""
    shown.open(show=SCORES)
    shown.click(SCORES, (0, 2, 1))
    for _ in range(3):
        shown.tab.locator("aside button[data-value]").first.click()
        shown.tab.wait_for_timeout(50)
    for _ in range(6):
        shown.tab.keyboard.press("Escape")
        shown.tab.wait_for_timeout(50)
    assert "cell=" not in shown.tab.url


def test_a_chosen_number_stays_chosen_when_the_text_changes(shown, groot_page):
    shown.open(show=SCORES)
    shown.click(SCORES, (0, 2, 1))
    shown.tab.get_by_role("textbox", name="The text").fill("groot we am")
    expected = groot_page.model.trace("groot we am").explain(SCORES, query=2, key=1).value
    shown.tab.wait_for_function(
        """value => Math.abs(document.querySelector('aside [data-value]:not(button)')
            .dataset.value - value) < 1e-5""",
        arg=expected,
    )
