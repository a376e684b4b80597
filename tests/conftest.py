"""Settings that every test runs under."""

import os

import pytest
from hypothesis import settings

# No truth about behaviour depends on the clock of a busy machine, and a run that passed passes
# again: to look further, `HYPOTHESIS_PROFILE=search pytest` draws other examples each time.
settings.register_profile("pellucid", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "pellucid"))


@pytest.fixture(scope="module")
def one_torch_thread():
    """Two threads of torch beside two of NumPy get in each other's way."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
