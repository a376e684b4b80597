"""A training watched again: models, losses and traces at every step that was kept."""

import msgspec
import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.film import Film
from pellucid.training.film_file import FILM, About, FilmFile
from pellucid.training.film_plan import FilmPlan
from pellucid.training.recipes import RECIPES
from tests.training.texts import DOCUMENT, SMALL

OPTIONS = SMALL | {"film": 5}
QUICK = msgspec.structs.replace(RECIPES["notebook"], epochs=6)
PROMPT = "the fox"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return pellucid.train(DOCUMENT, out=tmp_path_factory.mktemp("runs") / "run", **OPTIONS)


@pytest.fixture(scope="module")
def film(run):
    return pellucid.film(run)


@pytest.fixture(scope="module")
def groot():
    return pellucid.film(pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2))


# Films


def test_a_run_its_folder_and_its_path_are_the_same_film(run, film):
    for source in (run.folder, str(run.folder)):
        other = pellucid.film(source)
        assert other.steps == film.steps == (0, 5, 10, 12)
        assert other.losses == film.losses
        assert other.config == film.config
    assert film.unit == "step"
    assert len(film) == 4


def test_the_first_model_is_the_fresh_one_and_the_last_the_trained_one(run, film):
    fresh = pellucid.train(DOCUMENT, **SMALL | {"steps": 1, "learning_rate": 1e-30})
    trained = pellucid.load(run.folder / "checkpoints" / "12")
    for name, array in film.model(0).parameters.items():
        np.testing.assert_allclose(array, fresh.model.parameters[name], rtol=0, atol=1e-28)
    for model in (film.model(12), film.model()):
        for name, array in model.parameters.items():
            np.testing.assert_array_equal(array, trained.parameters[name])
    assert film.model(5).generate_text(PROMPT).startswith(PROMPT)


def test_losses_are_those_of_every_step(run, film):
    assert film.losses.training == tuple((step.step, step.loss) for step in run.history)
    assert film.losses.validation == tuple((each.step, each.loss) for each in run.validations)
    assert film.losses.at(5) == run.history[4].loss
    assert film.losses.at(0) == run.history[0].loss


def test_a_run_that_was_not_saved_has_its_film_too(film):
    other = pellucid.film(pellucid.train(DOCUMENT, **OPTIONS))
    assert other.losses == film.losses
    for name, array in film.frames.arrays.items():
        np.testing.assert_array_equal(other.frames.arrays[name], array)


def test_it_can_be_watched_while_the_training_goes_on(tmp_path):
    seen: list[Film] = []

    def look(step):
        if step.step == 11:
            seen.append(pellucid.film(tmp_path))

    pellucid.train(DOCUMENT, out=tmp_path, on_step=look, **OPTIONS)
    assert seen[0].steps[:2] == (0, 5)
    assert seen[0].trace(PROMPT)["probs"].shape[0] == len(seen[0].steps)


def test_half_precision_is_near(film):
    half = pellucid.film(pellucid.train(DOCUMENT, film_half=True, **OPTIONS))
    assert half.dtype == "float16"
    assert half.model().dtype == "float32"
    ours, whole = half.trace(PROMPT)["probs"].values, film.trace(PROMPT)["probs"].values
    assert 0 < np.abs(ours - whole).max() < 1e-3


def test_float64_stays():
    film = pellucid.film(pellucid.train(DOCUMENT, dtype="float64", **OPTIONS))
    assert film.dtype == film.model().dtype == "float64"
    assert film.trace(PROMPT)["logits"].values.dtype == np.float64


# Sentences


def test_a_training_on_sentences_counts_epochs(groot):
    assert groot.unit == "epoch"
    assert groot.steps == (0, 2, 4, 6)
    assert [number for number, _ in groot.losses.training] == [1, 2, 3, 4, 5, 6]
    assert groot.losses.floor == pytest.approx(0.7361097447916102)


def test_each_epoch_is_the_model_of_a_training_that_ended_there(groot):
    for epochs in (2, 4, 6):
        recipe = msgspec.structs.replace(QUICK, epochs=epochs)
        ended = pellucid.train(preset="baby-groot", recipe=recipe, seed=3).model
        for name, array in groot.model(epochs).parameters.items():
            np.testing.assert_array_equal(array, ended.parameters[name])


def test_saved_with_its_run_it_is_the_same(groot, tmp_path):
    run = pellucid.train(preset="baby-groot", recipe=QUICK, seed=3, film=2, out=tmp_path)
    for film in (pellucid.film(tmp_path), pellucid.film(run)):
        assert film.steps == groot.steps
        assert film.unit == "epoch"
        assert film.losses == groot.losses
        for name, array in groot.frames.arrays.items():
            np.testing.assert_array_equal(film.frames.arrays[name], array)
    # Another run in the same folder has no film: the old one is not its own.
    pellucid.train(preset="baby-groot", recipe=QUICK, out=tmp_path)
    assert not (tmp_path / FILM).exists()


