"""ShardedFolder: the folder of a run whose checkpoints every rank writes its part of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from shutil import rmtree

from pellucid.files import flush_to_disk
from pellucid.model.folder import write_description
from pellucid.ops.operation import Array
from pellucid.training.durable import telling
from pellucid.training.learner import Sharded
from pellucid.training.moments import MEANS
from pellucid.training.ranks import Ranks
from pellucid.training.run_folder import Record, RunFolder
from pellucid.training.shards import Index, make_index, write_index, write_shard
from pellucid.training.text_trainer import TextTrainer
from pellucid.training.writing import Writing


@dataclass(frozen=True)
class Pending:
    """A checkpoint on its way to the disk."""

    draft: Path
    record: Record
    index: Index
    writing: Writing


class ShardedFolder(RunFolder):
    """The folder of a run on several ranks, all of which must see it.

    What a rank has is copied, and written while the training goes on. When every rank's part is on
    the disk the first one writes the index, and `training.json`, renamed last, names it. The
    folder's model is then put together beside the training too. Every method is for all ranks at
    once.
    """

    def __init__(self, path: Path, ranks: Ranks) -> None:
        super().__init__(path, ranks)
        self.pending: Pending | None = None
        self.showing: Writing | None = None

    def save(self, trainer: TextTrainer, record: Record) -> None:
        """Begin to write a checkpoint; `settle` ends it.

        Raises:
            PellucidError: the checkpoint before it could not be written.
        """
        self.settle(wait=True)
        learner: Sharded = trainer.learner  # type: ignore[assignment]  # No other has this folder.
        final = self.checkpoint(record.checkpoint)
        draft = final.with_name(f".{final.name}.draft")
        self.ranks.in_step(lambda: self.make_draft(draft, trainer) if self.ranks.is_first else None)
        save = self.ranks.tell_all(token_hex(8) if self.ranks.is_first else "")[0]
        index = make_index(
            shapes_of(trainer),
            dtype=trainer.start.dtype,
            shards=learner.shards,
            save=save,
            step=record.checkpoint,
        )
        if self.ranks.is_first:
            record = self.with_metrics(record)
        rows: Mapping[str, Array] = learner.rows()
        write = partial(
            write_shard, draft, rows, shard=learner.shard, shards=learner.shards, save=save
        )
        self.pending = Pending(draft, record, index, Writing(write if learner.is_written else bool))

    def make_draft(self, draft: Path, trainer: TextTrainer) -> None:
        """Begin the checkpoint's folder: all that is not divided."""
        with telling(self.path, self.how_to_go_on()):
            rmtree(draft, ignore_errors=True)
            write_description(trainer.start, draft)

    def settle(self, *, wait: bool = False) -> None:
        if self.pending is None:
            return
        if not wait and self.ranks.any(not self.pending.writing.is_done):
            return
        pending, self.pending = self.pending, None
        self.ranks.in_step(lambda: pending.writing.finish(self.path))
        self.ranks.in_step(lambda: self.name(pending) if self.ranks.is_first else None)
        self.record = pending.record

    def name(self, pending: Pending) -> None:
        """Have `training.json` name a checkpoint that every rank has written its part of."""
        final = self.checkpoint(pending.record.checkpoint)
        before = None if self.record is None else self.record.shown
        self.finish_showing()
        with telling(self.path, self.how_to_go_on()):
            write_index(pending.draft, pending.index)
            for path in (*pending.draft.iterdir(), pending.draft):
                flush_to_disk(path)
            rmtree(final, ignore_errors=True)
            pending.draft.replace(final)
            flush_to_disk(final.parent)
            self.write_record(pending.record)
            self.clear(pending.record)
        if pending.record.shown != before:
            self.showing = Writing(lambda: self.show(pending.record))

    def finish(self) -> None:
        self.settle(wait=True)
        self.ranks.in_step(self.finish_showing)

    def finish_showing(self) -> None:
        """Wait until the folder's model is there.

        Raises:
            PellucidError: it cannot be written.
        """
        if self.showing is not None:
            self.showing.finish(self.path)


def shapes_of(trainer: TextTrainer) -> dict[str, tuple[int, ...]]:
    """The shape of everything that a checkpoint has, by name."""
    shapes = {name: spec.shape for name, spec in trainer.start.specs.items()}
    moments = {f"{kind}/{name}": shape for kind in MEANS for name, shape in shapes.items()}
    return shapes | moments
