"""What a user gets who asks a model to continue texts."""

import numpy as np
import pytest
import tokenizers
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

from pellucid.decoder.config import ModelConfig
from pellucid.errors import PellucidError
from pellucid.model.generating import end_ids, never_ids
from pellucid.model.model import Model
from pellucid.text.tokenizer import Tokenizer
from tests.small_models import SMALL, WORDS, random_parameters, small_model

MODEL = small_model(tokenizer=WORDS)
BYTES = Tokenizer.byte_pairs(["groot, grün, 🌳🌳 – 树"], vocab_size=270)


@pytest.fixture(scope="module")
def bytewise():
    """Random weights over bytes: most of what it writes is no character."""
    config = ModelConfig(vocab_size=270, block_size=16, n_layer=1, n_head=2, n_embd=8)
    return Model(config, random_parameters(config), BYTES)


def favouring(ids, *, by=1e3, config=SMALL, tokenizer=WORDS):
    """A model that will say nothing but these ids."""
    parameters = random_parameters(config)
    parameters["head.b"][list(ids)] += by
    return Model(config, parameters, tokenizer)


def new_ids(generation):
    return [text.new_ids for text in generation.finish().texts]


# Samples and prompts


def test_each_sample_has_a_seed_of_its_own_and_can_be_made_alone():
    together = MODEL.generate("oak", samples=4, seed=7, temperature=2.0).finish()
    assert [text.seed for text in together.texts] == [7, 8, 9, 10]
    assert len({tuple(text.new_ids) for text in together.texts}) == 4
    for text in together.texts:
        assert new_ids(MODEL.generate("oak", seed=text.seed, temperature=2.0)) == [text.new_ids]


def test_prompts_of_different_lengths_are_continued_as_each_alone():
    prompts = ["oak", "", "ash bud elm fir leaf moss oak root", "elm elm elm"]
    together = MODEL.generate(prompts, samples=2, top_p=0.9).finish().texts
    assert [text.number for text in together] == list(range(8))
    for i, prompt in enumerate(prompts):
        alone = MODEL.generate(prompt, samples=2, top_p=0.9).finish().texts
        for ours, theirs in zip(together[2 * i : 2 * i + 2], alone, strict=True):
            assert (ours.ids, ours.seed, ours.text) == (theirs.ids, theirs.seed, theirs.text)


def test_ids_of_several_texts():
    texts = MODEL.generate(ids=[[1, 5], [1]], max_new_tokens=2).finish().texts
    assert [text.prompt_ids for text in texts] == [(1, 5), (1,)]


def test_several_texts_are_not_one():
    with pytest.raises(PellucidError, match=r"These are 3 texts: take generate\(…\)"):
        MODEL.generate_text("oak", samples=3)


# Text as it comes


def test_steps_bring_the_text_in_whole_characters(bytewise):
    for seed in range(10):
        generation = bytewise.generate("grün 🌳", temperature=1.0, seed=seed, max_new_tokens=30)
        pieces = [step.text for step in generation]
        (text,) = generation.texts
        assert text.prompt + "".join(pieces) == BYTES.decode(text.ids)
        assert any(piece == "" for piece in pieces)


def test_a_character_in_pieces_comes_with_its_last_piece():
    *first, last = BYTES.encode("🌲")
    config = ModelConfig(
        vocab_size=270, block_size=8, n_layer=1, n_head=1, n_embd=8, head_bias=True
    )
    model = favouring([last], config=config, tokenizer=BYTES)
    generation = model.generate(ids=[*BYTES.encode("x"), *first], max_new_tokens=1)
    assert generation.texts[0].prompt == "x"
    assert [step.text for step in generation] == ["🌲"]


# Where it ends


def test_it_stops_before_a_string_wherever_tokens_divide_it():
    model = favouring(WORDS.encode("oak moss"), by=20)
    options = {"temperature": 1.0, "max_new_tokens": 50, "seed": 4}
    whole = model.generate_text("elm", **options)
    stop = "k moss o"
    assert stop in whole
    generation = model.generate("elm", stop=stop, **options)
    *before, last = generation
    assert last.stopped == "stop string"
    assert all(step.stopped is None for step in before)
    (text,) = generation.texts
    assert text.prompt + text.text == whole[: whole.index(stop)]
    assert model.generate_text("elm", stop=[stop, "never"], **options) == text.prompt + text.text


