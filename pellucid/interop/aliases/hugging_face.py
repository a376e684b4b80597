"""Names of modules and parameters in `transformers`: read from the families' own tables.

A module's name stands for what it gives, `model.layers.0.mlp.down_proj` for `blocks.0.mlp.out`; a
name in `.weight` or `.bias` for a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pellucid.decoder.architecture import build_graph
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.graph import Graph
from pellucid.errors import PellucidError
from pellucid.interop.huggingface.entries import Behind, Entry, Whole
from pellucid.interop.huggingface.families import FAMILIES
from pellucid.interop.huggingface.family import place_of

HALVES = {"attn.o": "resid_mid", "mlp.out": "resid_post"}
"""The last module of each half of a block, and the stream to which that half is added."""
NUMBER = re.compile(r"\.(\d+)(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a path is in one family: one of our modules, and how that lies there."""

    module: str
    entry: Entry
    inward: bool


def translate(name: str, graph: Graph) -> str | None:
    """Our name of what `transformers` calls so, in the families that this model may be of.

    Raises:
        PellucidError: it is fused or turned round there, or something else than a tensor of ours.
    """
    if graph.config is None:
        return None
    block = found[1] if (found := NUMBER.search(name)) else ""
    path, kind = split(NUMBER.sub(".{j}", NUMBER.sub(".{i}", name, count=1), count=1))
    known = paths_of(graph.config)
    if path not in known:
        return None if kind else given_by_many(path, block, known, graph)
    if kind:
        return parameter(name, known[path], block, kind, graph)
    return output(name, known[path], block, graph)


def split(template: str) -> tuple[str, str]:
    """A module's path, and `weight` or `bias` where the name is a parameter's."""
    path, _, last = template.rpartition(".")
    return (path, last) if last in ("weight", "bias") else (template, "")


@lru_cache(maxsize=8)
def paths_of(config: ModelConfig) -> Mapping[str, tuple[Reading, ...]]:
    """Every path in the tables of the families that have all the modules of a model."""
    modules = modules_of(build_graph(config).parameters)
    paths: dict[str, tuple[Reading, ...]] = {}
    for family in FAMILIES.values():
        entries = family.entries(config)
        for module in modules if set(modules) <= entries.keys() else ():
            reading = Reading(module, entries[module], family.inward)
            path = entries[module].path
            paths[path] = tuple(dict.fromkeys((*paths.get(path, ()), reading)))
    return paths


def modules_of(parameters: Iterable[str]) -> tuple[str, ...]:
    """Our modules, each once, in the order of their use; the head too where it is tied."""
    return tuple(dict.fromkeys((*(place_of(name).module for name in parameters), "head")))


def output(name: str, readings: Sequence[Reading], block: str, graph: Graph) -> str | None:
    """The tensor that a module gives; None where the model has no such block."""
    modules = dict.fromkeys(reading.module for reading in readings)
    given = [tensor for module in modules for tensor in given_by(module, block, graph)]
    if not given:
        return None
    if len(given) > 1 or not all(isinstance(reading.entry, Whole | Behind) for reading in readings):
        raise PellucidError(
            f'"{name}" gives several tensors as one, or one in parts: here it is {listed(given)}.'
        )
    if given == ["embed.tokens"] and "embed.scaled" in graph.facts:
        raise PellucidError(
            f'"{name}" gives embed.tokens in some families and embed.scaled in others: '
            f"ask for one of these."
        )
    return given[0]


def given_by(module: str, block: str, graph: Graph) -> list[str]:
    """The output of the step that has a module's parameters, if there is one."""
    own = set(parameters_of(module, block, graph))
    steps = [node.name for node in graph.nodes if own & set(node.parameters)]
    # The matrix of a tied head is the token embedding, which reads it first.
    return steps[-1:] if module == "head" else steps[:1]


def parameters_of(module: str, block: str, graph: Graph) -> list[str]:
    """The parameters of a module; those of a tied head are the token embedding's."""
    places = {name: place_of(name) for name in graph.parameters}
    own = [n for n, place in places.items() if (place.module, place.block) == (module, block)]
    return ["token_embedding", *own] if module == "head" and "head.w" not in own else own


def parameter(
    name: str, readings: Sequence[Reading], block: str, kind: str, graph: Graph
) -> str | None:
    """The parameter of that name; None where this model has none."""
    modules = dict.fromkeys(reading.module for reading in readings)
    named = [own for module in modules for own in parameters_of(module, block, graph)]
    own = [parameter for parameter in named if place_of(parameter).kind == kind]
    if not own:
        return None
    if len(own) > 1 or not all(isinstance(reading.entry, Whole) for reading in readings):
        raise PellucidError(f'"{name}" is laid out otherwise there: here it is {listed(own)}.')
    if place_of(own[0]).is_linear:
        inward = any(reading.inward for reading in readings)
        ways = "one way round or the other by program" if inward else "[out, in] there"
        raise PellucidError(f'"{name}" lies {ways}: here it is {own[0]}, [in, out]. Ask for that.')
    return own[0]


def given_by_many(
    path: str, block: str, known: Mapping[str, tuple[Reading, ...]], graph: Graph
) -> str | None:
    """What a module of several modules gives: a block, `model.layers.3`, or a half of one."""
    for template, readings in known.items():
        modules = {reading.module for reading in readings}
        if "{i}" in template and path == template[: template.index("{i}") + len("{i}")]:
            return given_by_block(int(block), graph)
        for module in modules & HALVES.keys():
            if path == template.rpartition(".")[0]:
                # BLOOM's halves, and no others, add to the stream what they give.
                adds = "embed.norm" in graph.facts
                stream = [n for n in (f"blocks.{block}.{HALVES[module]}",) if n in graph.facts]
                given = stream if adds else given_by(module, block, graph)
                return given[0] if given else None
    return None


def given_by_block(block: int, graph: Graph) -> str | None:
    """The stream as the next block, or the head, reads it."""
    following = f"blocks.{block + 1}.resid_pre"
    if following in graph.aliases:
        return following
    if f"blocks.{block}.resid_mid" not in graph.facts:
        return None
    end = given_by("final_norm", "", graph) or given_by("head", "", graph)
    return graph.owners[end[0]].inputs[0]


def listed(names: Sequence[str]) -> str:
    """Names in a row: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
