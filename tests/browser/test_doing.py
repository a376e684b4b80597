"""What is done on the page comes out as it does in Python: sampling, text that grows, changes."""

import pytest

import pellucid
from tests.browser.shown import Shown, as_number
from tests.browser.test_shown import close, walk

OPTIONS = {"temperature": 1.5, "top_k": 6, "top_p": 0.95, "repetition_penalty": 1.2}
EDITS = [
    pellucid.zero("blocks.0.attn.pattern", query="am", key=0),
    pellucid.mask_attention(query="groot", key=["i", 0]),
    pellucid.scale("blocks.0.mlp.pre", 1.5, position=slice(1, 3)),
    pellucid.scale("blocks.0.norm1.rstd", 1.5, position=2),
]


def rows(shown):
    """The ladder: for each token its logit, its own probability, and that after each stage."""
    table = shown.tab.get_by_role("table", name="From logits to the draw")
    table.locator("[data-id]").first.wait_for()
    found = table.evaluate(
        """table => [...table.querySelectorAll('[data-id]')].map(row => [Number(row.dataset.id),
            [...row.querySelectorAll('[data-value]')].map(cell => cell.dataset.value)])"""
    )
    return {id: [as_number(value) for value in values] for id, values in found}


@pytest.mark.parametrize("seed", [1, 5])
def test_the_ladder_from_logits_to_the_draw_is_pythons(shown, groot, seed):
    text = "groot likes"
    (step,) = groot.generate(text, **OPTIONS, seed=seed, max_new_tokens=1)
    shown.open(
        text=text,
        do="sampling",
        draw=repr(step.uniform),
        **{key: str(value) for key, value in OPTIONS.items()},
    )
    ladder = rows(shown)
    stages = step.filtered.stages
    for id, shares in ladder.items():
        expected = [step.logits[id], stages[0].before[id], *(each.after[id] for each in stages)]
        assert shares == [close(float(value)) for value in expected]
    assert len(ladder) >= 10
    assert shown.tab.locator("[data-drawn]").get_attribute("data-drawn") == str(step.id)


def test_what_has_come_before_is_less_likely_whatever_its_sign(shown, groot):
    """All rows of the ladder, among them that of a word of the text with a negative logit."""
    options = {"temperature": 2.0, "repetition_penalty": 2.0}
    (step,) = groot.generate("groot", **options, seed=1, max_new_tokens=1)
    assert any(step.logits[id] < 0 and step.filtered.probabilities[id] > 0 for id in step.ids)
    setting = {key: str(value) for key, value in options.items()}
    shown.open(text="groot", do="sampling", draw=repr(step.uniform), **setting)
    rows(shown)
    shown.tab.get_by_role("button", name="Show more").click()
    ladder = rows(shown)
    assert len(ladder) == groot.config.vocab_size
    for id, shares in ladder.items():
        expected = [float(each.after[id]) for each in step.filtered.stages]
        assert shares[2:] == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_sliders_act_on_the_ladder_at_once(shown, groot):
    shown.open(text="groot likes", do="sampling")
    rows(shown)
    shown.tab.get_by_role("slider", name="top-k").fill("2")
    shown.tab.wait_for_function(
        """() => [...document.querySelectorAll('[data-id]')].filter(row =>
            +[...row.querySelectorAll('[data-value]')].at(-1).dataset.value > 0).length === 2"""
    )
    (step,) = groot.generate("groot likes", top_k=2, temperature=1, seed=0, max_new_tokens=1)
    shares = {id: values[-1] for id, values in rows(shown).items() if values[-1] > 0}
    kept = step.filtered.probabilities
    assert shares == {int(id): close(float(kept[id])) for id in kept.nonzero()[0]}


def test_a_text_grows_as_it_does_in_python(shown, groot):
    shown.open(text="i", do="sampling", temperature="0")
    rows(shown)
    shown.tab.get_by_role("button", name="Generate", exact=True).click()
    steps = list(groot.generate("i", max_new_tokens=10))
    expected = [*steps[0].ids, *(step.id for step in steps)]
    tokens = shown.tab.get_by_role("list", name="tokens").locator("sub")
    shown.tab.wait_for_function(
        "count => document.querySelectorAll('[aria-label*=tokens] li').length >= count",
        arg=min(len(expected), 4) - 1,
    )
    shown.tab.wait_for_timeout(300)
    ids = [int(text) for text in tokens.all_inner_texts()]
    assert ids == expected[: len(ids)]
    assert len(ids) > len(steps[0].ids)


def test_every_number_after_a_change_is_that_of_the_changed_run(shown, groot_page):
    trace = groot_page.model.trace(groot_page.text, edits=EDITS)
    shown.open(edits=pellucid.edits_to_json(EDITS))
    walk(shown, trace)


def test_what_comes_next_stands_before_and_after(shown, groot_page):
    trace = groot_page.model.trace(groot_page.text, edits=EDITS)
    shown.open(do="what-if", edits=pellucid.edits_to_json(EDITS))
    table = shown.tab.get_by_role("region", name="What comes of it").get_by_role("table")
    table.locator("[data-value]").first.wait_for()
    found = table.evaluate(
        """table => [...table.querySelectorAll('tbody tr')].map(row => [
            row.querySelector('bdi').textContent,
            ...[...row.querySelectorAll('[data-value]')].map(cell => +cell.dataset.value)])"""
    )
    vocabulary = groot_page.model.vocabulary
    for token, before, after in found:
        id = vocabulary.index(token)
        assert before == close(float(groot_page.trace["probs"].values[-1, id]))
        assert after == close(float(trace["probs"].values[-1, id]))


