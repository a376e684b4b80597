"""Engines to test: one of each kind, or the plainest."""

import pytest

from tests.engine.small_engines import build
from tests.small_models import OPTIONS


@pytest.fixture(params=OPTIONS)
def each_engine(request):
    return build(request.param)


@pytest.fixture
def engine():
    return build()
