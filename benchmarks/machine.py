"""What the numbers were measured on, and which commit."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Some machines set these against faults of old OpenBLAS builds; they hold a current one back."""


def describe() -> dict[str, str]:
    """Facts about commit, machine and versions, by title."""
    threads = len(os.sched_getaffinity(0))
    return {
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{processor()}, {threads} cores",
        "load before": f"{os.getloadavg()[0]:.2f} processes (over a minute)",
        "NumPy's BLAS": blas(),
        "versions": ", ".join(
            [f"Python {platform.python_version()}"]
            + [f"{name} {installed(name)}" for name in ("numpy", "torch", "transformers")]
        ),
    }


def commit() -> str:
    """The commit that was measured, and whether tracked files differ from it."""
    sha = git("rev-parse", "--short", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":!benchmarks/RESULTS.md")
    return f"{sha}, with changes" if changed else sha


def git(*arguments: str) -> str:
    """What a git command prints."""
    here = Path(__file__).parent
    done = subprocess.run(("git", *arguments), cwd=here, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def processor() -> str:
    """The processor's model name, where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def blas() -> str:
    """The BLAS under NumPy, the kernel it chose for this processor, and its threads."""
    np.ones((2, 2)) @ np.ones((2, 2))
    libraries = [
        library
        for library in threadpool_info()
        if library["user_api"] == "blas" and "numpy" in library["filepath"]
    ]
    if not libraries:
        return "unknown"
    first = libraries[0]
    return (
        f"{first['internal_api']} {first['version']}, kernel {first.get('architecture', 'unknown')}"
        f", {first['num_threads']} threads"
    )


def installed(package: str) -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except ModuleNotFoundError:
        return "(not installed)"
