"""A film changes nothing of a training, waits for nothing, and survives whatever that survives."""

from functools import partial
from itertools import count
from threading import Event
from time import sleep

import numpy as np
import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.film_file import FILM, FilmFile
from pellucid.training.film_recorder import FilmRecorder
from pellucid.training.frames import FilmInMemory
from pellucid.training.run_folder import RunFolder
from tests.training.test_kills import EVERY, killed_after
from tests.training.test_kills import OPTIONS as KILLED
from tests.training.test_resumption import assert_same_run
from tests.training.test_run_folder import files_no_longer_than, needs_a_limit
from tests.training.test_text_trainer import trainer_of
from tests.training.texts import DOCUMENT, SMALL, TEXT

OPTIONS = SMALL | {"steps": 23, "dropout": 0.1, "film": 4}
KEPT = (0, 4, 8, 12, 16, 20, 23)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "small.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["numpy", "torch"])
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def unbroken(text, tmp_path_factory, engine):
    folder = tmp_path_factory.mktemp("runs") / "unbroken"
    pellucid.train(text, out=folder, engine=engine, **OPTIONS)
    return folder


def stopper(after):
    steps = count(1)
    return lambda: next(steps) >= after


def kept(folder):
    return FilmFile(folder / FILM).frames()


# What it keeps


def test_it_keeps_the_model_of_each_step_as_its_checkpoint_has_it(text, unbroken, tmp_path, engine):
    frames = kept(unbroken)
    assert frames.steps == KEPT
    for after in (4, 12):
        pellucid.train(
            text, out=tmp_path / str(after), stop=stopper(after), engine=engine, **OPTIONS
        )
        checkpoint = pellucid.load(tmp_path / str(after) / "checkpoints" / str(after))
        found = frames.at(KEPT.index(after))
        assert found.keys() == checkpoint.parameters.keys()
        for name, array in checkpoint.parameters.items():
            np.testing.assert_array_equal(found[name], array)


def test_the_training_is_the_same_without_it(text, unbroken, tmp_path, engine):
    pellucid.train(text, out=tmp_path, engine=engine, **OPTIONS | {"film": None})
    assert_same_run(tmp_path, unbroken)
    assert not (tmp_path / FILM).exists()


def test_in_half_precision_it_is_the_same_film_rounded(text, unbroken, tmp_path, engine):
    pellucid.train(text, out=tmp_path, film_half=True, engine=engine, **OPTIONS)
    for name, array in kept(tmp_path).arrays.items():
        assert array.dtype == np.float16
        np.testing.assert_array_equal(array, kept(unbroken).arrays[name].astype(np.float16))


def test_without_a_folder_it_is_kept_in_memory(text, unbroken, engine):
    frames = pellucid.train(text, engine=engine, **OPTIONS).frames
    assert frames is not None
    assert frames.steps == KEPT
    for name, array in kept(unbroken).arrays.items():
        np.testing.assert_array_equal(frames.arrays[name], array)
        assert not frames.arrays[name].flags.writeable


def test_with_a_folder_it_is_there_alone(unbroken):
    assert pellucid.train(resume=unbroken).frames is None


def test_its_size_is_said_before_the_first_step(tmp_path):
    said: list[str] = []
    run = pellucid.train(
        DOCUMENT,
        out=tmp_path,
        on_notice=said.append,
        on_step=lambda _: said.append("step"),
        **OPTIONS,
    )
    size = 7 * 4 * run.model.n_parameters
    assert said[0] == f"The film keeps 7 steps, {size / 1000:.3g} kB, in {tmp_path / FILM}."
    assert said[1] == "step"


def test_steps_do_not_wait_until_it_is_written():
    learned = trainer_of(dtype="float32")
    gate = Event()

    class Slow(FilmInMemory):
        def write(self, place, rows):
            assert gate.wait(60)
            super().write(place, rows)

    shapes = {name: spec.shape for name, spec in learned.start.specs.items()}
    reel = Slow(shapes, dtype="float32", planned=(0, 3), unit="step")
    recorder = FilmRecorder(learned, reel, (0, 3))
    recorder.take()
    for _ in range(2):
        learned.step()
        recorder.take()
    gate.set()
    learned.step()
    recorder.take()
    recorder.sync()
    assert reel.frames().steps == (0, 3)
    first, last = (reel.frames().at(place) for place in (0, 1))
    for name, array in learned.start.parameters.items():
        # Of the step that it was taken at, though the parameters had moved when it was written.
        np.testing.assert_array_equal(first[name], array)
        np.testing.assert_array_equal(last[name], learned.learner.parameters[name])


def test_a_checkpoint_waits_until_the_film_up_to_it_is_written(text, tmp_path, monkeypatch):
    write, save = FilmFile.write, RunFolder.save
    seen = []

    def slowly(self, place, rows):
        sleep(0.2)
        write(self, place, rows)

    def look(self, trainer, record):
        seen.append(record.checkpoint)
        assert record.checkpoint in kept(tmp_path).steps
        save(self, trainer, record)

    monkeypatch.setattr(FilmFile, "write", slowly)
    monkeypatch.setattr(RunFolder, "save", look)
    pellucid.train(text, out=tmp_path, **OPTIONS | {"film": 5, "steps": 10})
    assert seen == [0, 5, 10]


# Stopping and going on


