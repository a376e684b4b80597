"""Settings that every test runs under."""

import os

from hypothesis import settings

# No truth about behaviour depends on the clock of a busy machine, and a run that passed passes
# again: to look further, `HYPOTHESIS_PROFILE=search pytest` draws other examples each time.
settings.register_profile("pellucid", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "pellucid"))
