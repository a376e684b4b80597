"""How tokens look at each other: queries, keys and values; scores, pattern, mixture, flow."""

from __future__ import annotations

from dataclasses import replace

from pellucid.trace.trace import Trace
from pellucid.views.catalogue.places import bare, columns_of_head, of_block, of_head, side_by_side
from pellucid.views.scene import Block, Flow, Matrix, Row


def queries_keys_values(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """What each token looks for, is found by, and hands over: Q, K and V of one head."""
    names = {"q": "Queries Q", "k": "Keys K", "v": "Values V"}
    return (side_by_side(*(vectors(trace, block, head, *each) for each in names.items())),)


def vectors(trace: Trace, block: int, head: int, name: str, title: str) -> Matrix:
    """One head's queries, keys or values, with the equation that made those of all heads."""
    matrix = of_head(trace, of_block(trace, block, f"attn.{name}"), head, title=title)
    made = trace.graph.facts[f"{matrix.name}_flat"]
    return replace(matrix, equation=made.equation, latex=made.latex or None)


def projection_weights(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """The learned matrices that make queries, keys and values: those columns of one head."""
    names = {"w_q": "Weights W_Q", "w_k": "Weights W_K", "w_v": "Weights W_V"}
    return (
        side_by_side(
            *(
                columns_of_head(trace, of_block(trace, block, f"attn.{name}"), head, title=title)
                for name, title in names.items()
            )
        ),
    )


def scores(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """How well each query matches each key, before the mask: about zero, blue for a good match."""
    title = "Scores: how well queries match keys"
    return (of_head(trace, of_block(trace, block, "attn.scores"), head, title=title),)


def masked_scores(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """The scores with the future shut out: −∞ for every key that stands after its query."""
    title = "Masked scores: the future is shut out"
    return (of_head(trace, of_block(trace, block, "attn.masked_scores"), head, title=title),)


def pattern(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """How each token shares out its attention: each row adds up to 1, the future gets nothing."""
    title = "Attention pattern A: each row adds up to 1"
    return (of_head(trace, of_block(trace, block, "attn.pattern"), head, title=title),)


def mixture(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """What each token gathers: the values of those that it looks at, mixed by its shares."""
    shares = of_head(trace, of_block(trace, block, "attn.pattern"), head, title="Pattern A")
    values = of_head(trace, of_block(trace, block, "attn.values"), head, title="times values V")
    mixed = of_head(trace, of_block(trace, block, "attn.z"), head, title="= mixture A·V")
    return (Row((bare(shares), *side_by_side(bare(values), mixed).blocks)),)


def flow(trace: Trace, *, block: int = 0, head: int = 0) -> tuple[Block, ...]:
    """Who looks at whom: each token joined to those it takes from, wider for larger shares."""
    shares = of_head(trace, of_block(trace, block, "attn.pattern"), head, title="Who looks at whom")
    return (Flow(shares.title, shares.values, shares.rows, shares.columns, name=shares.name),)
