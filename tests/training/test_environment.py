"""Where a training runs is known, and told apart from elsewhere."""

import platform

import msgspec
import numpy as np

from pellucid.training.environment import Environment
from pellucid.training.threads import pinned


def test_it_is_this_machine_with_these_versions():
    here = Environment.here()
    assert here.numpy == np.__version__
    assert here.python == platform.python_version()
    assert here.differences(Environment.here()) == []


def test_another_number_of_threads_is_another_environment():
    with pinned(1):
        one = Environment.here()
    with pinned(2):
        two = Environment.here()
    assert one.differences(two) == ["threads 2 instead of 1"]


def test_every_difference_is_named():
    here = Environment.here()
    for name in here.__struct_fields__:
        other = msgspec.structs.replace(here, **{name: "another"})
        assert here.differences(other) == [f"{name} another instead of {getattr(here, name)}"]
