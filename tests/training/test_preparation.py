"""What a training on text starts from: the text, its tokenizer, and a model of the right shape."""

from typing import Any

import numpy as np
import pytest

import pellucid
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.model.model import Model
from pellucid.text.documents import Document
from pellucid.training.preparation import BY_HEART, documents_of, prepare
from pellucid.training.text_recipe import TEXT_RECIPES, changed
from tests.small_models import small_config
from tests.training.texts import DOCUMENT, TEXT


def prepared(corpus=DOCUMENT, *, options=None, **arguments):
    given: Any = options or {}
    return prepare(corpus, options=given, **arguments)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


# The model


def test_a_preset_takes_the_size_of_the_vocabulary():
    found = prepared(preset="nano")
    assert found.start.config == preset("nano").replace(vocab_size=found.tokenizer.vocab_size)
    assert found.block_size == 64
    assert found.recipe == changed(TEXT_RECIPES["nano"], keep="last")


def test_the_last_model_is_kept_of_fresh_weights_and_little_text_alone():
    # A tenth of it is held out.
    short, long = (Document.of("ab" * round(n / 2 / 0.9)) for n in (BY_HEART - 100, BY_HEART + 100))
    assert prepared(short).recipe.keep == "last"
    assert prepared(long).recipe.keep == "best"
    assert prepared(short, from_model=prepared(long).start).recipe.keep == "best"
    assert prepared(short, options={"keep": "best"}).recipe.keep == "best"
    assert prepared(long, options={"keep": "last"}).recipe.keep == "last"
    with pytest.raises(PellucidError, match="keep='first' is not one of best, last"):
        prepared(options={"keep": "first"})


def test_nano_is_the_shape_unless_another_is_given():
    assert prepared().start.config == prepared(preset="nano").start.config
    config = small_config("post norm")
    assert prepared(preset=config).start.config.norm_position == "post"


def test_options_change_the_shape_and_the_recipe():
    options = {"n_layer": 2, "n_head": 3, "n_embd": 12, "block_size": 10, "steps": 7, "clip": 0.0}
    found = prepared(options=options)
    config = found.start.config
    assert (config.n_layer, config.n_head, config.n_embd, config.d_head) == (2, 3, 12, 4)
    assert config.block_size == found.block_size == 10
    assert (found.recipe.steps, found.recipe.clip) == (7, 0)


def test_the_seed_draws_the_weights():
    same, again, other = (prepared(seed=seed).start for seed in (1, 1, 2))
    np.testing.assert_array_equal(
        same.parameters["token_embedding"], again.parameters["token_embedding"]
    )
    assert (same.parameters["token_embedding"] != other.parameters["token_embedding"]).any()


# The text


@pytest.mark.parametrize(
    ("tokenizer", "kind"), [("char", "character"), ("word", "word"), ("bpe", "byte-pair")]
)
def test_the_tokenizer_is_made_from_the_text(tokenizer, kind):
    found = prepared(options={"tokenizer": tokenizer, "block_size": 8})
    assert found.tokenizer.kind == kind
    assert found.start.tokenizer is found.tokenizer
    text = found.tokenizer.decode(found.tokens.ids.tolist())
    assert text.split() == TEXT.split()


def test_it_is_said_that_words_lose_their_white_space():
    notices: list[str] = []
    prepared(options={"tokenizer": "word", "block_size": 8}, on_notice=notices.append)
    assert len(notices) == 1
    assert "white space" in notices[0]
    prepared(on_notice=notices.append)
    assert len(notices) == 1


def test_the_end_of_the_text_is_held_out():
    found = prepared(options={"validation": 0.2})
    assert len(found.validation) == round(0.2 * len(found.tokens.ids))
    joined = np.concatenate([found.training, found.validation])
    np.testing.assert_array_equal(joined, found.tokens.ids)
    assert len(prepared(options={"validation": 0}).validation) == 0


def test_documents_are_kept_apart():
    documents = [Document.of(TEXT), Document.of(TEXT)]
    found = prepared(documents)
    assert (found.tokens.ids == found.tokenizer.end_id).sum() == 2


def test_a_text_is_read_where_it_is_and_can_be_again(path, monkeypatch):
    found = prepared(path)
    assert found.sources == (str(path),)
    monkeypatch.chdir(path.parent)
    assert prepared("small.txt").sources == (str(path),)
    assert prepared([path, path]).sources == (str(path), str(path))
    assert prepared([path, DOCUMENT]).sources is None
    assert prepared(DOCUMENT).sources is None


def test_another_encoding_may_be_given(tmp_path):
    path = tmp_path / "old.txt"
    path.write_bytes((TEXT + "ä").encode("latin-1"))
    assert "ä" in prepared(path, encoding="latin-1").tokenizer.tokens
    with pytest.raises(PellucidError, match="is not UTF-8"):
        prepared(path)


def test_the_embedded_text_has_no_path():
    documents, sources = documents_of(None)
    assert sources == ()
    assert sum(len(piece) for document in documents for piece in document.pieces()) > 50_000


# Another model to go on from


def test_a_model_goes_on_with_its_tokenizer_and_its_weights(path, tmp_path):
    first = prepared(options={"n_layer": 1, "n_embd": 8, "n_head": 2, "block_size": 8}).start
    folder = first.save(tmp_path / "model")
    other = Document.of("the fox sat by the mill " * 9)
    for source in (first, folder, str(folder)):
        found = prepared(other, from_model=source)
        assert found.start.config == first.config
        assert found.tokenizer.tokens == first.tokenizer.tokens
        for name, array in first.parameters.items():
            np.testing.assert_array_equal(found.start.parameters[name], array)


def test_what_its_tokenizer_does_not_have_is_named():
    model = pellucid.load("baby-groot")
    with pytest.raises(PellucidError, match="robot"):
        prepared(Document.of("groot is robot"), from_model=model)


@pytest.mark.parametrize("options", [{"n_layer": 2}, {"block_size": 3}, {"tokenizer": "bpe"}])
def test_it_keeps_its_shape_and_its_tokenizer(options):
    model = pellucid.load("baby-groot")
    with pytest.raises(PellucidError, match="does not go with from_model"):
        prepared(Document.of("groot is happy"), from_model=model, options=options)


def test_it_needs_a_tokenizer():
    with pytest.raises(PellucidError, match="has no tokenizer"):
        prepared(from_model=Model.from_config(small_config()))


# What is refused


def test_too_short_a_text_says_both_lengths_and_what_to_change():
    with pytest.raises(PellucidError, match=r"has 39 tokens, .*block_size=64 take.*block_size"):
        prepared(Document.of("the fox ran over the hill to the mill "))


@pytest.mark.parametrize("corpus", ["nowhere.txt", "*.nothing"])
def test_a_text_that_is_not_there_is_refused(corpus, tmp_path):
    with pytest.raises(PellucidError, match=r"nowhere|nothing"):
        prepared(tmp_path / corpus)


def test_an_unknown_tokenizer_is_answered_with_the_known_ones():
    with pytest.raises(PellucidError, match="give char, word, bpe or the path"):
        prepared(options={"tokenizer": "chars"})
