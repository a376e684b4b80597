"""From a corpus to a model in one call: the embedded corpus, the user's, and what is refused."""

import msgspec
import numpy as np
import pytest

import pellucid
from pellucid.decoder.presets import preset
from pellucid.errors import PellucidError
from pellucid.text.batches import training_pairs
from pellucid.text.corpora import GROOT
from pellucid.training.history import Epoch
from pellucid.training.recipes import RECIPES, Recipe, default_recipe
from pellucid.training.sentences import (
    LONGEST_SENTENCE,
    read_corpus,
    targets_in_place,
    train_sentences,
)

QUICK = msgspec.structs.replace(RECIPES["default"], epochs=2)
MINE = ["the sun is up", "the moon", "stars"]


def pairs_of(run):
    return training_pairs(run.model.tokenizer.sequences(GROOT), pad_id=0)


# What it makes


def test_the_embedded_corpus_is_trained_on_unless_another_is_given():
    run = train_sentences(recipe=QUICK)
    assert run.model.config == preset("baby-groot")
    assert run.model.n_parameters == 968
    assert run.floor == pytest.approx(0.7361097447916102, rel=1e-12)
    assert len(run.history) == 2


def test_the_runs_loss_is_the_models():
    run = train_sentences(recipe=QUICK)
    pairs = pairs_of(run)
    assert run.loss == pytest.approx(run.model.loss(pairs.contexts, pairs.targets), rel=1e-6)


def test_the_default_recipe_is_used_unless_another_is_given():
    assert train_sentences(MINE).recipe == RECIPES["default"]
    assert train_sentences(MINE, recipe="notebook").recipe == RECIPES["notebook"]
    assert train_sentences(MINE, recipe=QUICK).recipe == QUICK


def test_targets_stand_at_the_last_real_token():
    pairs = training_pairs([[1, 4, 5, 2], [1, 6, 2]], pad_id=0)
    expected = [[4, -1, -1], [-1, 5, -1], [-1, -1, 2], [6, -1, -1], [-1, 2, -1]]
    np.testing.assert_array_equal(targets_in_place(pairs), expected)


def test_the_same_seed_gives_the_same_model_and_another_one_another():
    def weights(seed):
        model = train_sentences(recipe=QUICK, seed=seed).model
        return {name: array.tobytes() for name, array in model.parameters.items()}

    assert weights(1) == weights(1)
    assert weights(1) != weights(2)


def test_the_seed_decides_the_fresh_weights_too():
    recipe = msgspec.structs.replace(QUICK, epochs=1, learning_rate=1e-30)
    run = train_sentences(recipe=recipe, seed=4)
    fresh = pellucid.Model.from_config(run.model.config, seed=4, scheme=recipe.initialisation)
    for name, array in fresh.parameters.items():
        np.testing.assert_allclose(run.model.parameters[name], array, rtol=0, atol=1e-29)


def test_the_model_cannot_be_written_to():
    model = train_sentences(recipe=QUICK).model
    for array in model.parameters.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_float64_throughout():
    run = train_sentences(recipe=QUICK, dtype="float64")
    assert run.model.dtype == "float64"
    assert run.loss != train_sentences(recipe=QUICK).loss


def test_each_epoch_is_handed_on():
    seen: list[Epoch] = []
    run = train_sentences(recipe=QUICK, on_epoch=seen.append)
    assert tuple(seen) == run.history


# A corpus of the user's


def test_the_shape_adapts_to_the_users_corpus():
    run = train_sentences(MINE)
    assert run.model.vocabulary is not None
    assert run.model.vocabulary[3:] == ("is", "moon", "stars", "sun", "the", "up")
    assert run.model.config == preset("baby-groot").replace(vocab_size=9, block_size=5)
    assert run.floor < run.loss < run.floor + 0.01
    assert run.model.generate_text("stars") == "stars"
    assert run.model.generate_text("the moon") == "the moon"
    assert run.model.generate_text("the sun") == "the sun is up"