def test_so_it_does_at_the_top_of_the_page(shown, groot_page):
    trace = groot_page.model.trace(groot_page.text, edits=EDITS)
    shown.open(show="probs", edits=pellucid.edits_to_json(EDITS))
    row = shown.tab.get_by_label("What comes next").first.get_by_role("listitem")
    row.locator("[data-before]").first.wait_for()
    last = groot_page.trace["probs"].values[-1], trace["probs"].values[-1]
    best = {int(values.argmax()) for values in last}
    assert row.count() == len(best)
    for each in row.all():
        id = groot_page.model.vocabulary.index(each.locator("bdi").inner_text())
        assert id in best
        before, after = (
            float(each.locator(f"[{name}]").get_attribute(name))
            for name in ("data-before", "data-value")
        )
        assert (before, after) == (close(float(last[0][id])), close(float(last[1][id])))


def test_what_comes_of_a_change_stays_in_sight(shown):
    """The numbers before and after, which stand further below, do not scroll it away."""
    name = "blocks.0.attn.pattern"
    shown.open(show=name, do="what-if")
    shown.click(name, (0, 2, 1))
    shown.tab.get_by_role("button", name="cut", exact=False).first.click()
    table = shown.tab.get_by_role("region", name="What comes of it").get_by_role("table")
    table.locator("[data-value]").first.wait_for()
    shown.tab.wait_for_timeout(300)
    drawer = shown.tab.get_by_role("region", name="What if").bounding_box()
    row = table.get_by_role("row").nth(1).bounding_box()
    assert drawer
    assert row
    assert drawer["y"] <= row["y"] <= drawer["y"] + drawer["height"] - row["height"]


def test_generate_at_the_top_lets_the_text_grow_and_stops(shown, groot):
    shown.open(text="i")
    shown.tab.get_by_role("banner").get_by_role("button", name="generate").click()
    back = shown.tab.get_by_role("button", name="Back to the text")
    back.wait_for()
    shown.tab.get_by_role("banner").get_by_role("button", name="generate").wait_for()
    ids = [int(each) for each in shown.tab.locator("header sub").all_inner_texts()]
    assert ids[:2] == groot.tokenizer.prompt("i")
    assert 3 <= len(ids) <= groot.config.block_size
    grown = shown.tab.locator("header li[title]")
    assert grown.count() == len(ids) - 2
    back.click()
    grown.first.wait_for(state="detached")


def test_a_change_is_made_by_hand_and_taken_back(shown, groot_page):
    """Cut the edge from "am" to "i", and undo it: the numbers come back."""
    name = "blocks.0.attn.pattern"
    shown.open(show=name, do="what-if")
    before = shown.grids(name)[name]
    shown.click(name, (0, 2, 1))
    shown.tab.get_by_role("button", name="cut", exact=False).first.click()
    shown.tab.wait_for_function("() => location.hash.includes('edits=')")
    edits = pellucid.edits_from_json(
        shown.tab.evaluate("new URLSearchParams(location.hash.slice(1)).get('edits')")
    )
    expected = groot_page.model.trace(groot_page.text, edits=edits)
    assert float(expected[name].values[0, 2, 1]) == 0
    shown.tab.wait_for_timeout(300)
    after = shown.grids(name)[name]
    assert after == {index: close(float(expected[name].values[index])) for index in after}
    assert after != before
    shown.tab.get_by_role("button", name="take back", exact=False).first.click()
    shown.tab.wait_for_function("() => !location.hash.includes('edits=')")
    shown.tab.wait_for_timeout(300)
    assert shown.grids(name)[name] == before


def test_the_list_of_changes_is_the_json_that_python_takes(shown):
    shown.open(do="what-if", edits=pellucid.edits_to_json(EDITS))
    written = shown.tab.get_by_label("Edits as JSON").input_value()
    assert pellucid.edits_to_json(pellucid.edits_from_json(written)) == pellucid.edits_to_json(
        EDITS
    )


def test_changes_reach_a_model_that_is_served(online_tab, served):
    edits = [pellucid.zero("blocks.0.attn.pattern", head=1)]
    trace = served.model.trace(served.text, edits=edits)
    shown = Shown(online_tab, served.address)
    shown.open(show="blocks.1.attn.pattern", head="1", edits=pellucid.edits_to_json(edits))
    name = "blocks.1.attn.pattern"
    cells = shown.grids(name)[name]
    assert cells == {index: close(float(trace[name].values[index])) for index in cells}
    assert any(abs(served.trace[name].values[index] - cells[index]) > 1e-4 for index in cells)


def test_gradients_are_those_of_python(shown, groot_page):
    """A second layer on every matrix, and each explained by the chain rule."""
    target = groot_page.model.vocabulary.index("is")
    trace = groot_page.model.trace(groot_page.text, target="is")
    for name in ("logits", "blocks.0.mlp.pre", "blocks.0.attn.pattern", "embed.out"):
        shown.open(show=name, target=str(target), layer="gradient")
        cells = shown.grids(name)[name]
        own = trace.grad[name].values
        assert cells == {index: close(float(own[index])) for index in cells}
    index = max(cells, key=lambda index: abs(cells[index]))
    shown.click(name, index)
    explained = trace.explainer.follow("gradient", name, index)
    assert shown.panel().value == close(explained.value)
    assert shown.panel().rows == [
        [close(term.value) for term in each.terms] for each in explained.contributions[:12]
    ]
