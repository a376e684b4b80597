"""A model computes what it is asked for, of the right shape, and never changes."""

import numpy as np
import pytest

from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.corpora import GROOT
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import (
    OPTIONS,
    SMALL,
    WORDS,
    next_targets,
    random_ids,
    random_parameters,
    small_model,
)


@pytest.fixture(scope="module")
def model():
    return small_model(tokenizer=WORDS)


@pytest.fixture(scope="module")
def padded():
    """Room for more tokens than the tokenizer has."""
    return small_with_vocabulary(16)


def small_with_vocabulary(size, **how):
    config = SMALL.replace(vocab_size=size)
    return Model(config, random_parameters(config), WORDS, **how)


# Making one


def test_from_a_config():
    model = Model.from_config(SMALL, WORDS, seed=3)
    assert (model.config, model.tokenizer, model.dtype) == (SMALL, WORDS, "float32")
    same = Model.from_config(SMALL, WORDS, seed=3)
    other = Model.from_config(SMALL, WORDS, seed=4)
    table = "token_embedding"
    assert model.parameters[table].tobytes() == same.parameters[table].tobytes()
    assert model.parameters[table].tobytes() != other.parameters[table].tobytes()


@pytest.mark.parametrize("option", OPTIONS)
def test_fresh_models_of_every_kind_know_nothing_yet(option):
    config = small_model(option).config
    model = Model.from_config(config, dtype="float64")
    ids = random_ids(config)
    assert np.isfinite(model.logits(ids)).all()
    assert model.loss(ids, next_targets(ids)) == pytest.approx(np.log(11), abs=0.05)


def test_parameters_are_counted_once_and_by_name(model):
    assert model.n_parameters == sum(array.size for array in model.parameters.values())
    tied = small_model("tied head")
    assert tied.n_parameters == model.n_parameters - SMALL.n_embd * SMALL.vocab_size


def test_a_parameter_knows_what_it_is(model):
    table = model.parameter("token_embedding")
    assert table.values is model.parameters["token_embedding"]
    assert table.dims == ("vocab", "d_model")
    assert table.labels == {"vocab": WORDS.tokens}


def test_an_unknown_parameter_is_answered_with_near_ones(model):
    with pytest.raises(PellucidError, match=r'no parameter "head\.weight"\. .*head\.w'):
        model.parameter("head.weight")


def test_arrays_that_are_given_are_copied():
    arrays = random_parameters(SMALL)
    model = Model(SMALL, arrays)
    before = model.logits([[1, 2]])
    for array in arrays.values():
        array[...] = 0
    assert np.array_equal(model.logits([[1, 2]]), before)


def test_parameters_cannot_be_written_to(model):
    for array in model.parameters.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_what_is_computed_can_be_written_to_and_leaves_the_model(model):
    ids = np.array([[1, 2, 3]])
    before = model.logits(ids)
    model.logits(ids)[...] = 0
    for gradient in model.gradients(ids, [4]).values():
        gradient[...] = 0
    assert np.array_equal(model.logits(ids), before)
    assert ids.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision(dtype):
    model = small_model(dtype=dtype)
    assert model.dtype == dtype
    assert model.logits([[1]]).dtype == dtype
    assert {g.dtype for g in model.gradients([[1]], [2]).values()} == {np.dtype(dtype)}
    assert {model.trace(ids=[1])[n].values.dtype for n in model.graph.facts if "loss" not in n} == {
        np.dtype(dtype)
    }


def test_precision_can_be_changed():
    model = small_model(tokenizer=WORDS)
    single = model.astype("float32")
    assert (model.dtype, single.dtype, single.tokenizer) == ("float64", "float32", WORDS)
    np.testing.assert_allclose(single.logits([[1, 2]]), model.logits([[1, 2]]), rtol=1e-4)
    with pytest.raises(PellucidError, match="dtype='float16' is neither float32 nor float64"):
        model.astype("float16")
    with pytest.raises(PellucidError, match="dtype='half'"):
        Model.from_config(SMALL, dtype="half")


def test_an_unknown_scheme():
    with pytest.raises(PellucidError, match=r'no initialisation "xavier"'):
        Model.from_config(SMALL, scheme="xavier")


def test_a_tokenizer_with_more_tokens_than_the_model():
    with pytest.raises(PellucidError, match="has 11 tokens, the model only vocab_size=10"):
        small_with_vocabulary(10)


def test_it_says_what_it_is(model):
    assert repr(model) == (
        "<Model: 1,315 parameters in float64, n_layer=2, n_head=4, n_embd=8, vocab_size=11, "
        "block_size=6>"
    )


# Logits, loss, gradients


@pytest.mark.parametrize("option", OPTIONS)
def test_shapes(option):
    model = small_model(option)
    ids = random_ids(model.config, batch=3, positions=4)
    assert model.logits(ids).shape == (3, 4, model.config.vocab_size)
    assert isinstance(model.loss(ids, next_targets(ids)), float)
    gradients = model.gradients(ids, next_targets(ids))
    assert {name: g.shape for name, g in gradients.items()} == {
        name: array.shape for name, array in model.parameters.items()
    }
    assert list(gradients) == list(model.parameters)


def test_ids_may_be_lists_or_any_whole_numbers(model):
    expected = model.logits([[1, 2, 3]])
    for dtype in (np.int64, np.int32, np.uint8):
        assert np.array_equal(model.logits(np.array([[1, 2, 3]], dtype=dtype)), expected)