# Traces


@pytest.mark.parametrize("tied", [True, False])
def test_every_tensor_is_the_trace_of_each_model_one_after_the_other(film, groot, tied):
    which, prompt = (film, PROMPT) if tied else (groot, "i am groot")
    watched = which.trace(prompt)
    for place, step in enumerate(which.steps):
        trace = which.model(step).trace(prompt)
        assert watched.names == trace.names
        assert watched.tokens == trace.tokens
        for name in (*trace.names, *trace.parameters):
            tensor, own = watched[name], trace[name]
            assert tensor.dims == ("step", *own.dims)
            np.testing.assert_array_equal(tensor.values[place], own.values)
            assert tensor.values.dtype == own.values.dtype
            assert {d: own.labels[d] for d in own.labels} == {
                d: labels for d, labels in tensor.labels.items() if d != "step"
            }
            assert (tensor.name, tensor.title, tensor.equation) == (
                own.name,
                own.title,
                own.equation,
            )


def test_steps_are_labels(film):
    pattern = film.trace(PROMPT)["blocks.0.attn.pattern"]
    assert pattern.labels["step"] == ("0", "5", "10", "12")
    array = pattern.to_xarray()
    np.testing.assert_array_equal(array.sel(step="10"), pattern.values[2])


def test_some_tensors_at_some_steps(film):
    watched = film.trace(PROMPT, names=["logits", "token_embedding"], steps=[12, 5])
    assert watched.names == ("logits",)
    assert watched.steps == (5, 12)
    assert watched["token_embedding"].shape[0] == 2
    np.testing.assert_array_equal(
        watched["token_embedding"].values[1], film.model(12).parameters["token_embedding"]
    )
    with pytest.raises(PellucidError, match="probs was not kept in this film"):
        watched["probs"]
    assert "probs" not in watched
    assert "logits" in watched


def test_ids_will_do_instead_of_text(film):
    ids = film.tokenizer.encode(PROMPT)
    np.testing.assert_array_equal(
        film.trace(ids=ids)["logits"].values, film.trace(PROMPT)["logits"].values
    )


def test_nobody_can_change_it(film):
    watched = film.trace(PROMPT)
    for name in ("logits", "token_embedding"):
        with pytest.raises(ValueError, match="read-only"):
            watched[name].values[...] = 0
    with pytest.raises(ValueError, match="read-only"):
        film.frames.arrays["token_embedding"][...] = 0


# What is refused


def test_a_step_that_was_not_kept_is_refused_with_those_near_it(film):
    with pytest.raises(PellucidError, match=r"no step 6\. Near it are 0, 5, 10\."):
        film.model(6)
    with pytest.raises(PellucidError, match="no step 99"):
        film.trace(PROMPT, steps=[0, 99])
    with pytest.raises(PellucidError, match="A film of no steps"):
        film.trace(PROMPT, steps=[])


def test_a_name_that_is_not_there_is_refused_with_near_ones(film):
    with pytest.raises(PellucidError, match="Did you mean"):
        film.trace(PROMPT)["blocks.0.attn.patern"]


def test_a_run_without_a_film_is_refused(tmp_path, run):
    for source in (tmp_path, pellucid.train(DOCUMENT, **SMALL, out=tmp_path / "run")):
        with pytest.raises(PellucidError, match=r"has no film\.safetensors: a film is kept by"):
            pellucid.film(source)
    for kept in (
        pellucid.train(DOCUMENT, **SMALL),
        pellucid.train(preset="baby-groot", recipe=QUICK),
    ):
        with pytest.raises(PellucidError, match="kept no film: train with film=10"):
            pellucid.film(kept)


def test_a_film_with_nothing_on_it_is_refused(tmp_path):
    about = About(plan=FilmPlan(every=1), planned=(0, 1))
    FilmFile.create(tmp_path / FILM, {"a": (2,)}, dtype="float32", about=about)
    with pytest.raises(PellucidError, match="is empty yet"):
        pellucid.film(tmp_path)


def test_what_would_not_fit_into_memory_is_refused(film):
    needed = sum(array.nbytes for array in film.trace(PROMPT).values.values())
    film.trace(PROMPT, memory=needed)
    with pytest.raises(PellucidError, match=r"All tensors of 4 steps take .* kB of memory, and on"):
        film.trace(PROMPT, memory=needed - 1)


def test_a_prompt_that_is_too_long_is_refused(film):
    with pytest.raises(PellucidError, match="context"):
        film.trace("the fox ran over the hill")
