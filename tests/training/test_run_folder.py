"""A run's folder: what it holds at each moment, and what is left when it cannot be written."""

import json
import resource
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest

import pellucid
from pellucid.errors import PellucidError
from pellucid.training.ranks import Ranks
from pellucid.training.run_folder import RunFolder, end_with_a_line
from tests.training.texts import DOCUMENT, SMALL

needs_a_limit = pytest.mark.skipif(
    not hasattr(resource, "RLIMIT_FSIZE"), reason="the system has no limit of file sizes"
)


def train(out, **changes):
    return pellucid.train(DOCUMENT, out=out, **SMALL | changes)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def record(folder):
    return json.loads((folder / "training.json").read_text(encoding="utf-8"))


@contextmanager
def files_no_longer_than(size):
    """Have the system refuse to write beyond so many bytes, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# What it holds


def test_a_run_is_a_models_folder_with_more(tmp_path):
    train(tmp_path / "run")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {
        "checkpoints",
        "config.json",
        "metrics.jsonl",
        "model.safetensors",
        "timing.jsonl",
        "tokenizer.json",
        "training.json",
    }


def test_there_is_a_line_for_each_step_and_each_validation(tmp_path):
    run = train(tmp_path)
    metrics = lines(tmp_path / "metrics.jsonl")
    steps = [line for line in metrics if "loss" in line]
    assert steps == [
        {
            "step": step.step,
            "loss": step.loss,
            "learning_rate": step.learning_rate,
            "gradient_norm": step.gradient_norm,
        }
        for step in run.history
    ]
    validations = [line for line in metrics if "validation_loss" in line]
    assert [line["step"] for line in validations] == [0, 5, 10, 12]
    assert [line["validation_loss"] for line in validations] == [v.loss for v in run.validations]
    assert len(metrics) == len(steps) + len(validations)


def test_the_clock_has_a_file_of_its_own(tmp_path):
    run = train(tmp_path)
    assert lines(tmp_path / "timing.jsonl") == [
        {"step": step.step, "tokens": step.tokens, "seconds": step.seconds} for step in run.history
    ]
    assert "seconds" not in (tmp_path / "metrics.jsonl").read_text()


def test_lines_can_be_read_while_it_runs(tmp_path):
    def look(step):
        noted = [line["step"] for line in lines(tmp_path / "metrics.jsonl") if "loss" in line]
        assert noted == list(range(1, step.step + 1))

    train(tmp_path, on_step=look)


def test_the_latest_checkpoint_and_the_best_are_kept(tmp_path):
    # Far too high a rate: the first validation stays the best.
    run = train(tmp_path, learning_rate=5.0, clip=0, schedule="constant")
    assert run.best_step == 0
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == {"0", "12"}
    facts = record(tmp_path)
    assert (facts["checkpoint"], facts["best"], facts["shown"]) == (12, 0, 0)
    weights = (tmp_path / "model.safetensors").read_bytes()
    assert weights == (tmp_path / "checkpoints" / "0" / "model.safetensors").read_bytes()


def test_what_a_user_puts_beside_them_stays(tmp_path):
    def put(step):
        (tmp_path / "checkpoints" / "mine").mkdir(exist_ok=True)
        (tmp_path / "checkpoints" / "notes.txt").touch()

    train(tmp_path, on_step=put)
    found = {path.name for path in (tmp_path / "checkpoints").iterdir()}
    assert found == {"12", "mine", "notes.txt"}


def test_a_run_that_went_on_meanwhile_is_not_gone_on_with_from_before(tmp_path):
    train(tmp_path)
    folder = RunFolder(tmp_path)
    before = folder.read()
    pellucid.train(DOCUMENT, resume=tmp_path, steps=14)
    with pytest.raises(PellucidError, match="has gone on meanwhile: resume it again"):
        folder.go_on(before)
    assert record(tmp_path)["checkpoint"] == 14


def test_a_checkpoint_is_a_model(tmp_path):
    train(tmp_path)
    model = pellucid.load(tmp_path / "checkpoints" / "12")
    assert model.tokenizer is not None
    assert model.generate_text("the", max_new_tokens=3).startswith("the")


def test_a_tied_matrix_is_stored_once(tmp_path):
    from safetensors import safe_open

    run = train(tmp_path)
    assert run.model.config.tied_head
    with safe_open(tmp_path / "model.safetensors", "np") as file:
        assert set(file.keys()) == set(run.model.parameters)


def test_what_decides_the_run_is_recorded(tmp_path):
    run = train(tmp_path, seed=3)
    facts = record(tmp_path)
    assert facts["seed"] == 3
    assert facts["recipe"]["steps"] == run.recipe.steps == 12
    assert facts["environment"]["threads"] == 1
    assert facts["environment"]["pellucid"] == pellucid.__version__
    assert facts["text"]["sources"] is None


# What cannot be written


def test_a_folder_that_holds_a_run_is_left_alone(tmp_path):
    train(tmp_path)
    before = (tmp_path / "training.json").read_bytes()
    with pytest.raises(PellucidError, match=r"holds a run already\. Go on with it \(--resume"):
        train(tmp_path)
    assert (tmp_path / "training.json").read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_two_processes_do_not_train_in_one_folder(tmp_path):
    def look(step):
        command = [sys.executable, "-c", SECOND, str(tmp_path)]
        found = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "Another process is training in" in found.stdout

    train(tmp_path, steps=1, on_step=look)
    assert pellucid.train(resume=tmp_path, steps=2).finished


SECOND = """
import sys
import pellucid

