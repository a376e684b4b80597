"""What stands for a whole object when it is shown by itself: a trace, a tensor, or blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pellucid.analysis.agreement import Agreement
from pellucid.analysis.head_summary import HeadSummary
from pellucid.analysis.lens_reading import LensReading
from pellucid.analysis.pair import Pair, PairedTensor
from pellucid.analysis.patching import Patching
from pellucid.analysis.rollout import Rollout
from pellucid.decoder.config import ModelConfig
from pellucid.decoder.costs import costs
from pellucid.decoder.graph import Fact, Graph
from pellucid.generation.step import Step
from pellucid.trace.budget import sizes_of
from pellucid.trace.check import Check
from pellucid.trace.comparison import Comparison
from pellucid.trace.explanation import Explanation
from pellucid.trace.paths import Paths
from pellucid.trace.tensor import TracedTensor
from pellucid.trace.trace import Trace
from pellucid.views.catalogue.head_shares import rollout
from pellucid.views.check import check_blocks
from pellucid.views.comparison import comparison_blocks
from pellucid.views.costs import costs_blocks
from pellucid.views.edits import said_of
from pellucid.views.explanation import explanation_blocks
from pellucid.views.generation import step_blocks
from pellucid.views.heads import heads_blocks
from pellucid.views.lens import lens_blocks
from pellucid.views.markup import escape
from pellucid.views.pair import paired_tensor_blocks, two_prompts
from pellucid.views.patching import agreement_blocks, patching_blocks
from pellucid.views.paths import paths_blocks
from pellucid.views.scene import (
    Block,
    Equation,
    GraphDiagram,
    Heading,
    Matrix,
    Prose,
    Row,
    Scene,
    Table,
)

_RUNS = ("TrainingRun", "TextRun")
_FILMS = ("Film", "FilmTrace")
_MOST_MATRICES = 8
_MOST_TOKENS = 12


def blocks_of(thing: object) -> tuple[Block | Scene, ...]:
    """The blocks that show `thing`; a sequence is shown part by part.

    Raises TypeError when there is no view of such a thing.
    """
    match thing:
        case Trace():
            return (trace_table(thing),)
        case TracedTensor():
            return tensor_blocks(thing)
        case Check():
            return check_blocks(thing)
        case Comparison():
            return comparison_blocks(thing)
        case Explanation():
            return explanation_blocks(thing)
        case Pair():
            return two_prompts(thing)
        case PairedTensor():
            return paired_tensor_blocks(thing)
        case Patching():
            return patching_blocks(thing)
        case Agreement():
            return agreement_blocks(thing)
        case Paths():
            return paths_blocks(thing)
        case LensReading():
            return lens_blocks(thing)
        case HeadSummary():
            return heads_blocks(thing)
        case Rollout():
            return rollout(thing)
        case Step():
            return step_blocks(thing)
        case Graph():
            return (GraphDiagram(None, thing, depth="block"),)
        case ModelConfig():
            return config_blocks(thing)
        case _ if type(thing).__name__ in _RUNS:
            # Trainings are imported where there is one: they bring much along.
            from pellucid.views.runs import run_blocks

            return run_blocks(thing)  # type: ignore[arg-type]
        case _ if type(thing).__name__ in _FILMS:
            from pellucid.views.film import blocks_of_film

            return blocks_of_film(thing)  # type: ignore[arg-type]
        case str() | bytes():
            pass
        case _ if isinstance(thing, Block | Scene):
            return (thing,)
        case _ if isinstance(thing, Iterable):
            return tuple(block for part in thing for block in blocks_of(part))
    raise TypeError(f"there is no view of a {type(thing).__name__}")


def config_blocks(config: ModelConfig) -> tuple[Block, ...]:
    """A config beside the parameters that it makes, and what these cost."""
    shape = costs(config)
    title = f"A model of {shape.n_parameters:,} parameters"
    heading, options, parameters, *rest = costs_blocks(title, shape)
    return (heading, Row((options, parameters)), *rest)


def trace_table(trace: Trace) -> Table:
    """List the tensors of a trace in the order they were computed; equal blocks are listed once."""
    listed, alike = _without_repeats(trace.names)
    facts = [trace.graph.facts[name] for name in listed]
    # Of the dims: asking a stored tensor for its own shape would read its file.
    sizes = sizes_of(trace.graph, len(trace.ids))
    notes = [escape(said) for said in said_of(trace)]
    if alike:
        notes.append(f"{alike} the same tensors as blocks.0.")
    if trace.targets is not None:
        notes.append(f"Loss {trace.loss:.4f} nats; {len(trace.gradients)} gradients in `.grad`.")
    return Table(
        title=f"Trace of {_counted(trace.tokens)}",
        columns=("tensor", "dims", "shape", "what it is"),
        rows=tuple(
            (
                fact.name,
                " ".join(fact.dims),
                "×".join(str(sizes[dim]) for dim in fact.dims),
                _short(trace.graph, fact),
            )
            for fact in facts
        ),
        align=("left", "left", "right", "left"),
        note=" ".join(notes) or None,
    )


def tensor_blocks(tensor: TracedTensor) -> tuple[Block, ...]:
    """A tensor as one matrix, or as a row of them: one for each head, or for some steps."""
    matrices = Matrix.each(tensor)
    notes = () if tensor.written is None else (Prose(writing(tensor.written)),)
    if len(matrices) == 1:
        return (*matrices, *notes)
    whole = tensor.title or tensor.name
    parts = tuple(
        replace(
            matrix,
            title=matrix.title.removeprefix(f"{whole}, "),
            name=None,
            equation=None,
            latex=None,
        )
        for matrix in shown_of(tensor, matrices)
    )
    blocks: list[Block] = [Heading(f"{whole}   {tensor.name}", level=3)]
    if tensor.equation:
        blocks.append(Equation(tensor.equation, tensor.latex or None))
    blocks.append(Row(parts))
    if len(parts) < len(matrices):
        last = f"to {escape(parts[-1].title)}"
        which = f"from {escape(parts[0].title)} {last}" if tensor.dims[0] == "step" else last
        blocks.append(
            Prose(
                f"Shown: {len(parts)} of {len(matrices)}, {which}; "
                f"`.values` of {escape(tensor.name)} has all {tensor.values.size:,} numbers."
            )
        )
    return (*blocks, *notes)


def shown_of(tensor: TracedTensor, matrices: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
    """The first matrices of many; of those of a training some from its beginning to its end."""
    if tensor.dims[:1] != ("step",) or len(matrices) <= _MOST_MATRICES:
        return matrices[:_MOST_MATRICES]
    last = len(matrices) - 1
    return tuple(
        matrices[round(last * place / (_MOST_MATRICES - 1))] for place in range(_MOST_MATRICES)
    )


def writing(written: tuple[int, ...]) -> str:
    """Which step of a generation wrote each key: those of a prompt at once, then one a step."""
    first = written[0]
    at_once = written.count(first)
    keys = "Key 0 was" if at_once == 1 else f"Keys 0 to {at_once - 1} were"
    said = f"{keys} written in step {first + 1} of the generation"
    if at_once < len(written):
        steps = f"{written[at_once] + 1} to {written[-1] + 1}"
        said += f", then one in each step, {steps}"
    return said + "."


def _without_repeats(names: tuple[str, ...]) -> tuple[list[str], str | None]:
    """The names without those of blocks that hold just what block 0 holds, and words for these."""
    inside: dict[str, list[str]] = {}
    for name in names:
        if name.startswith("blocks."):
            _, block, local = name.split(".", 2)
            inside.setdefault(block, []).append(local)
    alike = [block for block in inside if block != "0" and inside[block] == inside.get("0")]
    listed = [name for name in names if name.split(".")[1:2] not in ([block] for block in alike)]
    if not alike:
        return listed, None
    if len(alike) == 1:
        return listed, f"blocks.{alike[0]} holds"
    if len(alike) == int(alike[-1]) - int(alike[0]) + 1:
        return listed, f"blocks.{alike[0]} to blocks.{alike[-1]} hold"
    return listed, f"blocks.{', '.join(alike)} hold"


def _counted(tokens: tuple[str, ...]) -> str:
    shown = " ".join(tokens[:_MOST_TOKENS]) + (" …" if len(tokens) > _MOST_TOKENS else "")
    return f"{len(tokens)} token{'' if len(tokens) == 1 else 's'}: {shown}"


def _short(graph: Graph, fact: Fact) -> str:
    """What a title says before its first pause; an intermediate's says whose it is, then what.

    Where a neighbour's says the same before it, what tells them apart is added.
    """
    rest = fact.title.partition(": ")[2]
    if graph.owners[fact.name].name != fact.name:
        return rest
    folder = fact.name.rpartition(".")[0]
    alike = [
        other
        for other in graph.facts.values()
        if other.name.rpartition(".")[0] == folder and _head(other) == _head(fact)
    ]
    return f"{_head(fact)}, {rest}" if rest and len(alike) > 1 else _head(fact)


def _head(fact: Fact) -> str:
    return fact.title.partition(": ")[0].partition(",")[0]