@pytest.mark.parametrize("after", [1, 5, 12])
def test_a_run_stopped_anywhere_has_the_same_film(text, unbroken, tmp_path, engine, after):
    run = pellucid.train(text, out=tmp_path, stop=stopper(after), engine=engine, **OPTIONS)
    assert not run.finished
    assert kept(tmp_path).steps == tuple(step for step in KEPT if step <= after)
    assert pellucid.train(resume=tmp_path).finished
    assert (tmp_path / FILM).read_bytes() == (unbroken / FILM).read_bytes()
    assert_same_run(tmp_path, unbroken)


def test_what_was_kept_after_the_checkpoint_is_kept_anew(text, unbroken, tmp_path, engine):
    def fail(step):
        if step.step == 17:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pellucid.train(text, out=tmp_path, on_step=fail, engine=engine, **OPTIONS | {"every": 10})
    assert kept(tmp_path).steps[:4] == (0, 4, 8, 12)
    stopped = pellucid.train(resume=tmp_path, stop=lambda: True)
    assert [step.step for step in stopped.history] == [11]
    assert kept(tmp_path).steps == (0, 4, 8)
    pellucid.train(resume=tmp_path)
    assert (tmp_path / FILM).read_bytes() == (unbroken / FILM).read_bytes()


def test_a_longer_run_has_a_longer_film(text, tmp_path):
    pellucid.train(text, out=tmp_path, **OPTIONS)
    before = kept(tmp_path)
    frames_before = {name: np.array(array) for name, array in before.arrays.items()}
    pellucid.train(resume=tmp_path, steps=29)
    after = kept(tmp_path)
    assert after.steps == (*KEPT, 24, 28, 29)
    for name, array in frames_before.items():
        np.testing.assert_array_equal(after.arrays[name][: len(KEPT)], array)
    last = pellucid.load(tmp_path / "checkpoints" / "29")
    for name, array in last.parameters.items():
        np.testing.assert_array_equal(after.at(9)[name], array)


def test_it_goes_on_without_a_film_that_was_taken_away(text, unbroken, tmp_path, engine):
    pellucid.train(text, out=tmp_path, stop=stopper(7), engine=engine, **OPTIONS)
    (tmp_path / FILM).unlink()
    pellucid.train(resume=tmp_path)
    assert_same_run(tmp_path, unbroken)
    assert not (tmp_path / FILM).exists()


def test_another_engine_goes_on_with_the_film(text, tmp_path):
    pellucid.train(text, out=tmp_path, stop=stopper(7), **OPTIONS)
    pellucid.train(resume=tmp_path, engine="torch")
    assert kept(tmp_path).steps == KEPT


def test_a_film_of_another_run_does_not_stay(text, tmp_path):
    (tmp_path / FILM).write_bytes(b"of another run, which was killed before its first checkpoint")
    pellucid.train(text, out=tmp_path, **SMALL)
    assert not (tmp_path / FILM).exists()


def assert_kills_are_survived(kills, text, tmp_path):
    options = KILLED | {"film": 2}
    whole = pellucid.train(text, out=tmp_path / "whole", **options).folder
    planned = kept(whole)
    for number in range(kills):
        killed_after(0.15 + 0.2 * number, text, tmp_path / "run", options)
        if (tmp_path / "run" / FILM).exists():
            found = kept(tmp_path / "run")
            assert found.steps == planned.steps[: len(found.steps)]
            for name, array in found.arrays.items():
                np.testing.assert_array_equal(array, planned.arrays[name][: len(array)])
    try:
        pellucid.train(resume=tmp_path / "run")
    except PellucidError:
        pellucid.train(text, out=tmp_path / "run", **options)
    assert (tmp_path / "run" / FILM).read_bytes() == (whole / FILM).read_bytes()
    assert len(planned.steps) == 76 > EVERY


def test_two_kills(text, tmp_path):
    assert_kills_are_survived(2, text, tmp_path)


@pytest.mark.slow
def test_a_dozen_kills(text, tmp_path):
    assert_kills_are_survived(12, text, tmp_path)


# What is refused


@needs_a_limit
def test_a_disk_without_room_for_it_is_noticed_before_the_first_step(text, tmp_path):
    with (
        files_no_longer_than(20_000),
        pytest.raises(PellucidError, match=r"film\.safetensors cannot be written: File too large"),
    ):
        pellucid.train(
            text, out=tmp_path, on_step=lambda _: pytest.fail("a step was taken"), **OPTIONS
        )
    assert [path.name for path in tmp_path.glob("*film*")] == []


@pytest.mark.parametrize(
    ("film", "said"), [([99], "to keep step 99, and the last is 23"), (0, "film=0 must be")]
)
def test_what_does_not_fit_the_training_is_refused(text, tmp_path, film, said):
    with pytest.raises(PellucidError, match=said):
        pellucid.train(text, out=tmp_path, **OPTIONS | {"film": film})


@pytest.mark.parametrize("options", [{"film": 3}, {"film_half": True}])
def test_a_run_goes_on_with_the_film_that_it_has(unbroken, options):
    with pytest.raises(PellucidError, match="does not go with resume"):
        pellucid.train(resume=unbroken, **options)


def test_a_film_of_another_model_is_refused(text, tmp_path):
    start = partial(pellucid.train, text, stop=stopper(3))
    start(out=tmp_path / "a", **OPTIONS)
    start(out=tmp_path / "b", **OPTIONS | {"n_embd": 4})
    (tmp_path / "b" / FILM).replace(tmp_path / "a" / FILM)
    with pytest.raises(PellucidError, match=r"film\.safetensors is not of the model beside it"):
        pellucid.train(resume=tmp_path / "a")