try:
    pellucid.train(resume=sys.argv[1])
except pellucid.PellucidError as error:
    print(error)
"""


@pytest.mark.parametrize("below", ["", "run"])
def test_a_place_that_is_a_file_is_refused_before_the_first_step(tmp_path, below):
    (tmp_path / "file").touch()
    seen: list[object] = []
    with pytest.raises(PellucidError, match=r"file.* cannot be written: "):
        train(tmp_path / "file" / below, on_step=seen.append)
    assert not seen


@needs_a_limit
def test_a_full_disk_ends_the_run_with_words_and_the_last_checkpoint_whole(tmp_path):
    size = 0

    def fill(step):
        nonlocal size
        size = (tmp_path / "checkpoints" / "5" / "model.safetensors").stat().st_size
        limit.enter_context(files_no_longer_than(size - 100))

    with (
        ExitStack() as limit,
        pytest.raises(
            PellucidError,
            match=r"cannot be written: File too large\. The checkpoint after step 5 is whole: "
            r"once there is room, go on with --resume ",
        ),
    ):
        train(tmp_path, on_step=lambda step: fill(step) if step.step == 7 else None)
    assert record(tmp_path)["checkpoint"] == 5
    assert {path.name for path in (tmp_path / "checkpoints").iterdir()} == {"5"}
    assert pellucid.load(tmp_path).n_parameters > 0
    run = pellucid.train(DOCUMENT, resume=tmp_path)
    assert run.finished
    train(tmp_path / "unbroken")
    for name in ("model.safetensors", "metrics.jsonl"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "unbroken" / name).read_bytes()


@needs_a_limit
def test_a_full_disk_is_noticed_at_a_line_too(tmp_path):
    def fill(step):
        if step.step == 7:
            limit.enter_context(
                files_no_longer_than((tmp_path / "metrics.jsonl").stat().st_size + 9)
            )

    with ExitStack() as limit, pytest.raises(PellucidError, match="The checkpoint after step 5 is"):
        train(tmp_path, on_step=fill)
    assert pellucid.train(DOCUMENT, resume=tmp_path).finished
    assert len(lines(tmp_path / "metrics.jsonl")) == 12 + 4


def test_a_loss_that_is_not_finite_keeps_the_last_good_checkpoint(tmp_path):
    with pytest.raises(
        PellucidError, match=r"(step|Step) .* The checkpoint after step 0 in .* is kept"
    ):
        train(tmp_path, learning_rate=1e30, clip=0, warmup=0)
    assert record(tmp_path)["checkpoint"] == 0
    assert pellucid.load(tmp_path).n_parameters > 0


def test_a_torn_last_line_is_cut_off(tmp_path):
    path = tmp_path / "log"
    for content, whole in (("", ""), ("a\nb", "a\n"), ("a\nb\n", "a\nb\n"), ("ab", "")):
        path.write_text(content)
        end_with_a_line(path)
        assert path.read_text() == whole
    end_with_a_line(tmp_path / "none")


def test_reading_a_damaged_record_is_an_error_with_its_name(tmp_path):
    (tmp_path / "training.json").write_text("{")
    with pytest.raises(PellucidError, match=r"training\.json is not of a training on text"):
        RunFolder(tmp_path).read()


def test_a_folder_that_another_machine_does_not_see_is_named(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with pytest.raises(PellucidError, match=r"run is not there on this machine.* machines share"):
        folder.check_seen()
    folder.begin()
    folder.check_seen()
    folder.close()


def test_of_several_ranks_the_first_alone_writes(tmp_path):
    folder = RunFolder(tmp_path / "run", Ranks(rank=1, size=2))
    folder.begin()
    folder.note({"step": 1})
    assert not list(tmp_path.iterdir())
