"""Known shapes have the sizes that they are known for."""

import pytest

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.parameters import parameter_specs
from pellucid.decoder.presets import PRESETS, preset
from pellucid.errors import PellucidError

COUNTS = {
    "baby-groot": 968,
    "lesson-3": 103_704,
    "nano": 813_824,
    "micro": 2_712_576,
    "mini": 10_782_720,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "gpt2-large": 774_030_080,
    "gpt2-xl": 1_557_611_200,
}


@pytest.mark.parametrize("name", PRESETS)
def test_parameters_are_counted(name):
    specs = parameter_specs(build_graph(preset(name)))
    assert sum(spec.size for spec in specs.values()) == COUNTS[name]


def test_every_preset_is_found_by_its_name():
    assert {name: preset(name) for name in PRESETS} == PRESETS
    assert set(PRESETS) == set(COUNTS)


def test_an_unknown_preset_is_answered_with_near_ones():
    with pytest.raises(PellucidError, match=r'no preset "gpt2-larg"\. Did you mean gpt2-large'):
        preset("gpt2-larg")
    with pytest.raises(PellucidError, match=r'no preset "zzz"\. There are baby-groot, .*gpt2-xl'):
        preset("zzz")
