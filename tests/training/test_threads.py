"""Matrix products use as many threads as they are told to, for as long as they are told."""

import pytest

from pellucid.errors import PellucidError
from pellucid.training.threads import blas, blas_threads, pinned


def test_threads_are_pinned_and_put_back():
    before = blas_threads()
    with pinned(1):
        assert blas_threads() == 1
        with pinned(2):
            assert blas_threads() == 2
        assert blas_threads() == 1
    assert blas_threads() == before


def test_they_are_put_back_after_an_error():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), pinned(1):
        raise ZeroDivisionError
    assert blas_threads() == before


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_there_is_at_least_one(threads):
    with pytest.raises(PellucidError, match="threads="), pinned(threads):
        pass


def test_the_library_has_a_name_and_a_version():
    assert any(character.isdigit() for character in blas())
