"""Two prompts read by one model: what is compared is what either run computed, token by token."""

import json

import numpy as np
import pytest

from pellucid.analysis.pair import signed_difference
from pellucid.analysis.pairs import pair
from pellucid.cli.output import plain
from pellucid.errors import PellucidError
from pellucid.trace.trace import TOKEN_DIMS
from tests.small_models import OPTIONS, WORDS, small_model

MODEL = small_model(tokenizer=WORDS)
A, B = "ash bud elm oak", "ash fir elm oak"


@pytest.fixture(scope="module")
def both():
    return pair(MODEL, A, B)


@pytest.fixture(scope="module")
def longer():
    """The second prompt has a word more, so that what follows it stands one place later."""
    return pair(MODEL, "ash elm oak", "ash bud elm oak")


@pytest.mark.parametrize("option", OPTIONS)
def test_a_prompt_beside_itself_differs_in_nothing(option):
    found = pair(small_model(option, tokenizer=WORDS), A, A)
    assert all(each.equal for each in found.tensors)
    assert set(found.divergences) == {0.0}
    assert not found["blocks.0.attn.masked_scores"].difference.values.any()


@pytest.mark.parametrize("option", OPTIONS)
def test_nothing_differs_before_the_first_other_token_and_something_at_it(option):
    found = pair(small_model(option, tokenizer=WORDS), A, B)
    for name in found:
        tensor = found[name].difference
        if "position" in tensor.dims:
            before = tensor.values.take(range(2), axis=tensor.dims.index("position"))
            assert not before.any(), name
    assert found["embed.out"].difference.values[2].any()
    assert found.divergences[:2] == (0.0, 0.0)
    assert min(found.divergences[2:]) > 0


def test_differences_are_those_of_cells_whose_tokens_stand_together(longer):
    assert longer.shared == ((0, 0), (1, 1), (2, 3), (3, 4))
    for name in longer:
        paired = longer[name]
        index = np.ix_(
            *(
                [a for a, _ in longer.shared] if dim in TOKEN_DIMS else range(size)
                for dim, size in zip(paired.a.dims, paired.a.shape, strict=True)
            )
        )
        there = np.ix_(
            *(
                [b for _, b in longer.shared] if dim in TOKEN_DIMS else range(size)
                for dim, size in zip(paired.b.dims, paired.b.shape, strict=True)
            )
        )
        with np.errstate(invalid="ignore"):
            expected = np.nan_to_num(paired.b.values[there] - paired.a.values[index], nan=0.0)
        assert np.array_equal(np.nan_to_num(paired.difference.values, nan=0.0), expected), name


def test_both_tensors_are_those_of_the_traces_with_their_own_tokens(longer):
    paired = longer["blocks.1.attn.pattern"]
    assert paired.name == "blocks.1.attn.pattern"
    trace = MODEL.trace("ash bud elm oak")
    assert np.array_equal(paired.b.values, trace[paired.name].values)
    assert paired.b.labels["key"] == trace.tokens
    assert paired.a.labels["key"] == ("<START>", "ash", "elm", "oak")
    assert paired.difference.labels["key"] == ("<START>", "ash", "elm", "oak")
    assert not paired.difference.values.flags.writeable


def test_a_place_of_two_tokens_has_the_names_of_both(both):
    assert both.labels == ("<START>", "ash", "bud → fir", "elm", "oak")


def test_each_tensor_has_its_largest_difference_with_its_place(both):
    for each in both.tensors:
        difference = both[each.name].difference
        where = tuple(each.cell[dim] for dim in difference.dims)
        assert each.largest == np.abs(difference.values).max() == abs(difference.values[where])
        assert each.b - each.a == pytest.approx(difference.values[where], nan_ok=True)
        assert each.kind == ("equal" if not each.largest else "differs")


def test_what_comes_next_is_held_together_where_both_have_a_token(longer):
    logits = [trace["logits"].values for trace in (longer.a, longer.b)]
    for (a, b), found in zip(longer.shared, longer.divergences, strict=True):
        p, q = (np.exp(x[i]) / np.exp(x[i]).sum() for x, i in zip(logits, (a, b), strict=True))
        assert found == pytest.approx((p * np.log(p / q)).sum())
    assert longer.shift is not None
    assert longer.shift.kl == pytest.approx(longer.divergences[-1])
    assert longer.shift.text == ("<START>", "ash", "elm", "oak")
    assert longer.shift.text_in_b == ("<START>", "ash", "bud", "elm", "oak")


def test_ids_are_read_exactly_as_they_are():
    found = pair(MODEL, [3, 4], [3, 5])
    assert (found.a.ids, found.b.ids) == ((3, 4), (3, 5))


def test_named_tensors_alone_are_kept():
    found = pair(MODEL, A, B, names=["embed.out"])
    assert tuple(found) == ("embed.out",)
    assert len(found) == 1
    assert found.shift is None
    assert found.divergences == ()
    assert found.stream.states == ("embed.out",)


def test_it_is_a_mapping_of_the_tensors_that_both_kept(both):
    assert list(both) == list(both.a)
    assert len(both) == len(both.a)
    assert "blocks.0.attn.pattern" in both
    assert "blocks.1.resid_pre" in both
    assert "blocks.0.attn.patern" not in both
    assert "token_embedding" not in both


def test_it_is_plain_data(longer):
    data = json.loads(json.dumps(plain(longer.to_dict())))
    assert data["slots"][2] == {"a": None, "b": 2, "same": False}
    assert [each["name"] for each in data["tensors"]] == list(longer)
    assert data["shift"]["kl"] == longer.shift.kl
    assert data["stream"]["tokens"] == list(longer.labels)


def test_infinities_of_one_sign_are_no_difference():
    a, b = np.array([-np.inf, -np.inf, 1.0, np.nan]), np.array([-np.inf, 2.0, -np.inf, np.nan])
    assert signed_difference(a, b).tolist() == [0.0, np.inf, -np.inf, 0.0]


def test_what_both_prompts_share_is_not_compared(both):
    with pytest.raises(PellucidError, match="token_embedding is a parameter"):
        both["token_embedding"]
    with pytest.raises(PellucidError, match="Did you mean"):
        both["blocks.0.attn.patern"]
