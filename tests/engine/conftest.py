"""Engines to test: one of each kind, or the plainest."""

import pytest

from tests.engine.small_engines import build
from tests.small_models import OF_ANY_LENGTH, OPTIONS


@pytest.fixture(params=OPTIONS)
def each_engine(request):
    return build(request.param)


@pytest.fixture(params=OF_ANY_LENGTH)
def engine_of_any_length(request):
    return build(request.param)


@pytest.fixture
def engine():
    return build()
