"""Engines on small decoders, a batch to run them on, and what can be seen of a run."""

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.graph import GRAPH_INPUTS
from pellucid.engine.numpy_engine import NumpyEngine
from tests.small_models import SMALL, next_targets, random_ids, random_parameters, small_config

IDS = random_ids(SMALL)
TARGETS = next_targets(IDS)
GIVEN = {"ids": IDS, "targets": TARGETS}


def build(option="as it is", **how):
    config = small_config(option)
    return NumpyEngine(build_graph(config), random_parameters(config, **how))


def kept(run):
    """The names that a run kept, beside what it was given."""
    return set(run.values) - set(GRAPH_INPUTS)


def watch(seen):
    """An intervention that changes nothing and notes what it is handed."""

    def look(name, x):
        seen.append(name)
        return x

    return look
