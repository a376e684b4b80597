"""The seeds' own names for parameters lead to the same model, and what is missing is named."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from pellucid.errors import PellucidError
from pellucid.interop import seeds

STATE = load_file(Path(__file__).parents[1] / "data" / "baby_groot_seed42_parameters.safetensors")


# The first seed


def test_linear_weights_are_turned_round_and_the_rest_is_as_it_was():
    model = seeds.baby_groot(STATE)
    ours = model.parameters
    assert np.array_equal(ours["blocks.0.attn.w_q"], STATE["transformer.attn.q.weight"].T)
    assert np.array_equal(ours["blocks.0.mlp.w_in"], STATE["transformer.ffn.0.weight"].T)
    assert np.array_equal(ours["head.w"], STATE["head.weight"].T)
    assert np.array_equal(ours["token_embedding"], STATE["token_embedding.weight"])
    assert np.array_equal(ours["blocks.0.norm2.beta"], STATE["transformer.norm2.bias"])
    assert model.n_parameters == sum(array.size for array in STATE.values())
    assert model.tokenizer is not None
    assert model.tokenizer.tokens[:4] == ("<PAD>", "<START>", "<END>", "am")


def test_every_entry_counts():
    plain = seeds.baby_groot(STATE).logits([[1, 11, 3, 8]])
    for name, array in STATE.items():
        # Scores move alike for every key when the key's bias moves: softmax does not see it.
        if name != "transformer.attn.k.bias":
            moved = array + np.linspace(0.1, 1, array.size, dtype=np.float32).reshape(array.shape)
            changed = seeds.baby_groot(STATE | {name: moved}).logits([[1, 11, 3, 8]])
            assert not np.allclose(changed, plain, atol=1e-4), name


def test_another_vocabulary_has_no_tokenizer():
    smaller = STATE | {
        "token_embedding.weight": STATE["token_embedding.weight"][:9],
        "head.weight": STATE["head.weight"][:9],
        "head.bias": STATE["head.bias"][:9],
    }
    model = seeds.baby_groot(smaller)
    assert (model.config.vocab_size, model.tokenizer) == (9, None)


@pytest.mark.parametrize("name", STATE)
def test_an_entry_that_is_missing_is_named(name):
    state = {other: array for other, array in STATE.items() if other != name}
    with pytest.raises(PellucidError, match=f'The parameters lack "{name}"'):
        seeds.baby_groot(state)


def test_an_entry_of_another_shape_is_named():
    wrong = STATE | {"transformer.ffn.2.weight": np.zeros((8, 15), dtype=np.float32)}
    with pytest.raises(PellucidError, match=r"blocks\.0\.mlp\.w_out is \[15, 8\], .* \[16, 8\]"):
        seeds.baby_groot(wrong)


# The second seed


def stack(n_layer=2, tied=False, seed=42):
    """The lesson's parameters as it draws and names them: vocabulary 24, block 16, width 64."""
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return rng.standard_normal(shape) * 0.02

    def block():
        return {
            **{name: normal(64, 64) for name in ("Wq", "Wk", "Wv", "Wo")},
            **{f"ln{i}_gamma": np.ones(64) for i in (1, 2)},
            **{f"ln{i}_beta": np.zeros(64) for i in (1, 2)},
            **{"W1": normal(64, 256), "b1": np.zeros(256)},
            **{"W2": normal(256, 64), "b2": np.zeros(64)},
            "h": 4,
        }

    params = {
        "tok_emb": normal(24, 64),
        "pos_emb": normal(16, 64),
        "blocks": [block() for _ in range(n_layer)],
        **{"lnf_gamma": np.ones(64), "lnf_beta": np.zeros(64)},
    }
    head = {"W_head": normal(64, 24), "b_head": np.zeros(24)}
    return params if tied else params | head


@pytest.mark.parametrize("n_layer", [2, 6])
@pytest.mark.parametrize("tied", [False, True])
def test_the_lessons_dictionary_is_the_lessons_model(n_layer, tied):
    ours, _ = seeds.lesson_3(n_layer=n_layer, tied_head=tied)
    theirs = seeds.decoder_only_stack(stack(n_layer, tied))
    assert theirs.config == ours.config
    assert theirs.dtype == ours.dtype == "float64"
    for name, array in ours.parameters.items():
        assert np.array_equal(theirs.parameters[name], array), name


@pytest.mark.parametrize("tied", [False, True])
def test_the_generator_stands_where_the_lesson_draws_its_ids(tied):
    _, rng = seeds.lesson_3(tied_head=tied)
    reference = np.random.default_rng(42)
    blocks = 2 * (4 * 64 * 64 + 2 * 64 * 256)
    reference.standard_normal(24 * 64 + 16 * 64 + blocks + 64 * 24)
    assert rng.integers(0, 24, 8).tolist() == reference.integers(0, 24, 8).tolist()


def test_the_lesson_in_other_sizes():
    model, _ = seeds.lesson_3(
        1, vocab_size=9, block_size=5, n_layer=1, n_embd=12, n_head=3, dtype="float32"
    )
    assert model.logits([[1, 2]]).shape == (1, 2, 9)
    assert model.dtype == "float32"
    with pytest.raises(PellucidError, match="n_embd=10 does not divide into n_head=3"):
        seeds.lesson_3(n_embd=10, n_head=3)


def test_what_the_dictionary_lacks_is_named():
    params = stack()
    del params["blocks"][1]["W2"]
    with pytest.raises(PellucidError, match='lack "W2"'):
        seeds.decoder_only_stack(params)
    for name in ("tok_emb", "pos_emb", "lnf_gamma", "b_head"):
        params = {other: given for other, given in stack().items() if other != name}
        with pytest.raises(PellucidError, match=f'lack "{name}"'):
            seeds.decoder_only_stack(params)
    with pytest.raises(PellucidError, match='no "blocks"'):
        seeds.decoder_only_stack({"tok_emb": np.zeros((24, 64))})


def test_a_shape_that_does_not_fit_is_named():
    params = stack()
    params["blocks"][0]["W1"] = np.zeros((64, 100))
    with pytest.raises(PellucidError, match=r"blocks\.0\.mlp\.w_in is \[64, 100\]"):
        seeds.decoder_only_stack(params)
