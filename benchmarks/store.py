"""A trace to disk and back, GPT-2 124M shape, against a plain file of the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

import pellucid
from benchmarks.comparison import Report, require, share_of_time, take_turns
from pellucid.decoder.presets import preset
from pellucid.trace.parameters import Parameters
from pellucid.trace.trace import Trace

REPEATS = 15
LENGTH = 128
AT_MOST = 1.5
"""A plain file's time, times this: what is still called the speed of the disk."""


def run() -> Report:
    """Check that what comes back is what was saved, then time both ways in turn."""
    model = pellucid.Model.from_config(preset("gpt2"), seed=0, dtype="float32")
    ids = np.random.default_rng(0).integers(0, model.config.vocab_size, LENGTH)
    trace = model.trace(ids=ids.tolist())
    with TemporaryDirectory() as folder:
        return time_in(Path(folder), trace)


def time_in(folder: Path, trace: Trace) -> Report:
    """Save, write, load and read one after the other; none of them waits for the disk itself."""
    stored, plain = folder / "trace.safetensors", folder / "plain"
    content = trace.save(stored).read_bytes()
    checks = [check(trace, stored, len(content))]
    contestants: dict[str, Callable[[], object]] = {
        "save": lambda: trace.save(stored),
        "write": lambda: plain.write_bytes(content),
        "load": lambda: load_whole(stored),
        "read": plain.read_bytes,
        "load one": lambda: Trace.load(stored)["logits"],
    }
    seconds = take_turns(contestants, repeats=REPEATS)
    megabytes = len(content) / 1e6
    what = f"a trace of GPT-2 124M, {LENGTH} tokens, {megabytes:.0f} MB"
    saved, written, loaded, read, one = seconds.values()
    speeds = ", ".join(
        f"{name} {megabytes / median(times):.0f}"
        for name, times in seconds.items()
        if name != "load one"
    )
    return Report(
        checks,
        [
            share_of_time(f"saving {what}", "writing a file", saved, written, at_most=AT_MOST),
            share_of_time(f"loading {what}", "reading a file", loaded, read, at_most=AT_MOST),
            share_of_time(
                "loading its logits alone", "reading the whole file", one, read, at_most=AT_MOST
            ),
        ],
        [
            f"MB/s, through the system's file cache: {speeds}. The first trace that is saved of a "
            f"model digests its weights as well: {digest_seconds(trace):.2f} s."
        ],
    )


def check(trace: Trace, stored: Path, size: int) -> str:
    """Every tensor comes back bit for bit, and the file is hardly larger than they are."""
    loaded = Trace.load(stored)
    equal = loaded.names == trace.names and all(
        loaded.values[name].tobytes() == array.tobytes() for name, array in trace.values.items()
    )
    header = size - sum(array.nbytes for array in trace.values.values())
    return require(
        equal and 0 < header < 0.01 * size,
        f"{len(trace)} tensors come back bit for bit; beside them the file has {header} bytes",
    )


def digest_seconds(trace: Trace) -> float:
    """Seconds for the digest of the weights, which a model keeps."""
    fresh = Parameters(trace.parameters.specs, trace.parameters.arrays)
    start = perf_counter()
    require(fresh.digest == trace.parameters.digest, "the digest is that of the weights")
    return perf_counter() - start


def load_whole(stored: Path) -> int:
    """Open a trace and read every tensor; the bytes of all."""
    return sum(array.nbytes for array in Trace.load(stored).values.values())
