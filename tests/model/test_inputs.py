"""What a model is given is read as it is meant, or refused in one line that says what to do."""

import numpy as np
import pytest
import tokenizers

from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import SMALL, WORDS, random_parameters, small_model


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def bare():
    return small_model()


def refused(call, *args, **options):
    """The one line that a call is answered with."""
    with pytest.raises(PellucidError) as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Prompts


def test_an_empty_prompt_starts_from_the_start_token(model):
    assert model.trace("").ids == model.trace().ids == (WORDS.start_id,)
    assert model.trace("   ").tokens == ("<START>",)


def test_an_empty_prompt_without_a_start_token():
    config = SMALL.replace(vocab_size=4)
    tokenizer = letters()
    model = Model(config, random_parameters(config), tokenizer)
    assert model.trace("ab").tokens == ("a", "b")
    assert refused(model.trace, "") == (
        "There is nothing to read: this model has no start token, so give text."
    )


def letters():
    """A tokenizer of bare letters, without special tokens."""
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({letter: i for i, letter in enumerate("abcd")})
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"[\s\S]"), "isolated")
    inner.decoder = tokenizers.decoders.Fuse()
    return Tokenizer(inner)


def test_a_prompt_of_the_whole_context_and_no_longer(model):
    assert len(model.trace("ash bud elm fir leaf").ids) == 6
    said = refused(model.trace, "ash bud elm fir leaf moss")
    assert said.startswith("This text is 7 tokens, but the model's context is 6")
    assert "generate slides a window" in said


@pytest.mark.parametrize("call", ["trace", "generate", "generate_text"])
def test_an_unknown_word_is_named_with_near_ones(model, call):
    said = refused(getattr(model, call), "oak moos")
    assert said.startswith('"moos" is not in this vocabulary')
    assert "Did you mean moss" in said


def test_a_special_token_cannot_be_typed(model):
    assert '"<END>" is a special token' in refused(model.trace, "oak <END>")


def test_a_prompt_or_ids_but_not_both(model):
    for call in (model.trace, model.generate):
        assert refused(call, "oak", ids=[1]) == "Give a prompt or ids, not both."


@pytest.mark.parametrize("call", ["trace", "generate", "generate_text"])
def test_text_needs_a_tokenizer(bare, call):
    said = refused(getattr(bare, call), "oak")
    assert said == "This model has no tokenizer: give ids=[…] instead of text."


# Ids


def test_ids_are_taken_exactly_as_they_are(model):
    assert model.trace(ids=[5, 2, 0, 1]).ids == (5, 2, 0, 1)
    assert model.trace(ids=np.array([3])).ids == (3,)
    assert model.trace(ids=(3, 4)).ids == (3, 4)


@pytest.mark.parametrize("wrong", [11, -1, 10**9, -(2**60)])
def test_an_id_that_no_token_has(model, wrong):
    said = f"There is no token {wrong}: ids go from 0 to 10."
    assert refused(model.trace, ids=[1, wrong]) == said
    assert refused(model.generate, ids=[1, wrong]) == said
    assert refused(model.logits, [[1, wrong]]) == said
    assert refused(model.loss, [[1, wrong]], [1]) == said


@pytest.mark.parametrize("wrong", [[1.0, 2.0], ["a"], [None], [True, False]])
def test_ids_that_are_not_whole_numbers(model, wrong):
    assert "ids must be whole numbers, not" in refused(model.trace, ids=wrong)
    assert "ids must be whole numbers, not" in refused(model.logits, [wrong])


@pytest.mark.parametrize("large", [2**63, 2**64 - 1])
def test_numbers_past_64_bits_do_not_come_round(model, large):
    wrong = np.array([[1, large]], dtype=np.uint64)
    assert f"below 2⁶³, not {large}" in refused(model.logits, wrong)
    assert f"targets must be whole numbers below 2⁶³, not {large}" in refused(
        model.loss, [[1, 5]], wrong
    )


@pytest.mark.parametrize("wrong", [[1, 2], np.array([1, 2]), b"oak", 3])
def test_a_prompt_is_text(model, wrong):
    for call in (model.trace, model.generate):
        assert "give token ids as ids=[…]" in refused(call, wrong)


def test_ids_of_unequal_length(model):
    assert refused(model.logits, [[1, 2], [3]]) == "ids are of unequal length: pad them to one."


@pytest.mark.parametrize("wrong", [5, [1, 2], [[[1]]]])
def test_a_batch_has_two_dims(model, wrong):
    assert "give [batch, position]" in refused(model.logits, wrong)


