"""Who contributed to a number along the residual stream, as something to look at."""

from __future__ import annotations

from pellucid.ops.figures import figure
from pellucid.trace.paths import Paths
from pellucid.views.markup import escape
from pellucid.views.scene import Bars, Block, Heading, Prose


def paths_blocks(paths: Paths) -> tuple[Block, ...]:
    """The components as signed bars, the largest first, and what their sum is worth."""
    return (
        Heading(f"{said(paths)} = {figure(paths.value)}", level=2),
        Prose(escape(paths.title)),
        Bars("What each component adds", contributions(paths), note=proof(paths)),
        Prose(escape(terms_of_reading(paths))),
    )


def said(paths: Paths) -> str:
    """The number by name and place; two, where it is a difference."""
    first = f"{paths.name}[{paths.where}]"
    return first if paths.minus is None else f"{first} − {paths.name}[{paths.minus_where}]"


def contributions(paths: Paths) -> tuple[tuple[str, float], ...]:
    """The largest components, and the rest as one."""
    shown = paths.top()
    items = [(path.component, path.contribution) for path in shown]
    if left := len(paths.components) - len(shown):
        items.append((f"{left:,} more", paths.rest))
    return tuple(items)


def proof(paths: Paths) -> str:
    """The sum beside the stored value."""
    total = f"Together {figure(paths.total)}"
    if paths.error == 0:
        return f"{total}, exactly the stored value."
    away = f"{total}, {abs(paths.error):.1e} away from the stored value"
    if abs(paths.error) <= paths.tolerance:
        return f"{away}."
    return f"{away}, where rounding allows {paths.tolerance:.1e}: this is not the whole of it."


def terms_of_reading(paths: Paths) -> str:
    """What is counted with a component, and what is held as it was."""
    direct = (
        "Each number is what the component itself adds to the stream; "
        "what later ones make of it counts with them."
    )
    if not paths.norms:
        return direct
    norms = f"The norm on the way, {paths.norms[0]}, is"
    if len(paths.norms) > 1:
        norms = f"The {len(paths.norms):,} norms on the way are"
    return (
        f"{direct} {norms} taken with the scale (1 / standard deviation) of this run; "
        "a shift is a component of its own."
    )
