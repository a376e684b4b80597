"""The view of paths shows the components, their sum, and what was held as it was."""

from dataclasses import replace

import pytest

from pellucid.model.folder import load
from pellucid.views.paths import paths_blocks
from pellucid.views.scene import Bars, Heading, Prose
from pellucid.views.terminal import to_text
from tests.small_models import WORDS, small_model


@pytest.fixture(scope="module")
def trace():
    return small_model(tokenizer=WORDS).trace("moss oak ash")


@pytest.fixture(scope="module")
def paths(trace):
    return trace.paths("logits", position="ash", vocab="oak", top=5)


def test_bars_are_the_largest_components_and_the_rest_as_one(paths):
    heading, title, bars, _ = paths_blocks(paths)
    assert isinstance(heading, Heading)
    assert heading.text.startswith("logits[ash, oak] = ")
    assert isinstance(title, Prose)
    assert isinstance(bars, Bars)
    shown = [(path.component, path.contribution) for path in paths.components[:5]]
    assert bars.items == (*shown, ("13 more", paths.rest))
    assert sum(value for _, value in bars.items) == pytest.approx(paths.value, abs=1e-9)


def test_there_is_no_rest_where_all_are_shown(trace):
    paths = trace.paths("logits", position="ash", vocab="oak", top=None)
    bars = paths_blocks(paths)[2]
    assert isinstance(bars, Bars)
    assert [label for label, _ in bars.items] == [path.component for path in paths.components]


def test_a_difference_names_both_cells(trace):
    paths = trace.paths("logits", position="ash", vocab="oak", minus="fir")
    heading = paths_blocks(paths)[0]
    assert isinstance(heading, Heading)
    assert heading.text.startswith("logits[ash, oak] − logits[ash, fir] = ")


def test_the_sum_stands_beside_the_stored_value(paths):
    assert note(replace(paths, value=paths.total)).endswith(", exactly the stored value.")
    near = replace(paths, value=paths.total + paths.tolerance / 2)
    assert note(near).endswith(f"{abs(near.error):.1e} away from the stored value.")
    far = replace(paths, value=paths.total + 0.25)
    assert f"2.5e-01 away from the stored value, where rounding allows {paths.tolerance:.1e}" in (
        note(far)
    )
    assert note(far).endswith("this is not the whole of it.")
    assert note(replace(paths, value=float("nan"))).endswith("this is not the whole of it.")


def note(paths):
    bars = paths_blocks(paths)[2]
    assert isinstance(bars, Bars)
    return bars.note


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        ("logits", "as it is", "The norm on the way, final_norm, is taken with the scale"),
        ("logits", "post norm", "The 5 norms on the way are taken with the scale"),
        ("logits", "no final norm", None),
    ],
)
def test_norms_on_the_way_are_said_to_have_the_scale_of_the_run(name, option, said):
    trace = small_model(option).trace(ids=[1, 2])
    last = paths_blocks(trace.paths(name, position=0, vocab=0))[-1]
    assert isinstance(last, Prose)
    assert "Each number is what the component itself adds" in last.text
    if said is None:
        assert "scale" not in last.text
    else:
        assert said in last.text
        assert "of this run" in last.text


def test_nothing_is_wider_than_the_page():
    trace = load("baby-groot").trace("i am groot")
    paths = trace.paths("logits", position=-1, vocab="<END>", minus="tree")
    text = to_text(paths, width=80)
    assert max(map(len, text.splitlines())) <= 80
    for path in paths.components:
        assert sum(path.component in line for line in text.splitlines()) == 1