def test_one_text_has_one_dim(model):
    assert "ids have 2 dims, [1, 2]; give [position]" in refused(model.trace, ids=[[1, 2]])


def test_no_ids_at_all(model):
    for call in (model.trace, model.generate):
        assert refused(call, ids=[]) == "There is nothing to read: give at least one token."
    assert "nothing to read" in refused(model.logits, np.zeros((2, 0), dtype=np.int64))
    assert "nothing to read" in refused(model.logits, np.zeros((0, 3), dtype=np.int64))
    assert "nothing to read" in refused(model.logits, [[]])


def test_more_positions_than_the_context(model):
    ids = np.ones((2, 7), dtype=np.int64)
    assert "7 tokens, but the model's context is 6" in refused(model.logits, ids)
    assert "7 tokens, but the model's context is 6" in refused(model.loss, ids, [1, 1])
    assert "7 tokens, but the model's context is 6" in refused(model.trace, ids=ids[0])


# Targets of a trace


def test_next_needs_a_next_token(model):
    assert "needs two tokens or more" in refused(model.trace, "", target="next")


def test_a_target_that_is_no_token(model):
    assert '"moos" is not in this vocabulary' in refused(model.trace, "oak", target="moos")
    said = refused(model.trace, "oak", target="oak ash")
    assert said == 'The target "oak ash" is 2 tokens; it must be one.'
    assert "no token 11" in refused(model.trace, "oak", target=11)
    assert "no token -1" in refused(model.trace, "oak", target=-1)
    assert "whole numbers" in refused(model.trace, "oak", target=1.5)


def test_a_text_target_needs_a_tokenizer(bare):
    assert "no tokenizer" in refused(bare.trace, ids=[1], target="oak")
    assert bare.trace(ids=[1, 2], target="next").targets == (2, -1)
    assert bare.trace(ids=[1, 2], target=7).targets == (-1, 7)


# Pairs


def test_targets_of_another_shape(model):
    contexts = [[1, 5, 6], [1, 7, 8]]
    for wrong in ([1], [1, 2, 3], [[1, 2]], [[1, 2], [3, 4]], 1):
        said = refused(model.loss, contexts, wrong)
        assert said.startswith(f"targets are {list(np.shape(wrong))}; give [batch]")
        assert "[2, 3]" in said


def test_targets_out_of_range(model):
    assert "no token 11" in refused(model.loss, [[1, 5]], [11])
    assert "no token -2" in refused(model.gradients, [[1, 5]], [[-2, 3]])


def test_targets_that_are_not_whole_numbers(model):
    assert "targets must be whole numbers, not float64" in refused(model.loss, [[1, 5]], [1.0])
    assert "targets are of unequal length" in refused(model.loss, [[1], [2]], [[1], [2, 3]])


def test_no_target_at_all(model):
    for wrong in ([-1], [[-1, -1]]):
        assert "There is no target" in refused(model.loss, [[1, 5]], wrong)


def test_a_context_of_nothing_but_padding(model):
    said = refused(model.loss, [[1, 5], [0, 0]], [6, 6])
    assert said == "Context 1 is nothing but padding."


@pytest.mark.parametrize("wrong", [[0, 1], [1, 4], [1], [1, 2, 3], 2, [-1, 1]])
def test_lengths_that_do_not_fit(model, wrong):
    said = refused(model.loss, [[1, 5, 6], [1, 7, 8]], [6, 6], wrong)
    assert said == "lengths must be 2 numbers from 1 to 3, one for each context."


def test_lengths_that_are_not_whole_numbers(model):
    assert "lengths must be whole numbers" in refused(model.loss, [[1, 5]], [6], [1.0])


def test_lengths_beside_targets_that_need_none(model):
    """A target for every position says itself where it stands."""
    contexts, targets = [[1, 5, 6]], [[5, 6, -1]]
    assert model.loss(contexts, targets, [2]) == model.loss(contexts, targets)


# Options of generation


def test_options_out_of_range(model):
    assert "temperature" in refused(model.generate, "oak", temperature=-1.0)
    assert "top_k" in refused(model.generate, "oak", top_k=0)
    assert "top_p" in refused(model.generate, "oak", top_p=1.5)
    assert "max_new_tokens=-1" in refused(model.generate, "oak", max_new_tokens=-1)
    assert refused(model.generate_text, "oak", top_k=-3)
