"""How a number was made, as something to look at: formula, products, operands, what is below."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pellucid.decoder.names import scope_of, shorten
from pellucid.ops.evidence import ALL, label_at
from pellucid.ops.figures import bracketed, figure, in_latex
from pellucid.ops.term import Operands
from pellucid.trace.explanation import Explanation, Key
from pellucid.views.markup import escape
from pellucid.views.scene import Bars, Block, Equation, Heading, Prose, Table
from pellucid.views.tree import Branch, Tree

SHOWN = 8
"""How many products are shown, unless all are asked for."""
DIGITS = 3
"""How many digits the factors of a product have: enough to see, few enough to fit."""
FOLLOWED = 2
"""How many products a branch of the tree follows, beside the operands alone in their role."""


def explanation_blocks(
    explanation: Explanation, *, depth: int = 2, shown: int | None = SHOWN
) -> tuple[Block, ...]:
    """An explanation, and what its operands were made of in turn.

    Args:
        explanation: of a value or a gradient.
        depth: how many levels to follow below it.
        shown: how many products to show; None for all.
    """
    blocks: list[Block] = [
        Heading(f"{said(explanation)} = {figure(explanation.value)}", level=2),
        Prose(escape(explanation.title)),
        Equation(written(explanation), typeset(explanation)),
    ]
    if len(explanation.contributions) > 1:
        blocks.append(product_bars(explanation, shown))
    if not explanation.is_leaf:
        blocks += [operand_table(explanation), Prose(proof(explanation))]
        if depth:
            root = branch(explanation, depth, block_scope(explanation.name), set())
            blocks.append(Tree("What it was made of", root))
    return tuple(blocks)


def written(explanation: Explanation) -> str:
    """The formula, symbolic and with numbers, one below the other."""
    name, value = said(explanation, own_scope(explanation)), figure(explanation.value)
    if explanation.is_leaf:
        return f"{name} = {value}\n{explanation.formula}"
    steps = [explanation.formula, explanation.substituted, value]
    return f"{name} = " + "\n= ".join(dict.fromkeys(steps))


def typeset(explanation: Explanation) -> str:
    """The same in LaTeX."""
    name = explanation.latex_cell(own_scope(explanation))
    value = in_latex(figure(explanation.value))
    lines = [explanation.latex, explanation.latex_substituted, value]
    right = [f"= {line}" for line in dict.fromkeys(lines)]
    if explanation.is_leaf:
        right = [f"= {value}", explanation.latex]
    rows = r" \\ &".join(right)
    return rf"\begin{{aligned}} {name} &{rows} \end{{aligned}}"


def own_scope(explanation: Explanation) -> str:
    """The scope of the step that a number belongs to."""
    owner = explanation.explainer.trace.graph.owners.get(explanation.name)
    return scope_of(explanation.name if owner is None else owner.name)


def product_bars(explanation: Explanation, shown: int | None) -> Bars:
    """What each product adds, the largest first, and the rest as one."""
    every = explanation.contributions
    first = every[:shown]
    items = [(product(explanation, i), each.value) for i, each in enumerate(first)]
    shares = [each.share for each in first]
    if left := len(every) - len(first):
        rest = every.rest(len(first))
        items.append((f"{left:,} more", rest.value))
        shares.append(rest.share)
    is_sum = explanation.derivation.rule is None
    return Bars(
        "What each product adds" if is_sum else "What each operand weighs",
        tuple(items),
        note=f"Together {figure(every.total)}{'' if is_sum else ', which the formula goes on with'}"
        f". Percentages are of the sum of {figure(every.size)} without the signs.",
        shares=tuple(shares),
        whole=shown is None,
    )


def product(explanation: Explanation, i: int) -> str:
    """The i-th product in short: where it stands among the others, and its factors."""
    groups = explanation.derivation.operands
    factors = [(groups[group], at) for group, at in explanation.contributions.factors(i)]
    # A factor of 1 that is no tensor's cell only says that a number is handed on.
    numbers = [o.values[at] for o, at in factors if o.name or o.sources or o.values[at] != 1]
    scale = explanation.contributions[i].scale
    sign = "−" if scale == -1 else ""
    if abs(scale) != 1:
        numbers.append(scale)
    figures = [bracketed(number, DIGITS) for number in numbers]
    return f"{standing(explanation, *factors[0])}: {sign}{' × '.join(figures)}"


def standing(explanation: Explanation, operands: Operands, i: int) -> str:
    """Where an operand stands along the dims that its sum runs over, or else its role."""
    tensor = explanation.explainer.tensor(operands.name)
    cell = dict(zip(tensor.dims, operands.cell(i), strict=True))
    places = [
        label_at(tensor.labels[dim], cell[dim]) if dim in tensor.labels else f"{dim} {cell[dim]}"
        for dim in moving_dims(tensor.dims, operands)
        if len(operands) > 1
    ]
    roles = [group.role for group in explanation.derivation.operands]
    # Several readers of one number are told apart by their names.
    reader = shorten(operands.name, scope_of(explanation.name))
    named = [reader] if roles.count(operands.role) > 1 else []
    return " ".join([*named, ", ".join(places)]).strip() or operands.role


def operand_table(explanation: Explanation) -> Table:
    """The operands by role: a cell with its value, or where the cells of a sum stand."""
    rows: list[tuple[str, str, str]] = []
    for group in explanation.derivation.operands:
        number = figure(group.values[0]) if len(group) == 1 else f"{len(group):,} numbers"
        rows.append((group.role, cells(explanation, group), number))
    return Table("The operands", ("role", "cells", "value"), tuple(rows))


def cells(explanation: Explanation, group: Operands) -> str:
    """The cells of a group: one by its name and place, several by the dims that they run along."""
    if not group.name:
        made_of = ", ".join(said_of(explanation, source) for source in group.sources)
        return f"worked out of {made_of}" if made_of else "a constant"
    if len(group) == 1:
        return said_of(explanation, group)
    dims = moving_dims(explanation.explainer.tensor(group.name).dims, group)
    return f"{said_of(explanation, group)}, along {' and '.join(dims)}"


def said_of(explanation: Explanation, group: Operands) -> str:
    """How a group reads: its only cell, or what its cells have in common."""
    seen = explanation.explainer.seen(group.name, block_scope(explanation.name))
    if len(group) == 1:
        return seen.say(*group.cell(0))
    return seen.say(*(ALL if np.ndim(place) else place for place in group.index))


def moving_dims(dims: Sequence[str], group: Operands) -> list[str]:
    """The dims along which the cells of a group differ."""
    return [dim for dim, place in zip(dims, group.index, strict=True) if np.ndim(place)]


def proof(explanation: Explanation) -> str:
    """The value worked out again, and what rounding allows."""
    again = f"Worked out again in float64: {figure(explanation.recomputed)}"
    if explanation.error == 0:
        return f"{again}, exactly the stored value."
    return (
        f"{again}. The stored value is {explanation.error:.1e} away from it, "
        f"where rounding allows {explanation.tolerance:.1e}."
    )


def branch(explanation: Explanation, depth: int, scope: str, met: set[Key]) -> Branch:
    """An explanation as a branch, followed to a depth; a cell met before is not followed again."""
    name, value = said(explanation, scope), explanation.value
    if explanation.key in met:
        return Branch(name, value, "as above")
    met.add(explanation.key)
    if explanation.is_leaf or not depth:
        return Branch(name, value, explanation.formula)
    followed = [branch(each, depth - 1, scope, met) for each in explanation.operands(FOLLOWED)]
    left = sum(o.number_of_cells for o in explanation.derivation.operands) - len(followed)
    more = f"… {left:,} more operand{'s' if left > 1 else ''}" if left else ""
    return Branch(name, value, explanation.formula, tuple(followed), more)


def block_scope(name: str) -> str:
    """The prefix of the block that a tensor stands in, or nothing."""
    return ".".join(name.split(".")[:2]) + "." if name.startswith("blocks.") else ""


def said(explanation: Explanation, scope: str = "") -> str:
    """A cell by name and place, as it reads within a scope: `attn.scores[am, i]`."""
    where = f"[{explanation.where}]" if explanation.where else ""
    gradient = "∂loss/∂" if explanation.kind == "gradient" else ""
    return f"{gradient}{shorten(explanation.name, scope)}{where}"
