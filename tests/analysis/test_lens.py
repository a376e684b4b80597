"""The lens reads each place as the model's own last steps would, and ends with the model itself."""

import json

import numpy as np
import pytest

import pellucid
from pellucid.analysis.last_steps import in_words
from pellucid.decoder.stream import states_of_block, stream
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from tests.small_models import OPTIONS, SMALL, WORDS, random_ids, random_parameters, small_model

TEXT = "moss oak ash"
TORCH = ("as it is", "post norm, no final norm", "tied head", "like gemma 2", "like granite")


def read(model, **options):
    return pellucid.lens(model, ids=random_ids(model.config, batch=1)[0].tolist(), **options)


@pytest.fixture(scope="module")
def reading():
    return pellucid.lens(small_model(tokenizer=WORDS), TEXT, top=4, follow=["fir", 5])


# Where it ends


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("option", OPTIONS)
def test_the_last_place_is_the_model_to_the_last_bit(option, dtype):
    model = small_model(option, dtype=dtype)
    reading = read(model)
    said = model.logits([reading.trace.ids])[0]
    assert np.array_equal(reading.logits(reading.places[-1]).values, said)
    probs = model.trace(ids=reading.trace.ids)["probs"].values
    assert np.array_equal(reading.probs[-1, :, 0], probs.max(axis=-1))
    assert (reading.followed_ranks[-1, :, 0] == 1).all()
    assert (reading.divergence[-1] == 0).all()


@pytest.mark.parametrize("option", TORCH)
def test_by_torch_too(option):
    model = small_model(option, dtype="float32").using("torch", device="cpu")
    reading = read(model)
    assert np.array_equal(
        reading.logits(reading.places[-1]).values, model.logits([reading.trace.ids])[0]
    )


# What it reads before


@pytest.mark.parametrize("option", OPTIONS)
def test_behind_a_block_it_reads_what_a_model_says_that_ends_there(option):
    model = small_model(option)
    reading, config = read(model), model.config
    if config.window_layers or config.rotary_layers or config.n_layer == 1:
        return
    shorter = Model(
        config.replace(n_layer=1),
        {name: a for name, a in model.parameters.items() if not name.startswith("blocks.1.")},
    )
    place = f"blocks.0.{states_of_block(config)[-1]}"
    assert np.array_equal(reading.logits(place).values, shorter.logits([reading.trace.ids])[0])


def test_before_the_blocks_it_reads_the_embeddings():
    model = small_model()
    reading = read(model)
    p = model.parameters
    x = p["token_embedding"][list(reading.trace.ids)] + p["position_embedding"]
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + model.config.norm_epsilon)
    normalised = centred / deviation * p["final_norm.gamma"] + p["final_norm.beta"]
    expected = normalised @ p["head.w"] + p["head.b"]
    assert np.allclose(reading.logits("embed.out").values, expected, rtol=1e-12, atol=1e-12)


def test_a_vectors_length_makes_no_difference_where_a_norm_measures_it_anew():
    parameters = random_parameters(SMALL)
    longer = parameters | {
        name: 1000 * parameters[name] for name in ("token_embedding", "position_embedding")
    }
    config = SMALL.replace(norm_epsilon=0.0)
    short, long = (read(Model(config, each)).logits("embed.out") for each in (parameters, longer))
    assert np.allclose(short.values, long.values, rtol=1e-9)


def test_it_says_through_which_steps(reading):
    assert reading.steps == ("final_norm", "logits")
    assert read(small_model("post norm, no final norm")).steps == ("logits",)
    assert read(small_model("like gemma 2")).steps == ("final_norm", "uncapped_logits", "logits")
    assert read(small_model("like granite")).steps[-2:] == ("unscaled_logits", "logits")


# What was edited


@pytest.mark.parametrize("name", ["embed.out", "blocks.0.resid_mid", "blocks.1.resid_post"])
def test_an_edit_of_the_stream_is_read_from_there_on(name):
    model = small_model()
    before, after = read(model), read(model, edits=[pellucid.scale(name, 2.0, position=-1)])
    at = before.places.index(name)
    for row, place in enumerate(before.places):
        same = [
            np.array_equal(a, b)
            for a, b in zip(before.logits(place).values, after.logits(place).values, strict=True)
        ]
        assert same == [True] * 5 + [row < at]
    said = model.trace(ids=before.trace.ids, edits=after.trace.edits)["logits"].values
    assert np.array_equal(after.logits(after.places[-1]).values, said)


@pytest.mark.parametrize("engine", ["numpy", "torch"])
@pytest.mark.parametrize(
    "edit",
    [
        pellucid.scale("final_norm", 2.0),
        pellucid.add("logits", 3.0, vocab=2),
        pellucid.zero("head.w", vocab=4),
        pellucid.set_to("final_norm.rstd", 1.0),
    ],
)
def test_an_edit_of_the_last_steps_holds_at_every_place(edit, engine):
    model = small_model().using(engine, **({} if engine == "numpy" else {"device": "cpu"}))
    before, after = read(model), read(model, edits=[edit])
    # Torch has a call for several steps at once where none of them is kept: of the same run, then.
    said = after.trace["logits"].values
    assert np.array_equal(after.logits(after.places[-1]).values, said)
    assert np.allclose(said, model.trace(ids=before.trace.ids, edits=[edit])["logits"].values)
    for place in before.places:
        assert not np.array_equal(before.logits(place).values, after.logits(place).values)