def test_further_ids_can_end_a_text():
    model = favouring(WORDS.encode("oak moss"), by=20)
    (moss,) = WORDS.encode("moss")
    generation = model.generate("elm", temperature=1.0, stop_ids=[moss], max_new_tokens=50)
    *before, last = generation
    assert (last.id, last.stopped) == (moss, "end token")
    assert moss not in {step.id for step in before}


def test_a_stop_string_needs_text():
    with pytest.raises(PellucidError, match="no tokenizer"):
        small_model().generate(ids=[1], stop="x")


# What is never chosen


def test_padding_and_start_tokens_are_never_chosen_though_the_model_favours_them():
    model = favouring([WORDS.pad_id, WORDS.start_id])
    for options in ({}, {"temperature": 5.0}, {"top_k": 2}, {"top_p": 0.5}, {"min_p": 0.9}):
        steps = list(model.generate("oak", max_new_tokens=30, **options))
        assert not {step.id for step in steps} & {WORDS.pad_id, WORDS.start_id}
        stage = steps[0].filtered.stages[0]
        assert stage.name == "never"
        assert stage.removed.tolist() == [WORDS.pad_id, WORDS.start_id]
        assert stage.removed_probability == pytest.approx(1)
        # What the model itself holds likely is shown as it is.
        assert {c.id for c in steps[0].top[:2]} == {WORDS.pad_id, WORDS.start_id}


def test_a_token_that_ends_a_text_may_be_chosen_though_it_begins_one_too():
    inner = tokenizers.Tokenizer(WordLevel({"<END>": 0, "oak": 1, "elm": 2}))
    inner.pre_tokenizer = WhitespaceSplit()
    inner.add_special_tokens(["<END>"])
    inner.post_processor = TemplateProcessing(single="<END> $A", special_tokens=[("<END>", 0)])
    model = favouring([0], config=SMALL.replace(vocab_size=3), tokenizer=Tokenizer(inner))
    assert never_ids(model) == set()
    (step,) = model.generate("oak")
    assert step.ids == (0, 1)
    assert (step.id, step.stopped) == (0, "end token")


def test_without_special_tokens_nothing_is_special():
    assert never_ids(small_model()) == end_ids(small_model()) == set()


# Exactness


@pytest.mark.parametrize("options", [{}, {"temperature": 1.5}, {"repetition_penalty": 1.3}])
def test_generating_is_reading_the_window_again_and_again(options):
    generation = MODEL.generate("oak", max_new_tokens=15, **options)
    for step in generation:
        logits = MODEL.logits([step.ids])[0, -1]
        np.testing.assert_allclose(step.logits, logits, rtol=1e-12, atol=1e-12)
        if step.uniform is None and not options:
            logits[[WORDS.pad_id, WORDS.start_id]] = -np.inf
            assert step.id == logits.argmax()


def test_traced_or_not_the_same_comes_out():
    options = {"temperature": 1.2, "seed": 5, "max_new_tokens": 9}
    traced = MODEL.generate("oak", trace=True, **options)
    assert new_ids(traced) == new_ids(MODEL.generate("oak", **options))
    assert traced.traces[0].ids[:2] == tuple(WORDS.prompt("oak"))


# What is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"samples": 0}, "samples=0 is not possible"),
        ({"samples": 2, "trace": True}, "these are 2: give one prompt"),
        ({"seed": -1}, "seed=-1 is not possible"),
        ({"min_p": 2}, "min_p=2 is not possible"),
        ({"repetition_penalty": 0}, "repetition_penalty=0 is not possible"),
        ({"stop": ""}, 'stop=""'),
        ({"stop_ids": [11]}, "There is no token 11"),
    ],
)
def test_options_out_of_range_are_refused_before_the_first_step(options, words):
    with pytest.raises(PellucidError, match=words):
        MODEL.generate("oak", **options)


def test_no_prompt_in_a_list_is_nothing_to_do():
    with pytest.raises(PellucidError, match="no prompt in this list"):
        MODEL.generate([])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_new_tokens", 1.5),
        ("max_new_tokens", "1"),
        ("max_new_tokens", None),
        ("max_new_tokens", -1),
        ("seed", 1.5),
        ("seed", "1"),
        ("seed", -1),
        ("samples", 0),
        ("samples", 2.0),
        ("temperature", 10**400),
        ("repetition_penalty", 10**400),
    ],
)
def test_an_option_that_is_no_fitting_number_is_refused_by_name(option, value):
    with pytest.raises(PellucidError, match=f"^{option}="):
        MODEL.generate(ids=[1], **{option: value})
