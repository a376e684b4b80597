"""RunFolder: a training on disk, so that no accident costs more than the latest steps."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from shutil import copyfile, rmtree
from typing import IO, Any

import msgspec

from pellucid.errors import PellucidError
from pellucid.files import flush_to_disk, write_whole
from pellucid.model.folder import CONFIG, WEIGHTS
from pellucid.text.tokenizer_folder import BESIDE, TOKENIZER
from pellucid.training.checkpoint import save_checkpoint
from pellucid.training.consolidation import consolidate
from pellucid.training.durable import telling
from pellucid.training.environment import Environment
from pellucid.training.execution import Execution
from pellucid.training.ranks import ALONE, Ranks
from pellucid.training.run import METRICS, TIMING, TRAINING
from pellucid.training.shards import INDEX, Shards
from pellucid.training.text_recipe import TextRecipe
from pellucid.training.text_trainer import TextTrainer

CHECKPOINTS = "checkpoints"


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """Which text a run is trained on, and where it may be found again."""

    digest: str
    tokens: str
    """The path of the file that holds its ids."""
    sources: tuple[str, ...] | None
    """Absolute paths; none of them for the embedded text, None for one that was handed over."""
    encoding: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What `training.json` says: enough, with the checkpoint that it names, to go on."""

    checkpoint: int
    """After how many steps; its folder bears the number."""
    best: int
    """The same of the best checkpoint by the recipe's validations; without any, the latest."""
    best_loss: float | None
    """Its validation loss in nats per token, if there is validation."""
    shown: int
    """The same of the one that is the folder's model: the best or the latest, as the recipe keeps.
    A run stopped between two validations shows the latest if that is better than the best."""
    metrics_bytes: int
    """How long `metrics.jsonl` is at that checkpoint."""
    recipe: TextRecipe
    seed: int
    block_size: int
    text: Text
    environment: Environment
    execution: Execution = Execution()
    shown_loss: float | None = None
    """The validation loss of the one that is shown, if there is validation."""