def test_a_path_is_read_as_sentences(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\n\n".join(MINE) + "\n", encoding="utf-8")
    from_list = train_sentences(MINE, recipe=QUICK)
    for corpus in (path, str(path)):
        run = train_sentences(corpus, recipe=QUICK)
        assert run.history == from_list.history


@pytest.mark.parametrize("corpus", [["hello"], ["a", "b", "a"], ["word word word word"]])
def test_small_corpora_reach_their_floor(corpus):
    run = train_sentences(corpus)
    assert run.floor - 1e-6 <= run.loss < run.floor + 0.01


def test_blank_sentences_are_dropped():
    assert train_sentences(["hello", " ", ""], recipe=QUICK).model.config.block_size == 2


@pytest.mark.parametrize("name", ["lesson-3", "nano"])
def test_other_presets_learn_too(name):
    recipe = msgspec.structs.replace(default_recipe(preset(name)), epochs=10)
    run = train_sentences(MINE, preset=name, recipe=recipe)
    assert run.model.config == preset(name).replace(vocab_size=9, block_size=5)
    assert run.loss < run.history[0].loss / 2


def test_a_config_may_be_given_for_a_preset():
    config = preset("baby-groot").replace(n_head=2, norm_position="pre", final_norm=True)
    run = train_sentences(preset=config)
    assert run.model.config == config
    assert run.loss < 0.75


# What is refused


@pytest.mark.parametrize("corpus", [[], [" "], ["", "\n"]])
def test_an_empty_corpus_is_refused(corpus):
    with pytest.raises(PellucidError, match=r"corpus is empty.* Give at least one"):
        train_sentences(corpus)


def test_unreadable_corpora_are_refused(tmp_path):
    with pytest.raises(PellucidError, match="no file"):
        train_sentences(tmp_path / "missing.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(PellucidError, match="not UTF-8: byte 3"):
        train_sentences(tmp_path / "latin.txt")


def test_what_is_not_text_is_refused():
    with pytest.raises(PellucidError, match="Sentence 2 of the corpus is 7, not text"):
        train_sentences(["hello", 7])  # type: ignore[list-item]


def test_too_long_a_sentence_is_refused_with_its_length():
    words = LONGEST_SENTENCE
    with pytest.raises(PellucidError, match=f"Sentence 2 makes a context of {words + 1} words"):
        train_sentences(["short", " ".join(["word"] * words)])


def test_too_large_a_corpus_is_refused_with_its_size():
    with pytest.raises(
        PellucidError, match="50,100 training pairs of up to 501 words, 25,100,100 ids"
    ):
        train_sentences([" ".join(["word"] * 500)] * 100)


def test_unknown_names_are_answered_with_near_ones():
    with pytest.raises(PellucidError, match="Did you mean baby-groot"):
        train_sentences(preset="babygroot")
    with pytest.raises(PellucidError, match="Did you mean notebook"):
        train_sentences(recipe="notebok")
    with pytest.raises(PellucidError, match="Did you mean torch"):
        train_sentences(
            recipe=Recipe(epochs=1, batch_size=1, learning_rate=1, initialisation="troch")
        )


@pytest.mark.parametrize("seed", [-1, 0.5, "0"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(PellucidError, match=f"seed={seed!r}"):
        train_sentences(seed=seed)


def test_an_unknown_dtype_is_refused():
    with pytest.raises(PellucidError, match="dtype='half'"):
        train_sentences(dtype="half")


def test_a_run_that_diverges_says_so():
    recipe = Recipe(epochs=2, batch_size=16, learning_rate=1e30)
    with pytest.raises(PellucidError, match="The loss is nan at step"):
        train_sentences(recipe=recipe)


# Where it is saved


def test_a_run_is_saved_where_it_is_asked_to(tmp_path):
    run = train_sentences(MINE, recipe=QUICK, out=tmp_path / "runs" / "mine")
    loaded = pellucid.load(tmp_path / "runs" / "mine")
    for name, array in run.model.parameters.items():
        np.testing.assert_array_equal(loaded.parameters[name], array)


def test_a_place_that_cannot_be_written_is_refused_before_training(tmp_path):
    (tmp_path / "file").touch()
    seen: list[Epoch] = []
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(PellucidError, match="file"):
            train_sentences(out=out, on_epoch=seen.append)
    assert not seen


def test_a_refused_corpus_leaves_no_folder(tmp_path):
    with pytest.raises(PellucidError, match="empty"):
        train_sentences([], out=tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_a_file_of_sentences_may_be_in_another_encoding(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("vögel singen\nfische schwimmen\n".encode("latin-1"))
    with pytest.raises(PellucidError, match="--encoding latin-1"):
        read_corpus(path)
    assert read_corpus(path, "latin-1") == ("vögel singen", "fische schwimmen")
    run = pellucid.train(path, preset="baby-groot", encoding="latin-1")
    assert run.model.trace("vögel").tokens == ("<START>", "vögel")
