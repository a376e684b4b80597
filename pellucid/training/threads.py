"""How many threads multiply matrices: sums come out otherwise with another number of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

# The controller finds the libraries that are loaded: NumPy's must be.
import numpy  # noqa: F401
from threadpoolctl import ThreadpoolController

from pellucid.training.checks import check_count


@lru_cache(maxsize=1)
def controller() -> ThreadpoolController:
    """The one controller: to make one takes far longer than to use it."""
    return ThreadpoolController()


def blas_threads() -> int:
    """How many threads NumPy's matrix products use now."""
    counts = [pool["num_threads"] for pool in controller().info() if pool["user_api"] == "blas"]
    return max(counts, default=1)


def threads_of(engine: str) -> int:
    """How many threads the matrix products of an engine use now."""
    if engine == "numpy":
        return blas_threads()
    import torch

    return int(torch.get_num_threads())


@contextmanager
def pinned(threads: int, engine: str = "numpy") -> Iterator[None]:
    """Have matrix products use so many threads, and as many as before afterwards.

    Raises:
        PellucidError: the number is not positive.
    """
    check_count("threads", threads, 1)
    with controller().limit(limits=threads, user_api="blas"):
        if engine == "numpy":
            yield
            return
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def blas() -> str:
    """The library of NumPy's matrix products, with its version and the kernels it has chosen."""
    pools = [pool for pool in controller().info() if pool["user_api"] == "blas"]
    names = (
        " ".join(str(pool.get(key) or "") for key in ("internal_api", "version", "architecture"))
        for pool in pools
    )
    return ", ".join(sorted(set(names)))