def test_padded_pairs_are_read_at_their_last_real_token(model):
    contexts, targets = [[1, 5, 0, 0], [1, 5, 6, 7], [3, 0, 4, 0]], [6, 2, 9]
    placed = [[-1, 6, -1, -1], [-1, -1, -1, 2], [-1, -1, 9, -1]]
    assert model.loss(contexts, targets) == model.loss(contexts, placed)
    alone = [
        model.loss([context], [target])
        for context, target in zip(([1, 5], [1, 5, 6, 7], [3, 0, 4]), targets, strict=True)
    ]
    assert model.loss(contexts, targets) == pytest.approx(np.mean(alone), abs=1e-12)
    by_pair = model.gradients(contexts, targets)
    for name, gradient in model.gradients(contexts, placed).items():
        assert np.array_equal(by_pair[name], gradient)


def test_lengths_say_where_the_last_token_is(model):
    contexts, targets = [[1, 5, 0, 0], [1, 5, 6, 7]], [6, 2]
    assert model.loss(contexts, targets, [2, 4]) == model.loss(contexts, targets)
    # A padding token that is meant: read at it.
    meant = model.loss(contexts, targets, lengths=[3, 4])
    assert meant == model.loss(contexts, [[-1, -1, 6, -1], [-1, -1, -1, 2]])
    by_length = model.gradients(contexts, targets, [3, 4])
    assert not np.array_equal(by_length["head.b"], model.gradients(contexts, targets)["head.b"])


def test_without_a_tokenizer_every_token_is_real():
    model = small_model()
    assert model.loss([[1, 0, 0]], [6]) == model.loss([[1, 0, 0]], [[-1, -1, 6]])


# Generation


@pytest.fixture(scope="module")
def groot():
    return Model.from_config(preset("baby-groot"), Tokenizer.words(GROOT), seed=1, scheme="torch")


def test_greedy_text_is_the_likeliest_token_again_and_again(groot):
    ids = groot.tokenizer.prompt("i am")
    for step in groot.generate("i am", max_new_tokens=6):
        window = ids[-4:]
        assert list(step.ids) == window
        assert step.id == groot.logits([window])[0, -1].argmax()
        np.testing.assert_allclose(step.logits, groot.logits([window])[0, -1], rtol=1e-5, atol=1e-6)
        assert step.token == groot.tokenizer.tokens[step.id]
        ids.append(step.id)


def test_text_and_steps_agree(groot):
    steps = list(groot.generate("groot likes", max_new_tokens=5, temperature=1.0, seed=3))
    text = groot.generate_text("groot likes", max_new_tokens=5, temperature=1.0, seed=3)
    ids = [*groot.tokenizer.prompt("groot likes"), *(step.id for step in steps)]
    assert text == groot.tokenizer.decode(ids)


def test_the_seed_decides(groot):
    def sampled(seed):
        steps = groot.generate("i", max_new_tokens=8, temperature=2.0, seed=seed)
        return [step.id for step in steps]

    assert sampled(1) == sampled(1)
    assert len({tuple(sampled(seed)) for seed in range(20)}) > 10


def test_generation_stops_at_the_end_token():
    config = SMALL
    parameters = random_parameters(config)
    parameters["head.b"][WORDS.end_id] = 1e3
    model = Model(config, parameters, WORDS)
    (step,) = model.generate("oak", max_new_tokens=9)
    assert (step.token, step.stopped) == ("<END>", "end token")
    assert model.generate_text("oak", max_new_tokens=9) == "oak"


def test_without_a_tokenizer_nothing_ends_it_but_the_length():
    parameters = random_parameters(SMALL)
    parameters["head.b"][2] = 1e3
    steps = list(Model(SMALL, parameters).generate(ids=[1], max_new_tokens=3))
    assert [step.id for step in steps] == [2, 2, 2]
    assert [step.stopped for step in steps] == [None, None, "length"]
    assert [step.token for step in steps] == ["2", "2", "2"]


def test_rows_that_no_token_has_are_never_chosen():
    config = SMALL.replace(vocab_size=16)
    parameters = random_parameters(config)
    parameters["head.b"][11:] = 50
    parameters["head.b"][WORDS.end_id] = -50
    model = Model(config, parameters, WORDS)
    assert model.logits([[1]])[0, -1].argmax() >= 11
    for options in ({}, {"temperature": 5.0}, {"top_k": 16}, {"top_p": 1.0}):
        for step in model.generate("oak", max_new_tokens=30, **options):
            assert step.id < 11
            assert all(candidate.id < 11 for candidate in step.top)


def test_a_text_that_outgrows_the_context_is_read_through_a_window(groot):
    long = "i am groot i am groot"
    (step,) = groot.generate(long, max_new_tokens=1)
    ids = groot.tokenizer.prompt(long)
    assert list(step.ids) == ids[-4:]
    assert step.dropped == len(ids) - 4


def test_an_empty_prompt_starts_from_the_start_token(groot):
    for prompt in ("", None):
        (step,) = groot.generate(prompt, max_new_tokens=1)
        assert list(step.ids) == [groot.tokenizer.start_id]


def test_labels_of_rows_that_no_token_has(padded):
    assert padded.vocabulary == (*WORDS.tokens, *(f"unused {i}" for i in range(11, 16)))
    assert len(padded.trace("oak")["probs"].labels["vocab"]) == 16