# What is kept


def test_guesses_are_those_of_the_whole_vocabulary(reading):
    final = reading.logits(reading.places[-1]).values
    said = np.exp(final) / np.exp(final).sum(axis=-1, keepdims=True)
    for row, place in enumerate(reading.places):
        logits = reading.logits(place).values
        probs = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        order = np.argsort(-logits, axis=-1)[:, :4]
        assert np.array_equal(reading.likeliest[row], order)
        assert np.allclose(reading.probs[row], np.take_along_axis(probs, order, axis=-1))
        assert np.allclose(reading.entropy[row], -(probs * np.log(probs)).sum(axis=-1))
        assert np.allclose(reading.divergence[row], (said * np.log(said / probs)).sum(axis=-1))


def test_the_answer_is_followed_and_what_was_asked_for(reading):
    assert reading.followed.shape == (len(reading.tokens), 3)
    final = reading.logits(reading.places[-1]).values
    assert np.array_equal(reading.followed[:, 0], final.argmax(axis=-1))
    fir = WORDS.tokens.index("fir")
    assert reading.followed[:, 1:].tolist() == [[fir, 5]] * len(reading.tokens)
    for row, place in enumerate(reading.places):
        logits = reading.logits(place).values
        ranks = (-logits).argsort(axis=-1).argsort(axis=-1) + 1
        assert np.array_equal(reading.followed_ranks[row, :, 1], ranks[:, fir])


def test_equal_scores_come_in_the_order_of_their_ids():
    parameters = random_parameters(SMALL)
    model = Model(SMALL, parameters | {"head.w": 0 * parameters["head.w"], "head.b": np.ones(11)})
    reading = read(model, top=3)
    assert (reading.likeliest == [0, 1, 2]).all()
    assert (reading.followed_ranks == 1).all()


def test_a_long_text_is_measured_in_parts_as_a_whole(monkeypatch, reading):
    monkeypatch.setattr("pellucid.analysis.lens.AT_ONCE", 3)
    parts = pellucid.lens(reading.model, TEXT, top=4, follow=["fir", 5])
    for name in ("likeliest", "probs", "entropy", "divergence", "followed_ranks"):
        assert np.array_equal(getattr(parts, name), getattr(reading, name)), name


def test_more_tokens_than_there_are_are_all_there_are():
    reading = read(small_model(), top=50)
    assert reading.probs.shape[-1] == SMALL.vocab_size
    assert np.allclose(reading.probs.sum(axis=-1), 1)


def test_a_number_that_is_none_goes_through():
    parameters = random_parameters(SMALL)
    model = Model(SMALL, parameters | {"head.b": np.array([np.nan, *np.ones(10)])})
    with np.errstate(all="ignore"):
        reading = read(model, top=11)
    assert np.isnan(reading.entropy).all()
    assert sorted(reading.likeliest[0, 0].tolist()) == list(range(11))


def test_places_are_those_of_the_stream_in_words(reading):
    assert reading.places == stream(SMALL)
    assert reading.place_words == (
        *("embedding", "0 attention", "0 feed-forward", "1 attention", "1 feed-forward"),
    )
    assert in_words("blocks.11.norm1") == "11 norm1"


def test_a_reading_never_changes(reading):
    for name in ("likeliest", "probs", "entropy", "divergence", "followed", "followed_probs"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(reading, name)[0] = 0


def test_it_tells_how_far_it_is():
    told = []
    read(small_model(), on_progress=lambda done, of: told.append((done, of)))
    assert told == [(place, 5) for place in range(1, 6)]


def test_as_data(reading):
    data = json.loads(json.dumps(reading.to_dict()))
    assert data["steps"] == ["final_norm", "logits"]
    last = data["places"][-1]["positions"][-1]
    assert last["likeliest"][0]["token"] == reading.token(int(reading.likeliest[-1, -1, 0]))
    assert last["followed"][1]["token"] == "fir"
    assert last["divergence"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"follow": ["oak elm"]}, "2 tokens; it must be one"),
        ({"follow": [11]}, "no token 11"),
        ({"top": 0}, "top=0"),
    ],
)
def test_what_cannot_be_followed_is_said(options, words):
    with pytest.raises(PellucidError, match=words):
        pellucid.lens(small_model(tokenizer=WORDS), TEXT, **options)


def test_a_place_that_is_not_in_the_stream_is_refused(reading):
    with pytest.raises(PellucidError, match=r'no state "logits"\. It goes from embed\.out'):
        reading.logits("logits")


def test_tokens_that_an_edit_rules_out_leave_the_other_numbers_as_they_are():
    model = small_model(tokenizer=WORDS)
    without = pellucid.lens(model, TEXT, edits=[pellucid.set_to("logits", -np.inf, vocab="fir")])
    logits = np.delete(model.trace(TEXT)["logits"].values, WORDS.tokens.index("fir"), axis=-1)
    shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    assert without.divergence[-1] == pytest.approx(0)
    assert np.isfinite(without.divergence).all()
    assert without.entropy[-1] == pytest.approx(-(shares * np.log(shares)).sum(axis=-1))


def test_where_all_tokens_are_ruled_out_there_is_no_divergence():
    model = small_model(tokenizer=WORDS)
    found = pellucid.lens(model, TEXT, edits=[pellucid.set_to("logits", -np.inf)])
    assert np.isnan(found.divergence).all()
