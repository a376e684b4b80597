"""Settings that every test runs under."""

from hypothesis import settings

# No truth about behaviour depends on the clock of a busy machine.
settings.register_profile("pellucid", deadline=None)
settings.load_profile("pellucid")
