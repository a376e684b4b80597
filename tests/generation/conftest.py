"""An engine to generate with."""

import pytest

from tests.engine.small_engines import build


@pytest.fixture
def engine():
    return build()
