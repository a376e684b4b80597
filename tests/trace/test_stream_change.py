"""How far the residual stream moved: each token's vector in each of its states."""

from dataclasses import replace

import numpy as np
import pytest

from pellucid.decoder.stream import stream
from pellucid.trace.stream_change import stream_change
from tests.small_models import OPTIONS, WORDS, small_model

PROMPT = "ash bud elm oak"
ALL = [(i, i) for i in range(5)]


@pytest.mark.parametrize("option", OPTIONS)
def test_it_is_the_length_of_the_change_for_that_of_the_vector(option):
    a, b = (small_model(option, seed=i, tokenizer=WORDS).trace(PROMPT) for i in (0, 1))
    found = stream_change(a, b, ALL, a.tokens)
    assert found.states == stream(a.config)
    assert found.tokens == a.tokens
    for name, values in zip(found.states, found.values, strict=True):
        for i, value in enumerate(values):
            before, after = a[name].values[i], b[name].values[i]
            assert value == pytest.approx(
                np.sqrt(((after - before) ** 2).sum() / (before**2).sum())
            )


def test_positions_are_held_together_as_they_are_given():
    a = small_model(tokenizer=WORDS).trace(PROMPT)
    found = stream_change(a, a, [(1, 1), (2, 3)], ["ash", "bud → elm"])
    assert [values[0] for values in found.values] == [0.0] * len(found.states)
    assert all(values[1] > 0 for values in found.values)


def test_what_comes_of_nothing_but_zeros_has_no_share():
    a = small_model(tokenizer=WORDS).trace(PROMPT)
    zeros = np.zeros_like(a.values["embed.out"])
    emptied = replace(a, values={**a.values, "embed.out": zeros})
    assert set(stream_change(emptied, a, ALL, a.tokens).values[0]) == {np.inf}
    assert set(stream_change(emptied, emptied, ALL, a.tokens).values[0]) == {0.0}
    assert set(stream_change(a, emptied, ALL, a.tokens).values[0]) == {1.0}


def test_states_that_one_side_lacks_or_has_in_another_width_are_left_out():
    a = small_model(tokenizer=WORDS).trace(PROMPT)
    part = small_model(tokenizer=WORDS).trace(PROMPT, names=["embed.out", "logits"])
    assert stream_change(a, part, ALL, a.tokens).states == ("embed.out",)
    narrow = replace(a, values={**a.values, "embed.out": a.values["embed.out"][:, :3]})
    assert "embed.out" not in stream_change(a, narrow, ALL, a.tokens).states