class RunFolder:
    """The folder of a run.

    Files of the best model, `training.json`, `metrics.jsonl` (what the seed decides, a line for
    each step and each validation), `timing.jsonl` (what the clock decides), and `checkpoints/STEP`.
    A checkpoint is complete and on the disk before `training.json`, renamed last, names it; those
    that it names are never changed. Of several ranks the first alone writes.
    """

    def __init__(self, path: Path, ranks: Ranks = ALONE) -> None:
        self.path = path
        self.ranks = ranks
        self.metrics: IO[bytes] | None = None
        self.timing: IO[bytes] | None = None
        self.record: Record | None = None

    def checkpoint(self, step: int) -> Path:
        """The folder of the checkpoint after so many steps."""
        return self.path / CHECKPOINTS / str(step)

    # Beginning and going on

    def check_unused(self) -> None:
        """Raise `PellucidError` if the folder holds a run already."""
        if (self.path / TRAINING).exists():
            raise PellucidError(
                f"{self.path} holds a run already. Go on with it (--resume {self.path}), "
                "or give another folder."
            )

    def begin(self) -> None:
        """Make the folder ready for a new run.

        Raises:
            PellucidError: it cannot be written.
        """
        if not self.ranks.is_first:
            return
        with telling(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            self.open_logs()
            os.truncate(self.path / METRICS, 0)
            os.truncate(self.path / TIMING, 0)

    def read(self) -> Record:
        """What `training.json` says.

        Raises:
            PellucidError: there is no run in the folder, or none that can be gone on with.
        """
        path = self.path / TRAINING
        try:
            self.record = msgspec.json.decode(path.read_bytes(), type=Record)
        except FileNotFoundError:
            raise PellucidError(
                f"{self.path} holds no run to go on with: there is no {TRAINING} in it. Train anew."
            ) from None
        except OSError as error:
            raise PellucidError(f"{path} cannot be read: {error.strerror}.") from None
        except msgspec.MsgspecError as error:
            raise PellucidError(
                f"{path} is not of a training on text that can be gone on with: {error}."
            ) from None
        return self.record

    def go_on(self, record: Record) -> None:
        """Cut back what was written after the checkpoint, and show the right model.

        Raises:
            PellucidError: the folder cannot be written, or another process has gone on with it.
        """
        if not self.ranks.is_first:
            self.record = record
            return
        with telling(self.path):
            self.open_logs()
            if self.read() != record:
                self.close()
                raise PellucidError(f"{self.path} has gone on meanwhile: resume it again.")
            metrics = self.path / METRICS
            os.truncate(metrics, min(record.metrics_bytes, metrics.stat().st_size))
            for draft in self.path.glob(".*.draft"):
                draft.unlink()
            self.show(record)
            self.clear(record)

    def check_seen(self) -> None:
        """Raise `PellucidError` where this machine does not see the folder that the first made."""
        if not self.path.is_dir():
            raise PellucidError(
                f"{self.path.absolute()} is not there on this machine, and it is where the first "
                "rank writes: choose a folder that all machines share."
            )

    def open_logs(self) -> None:
        end_with_a_line(self.path / TIMING)
        # Each line is handed to the system at once: one may watch, and a kill leaves all but one.
        self.metrics = (self.path / METRICS).open("ab", buffering=0)
        self.timing = (self.path / TIMING).open("ab", buffering=0)
        if not alone(self.metrics):
            self.close()
            raise PellucidError(
                f"Another process is training in {self.path}. Let it end, or take another folder."
            )

    def close(self) -> None:
        for file in (self.metrics, self.timing):
            if file is not None:
                file.close()

    # While it runs

    def note(self, metrics: Mapping[str, Any], timing: Mapping[str, Any] | None = None) -> None:
        """Add a line to `metrics.jsonl`, and one to `timing.jsonl`.

        Raises:
            PellucidError: they cannot be written.
        """
        if not self.ranks.is_first:
            return
        with telling(self.path, self.how_to_go_on()):
            append(self.metrics, metrics)
            if timing is not None:
                append(self.timing, timing)

    def save(self, trainer: TextTrainer, record: Record) -> None:
        """Write a checkpoint, then have `training.json` name it, then clear away what it replaces.

        Raises:
            PellucidError: something cannot be written; the checkpoint before it is as it was.
        """
        if not self.ranks.is_first:
            self.record = record
            return
        with telling(self.path, self.how_to_go_on()):
            save_checkpoint(trainer, self.checkpoint(record.checkpoint))
            record = self.with_metrics(record)
            self.write_record(record)
            self.show(record)
            self.clear(record)

    def with_metrics(self, record: Record) -> Record:
        """The record, with how long `metrics.jsonl` is now."""
        assert self.metrics is not None
        size = os.fstat(self.metrics.fileno()).st_size
        return msgspec.structs.replace(record, metrics_bytes=size)

    def write_record(self, record: Record) -> None:
        """Have `training.json` name a checkpoint; what its metrics say is on the disk then."""
        assert self.metrics is not None
        os.fsync(self.metrics.fileno())
        content = msgspec.json.format(msgspec.json.encode(record)) + b"\n"
        write_whole(self.path / TRAINING, lambda draft: draft.write_bytes(content), sync=True)
        self.record = record

    def settle(self, *, wait: bool = False) -> None:
        """End what is being written beside the training, if it is done, or when it is.

        Raises:
            PellucidError: it could not be written.
        """

    def finish(self) -> None:
        """Wait until everything is on the disk.

        Raises:
            PellucidError: it cannot be written.
        """

    def how_to_go_on(self, when: str = "once there is room, ") -> str:
        """Words for after an error."""
        if self.record is None:
            return ""
        return (
            f" The checkpoint after step {self.record.checkpoint} is whole: "
            f"{when}go on with --resume {self.path}."
        )

    def show(self, record: Record) -> None:
        """Make the files of the folder's model those of the checkpoint to show."""
        shown = self.checkpoint(record.shown)
        if (shown / INDEX).exists():
            shards = Shards(shown)
            names = [name for name in shards.index.arrays if "/" not in name]
            consolidate(shards, names, self.path / WEIGHTS)
        else:
            write_whole(self.path / WEIGHTS, partial(copyfile, shown / WEIGHTS), sync=True)
        for name in (TOKENIZER, *BESIDE, CONFIG):
            if name not in BESIDE or (shown / name).exists():
                write_whole(self.path / name, partial(copyfile, shown / name), sync=True)

    def clear(self, record: Record) -> None:
        """Remove every checkpoint but the two that are named, and drafts; nothing else."""
        kept = {str(record.checkpoint), str(record.best)}
        for folder in (self.path / CHECKPOINTS).iterdir():
            ours = folder.name.isdecimal() or folder.name.endswith(".draft")
            if ours and folder.name not in kept:
                rmtree(folder)
        flush_to_disk(self.path / CHECKPOINTS)


def alone(file: IO[bytes]) -> bool:
    """Whether no other process has the file open to train, and none will until it is closed."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def append(file: IO[bytes] | None, line: Mapping[str, Any]) -> None:
    """Write one line of JSON."""
    assert file is not None
    content = msgspec.json.encode(line) + b"\n"
    # The last bytes of a disk take a part; what is left then raises.
    while content:
        content = content[file.write(content) :]


def end_with_a_line(path: Path) -> None:
    """Cut off what a kill left of a last line."""
    if path.exists():
        content = path.read_bytes()
        os.truncate(path, content.rfind(b"\n") + 1)
