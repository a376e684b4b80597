"""`python -m benchmarks.large_text`: the memory that a text of 1 GB takes, read and trained on.

Not one of `make bench`: it takes some minutes, and 4 GB of disk for as long.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from textwrap import dedent
from time import perf_counter

LETTERS = "etaoinshrdlucmfwyp"
N_WORDS = 20_000
STEPS = 20
AT_MOST = 500
"""MB resident, at the highest."""


def main() -> None:
    """Read the options, write the text, train, and say what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_text", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--tokenizer", default="char", help="char, word or bpe")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        text = Path(folder, "large.txt")
        write_text(text, n_bytes=options.megabytes * 10**6)
        start = perf_counter()
        peak = peak_of_training(text, options.tokenizer, cache=folder)
        seconds = perf_counter() - start
    verdict = "held" if peak < AT_MOST else "NOT held"
    print(
        f"{options.megabytes} MB of text, {options.tokenizer} tokens, {STEPS} steps: "
        f"{seconds:.0f} s, at most {peak} MB resident (below {AT_MOST}: {verdict})"
    )


def write_text(path: Path, *, n_bytes: int) -> None:
    """Write lines of made-up words, some far more frequent than others, as in any language."""
    random = Random(0)
    words = ["".join(random.choices(LETTERS, k=random.randint(1, 10))) for _ in range(N_WORDS)]
    # Zipf's law: the n-th most frequent word comes 1/n times as often as the first.
    frequencies = [1 / rank for rank in range(1, N_WORDS + 1)]
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < n_bytes:
            drawn = random.choices(words, frequencies, k=100_000)
            file.writelines(" ".join(drawn[i : i + 12]) + "\n" for i in range(0, len(drawn), 12))


def peak_of_training(text: Path, tokenizer: str, *, cache: str) -> int:
    """Return the MB that a process had resident at its highest which trained on the text."""
    script = f"""
        from pathlib import Path

        import pellucid

        pellucid.train({str(text)!r}, preset="nano", tokenizer={tokenizer!r}, steps={STEPS})
        print(Path("/proc/self/status").read_text())
    """
    run = subprocess.run(
        [sys.executable, "-c", dedent(script)],
        env=os.environ | {"XDG_CACHE_HOME": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (kilobytes,) = re.findall(r"VmHWM:\s*(\d+) kB", run.stdout)
    return int(kilobytes) // 1000


if __name__ == "__main__":
    main()
