"""The decoder-only stack's reproduction as blocks: shapes stage by stage, figure beside figure."""

from __future__ import annotations

from pellucid.interop.lesson_3_figures import Figure, Numbers, Reproduction
from pellucid.views.scene import Block, Cell, Heading, Prose, Table

_MORE_DIGITS = 3
"""How many decimals ours show beyond the printed ones, so that a difference can be seen."""


def reproduction_blocks(found: Reproduction) -> tuple[Block, ...]:
    """Return what one variation is, its shapes, its figures and a verdict."""
    return (
        Heading(f"The decoder-only stack: {found.variation.title}", level=2),
        Prose(remarks(found)),
        stage_table(found),
        figure_table(found),
        Prose(verdict(found)),
    )


def remarks(found: Reproduction) -> str:
    """What the variation changes, and what it leaves as it was."""
    variation, (batch, length, vocab) = found.variation, found.logits.shape
    said = [
        f"Blocks hand on the shape that they are given, so {variation.n_layer} of them still give "
        f"{vocab} scores at each of {length} positions."
    ]
    if batch > 1:
        said.append(
            f"The {batch} texts go through in one pass and do not see each other: the first gives "
            "what it gives alone."
        )
    if variation.tied_head:
        said.append(
            "The head is the token embedding, transposed: a table from vocab to d_model, read the "
            "other way, maps d_model to vocab."
        )
    return " ".join(said)


def stage_table(found: Reproduction) -> Table:
    """What each stage of the forward pass hands on."""
    rows = tuple(
        (
            stage.title,
            " ".join(stage.dims),
            shape_text(stage.shape.ours),
            shape_text(stage.shape.printed),
        )
        for stage in found.stages
    )
    columns = ("stage", "dims", "ours", "printed")
    return Table("Shapes, stage by stage", columns, rows, align=("left",) * 4)


def figure_table(found: Reproduction) -> Table:
    """Every printed figure beside ours; what was never printed has ours alone."""
    return Table(
        "Figures",
        ("figure", "printed", "ours", "off by"),
        tuple(figure_row(figure) for figure in found.figures),
        align=("left",) * 4,
        note="`next`: the likeliest next token at each position. `changed on rerun`: bytes of the "
        "logits that differ once all is drawn and run again.",
    )


def figure_row(figure: Figure) -> tuple[Cell, ...]:
    """One figure; off by 0 only where the printed number is ours to the last bit."""
    ours = numbers_text(figure.ours, figure.decimals + _MORE_DIGITS if figure.decimals else 0)
    if figure.printed is None or figure.difference is None:
        return figure.name, "", ours, ""
    off_by = f"{figure.difference:.0e}" if figure.difference else "0"
    printed = numbers_text(figure.printed, figure.decimals)
    return figure.name, printed, ours, off_by if figure.agrees else f"{off_by}, wrong"


def verdict(found: Reproduction) -> str:
    """How many of the printed figures came out, and which did not."""
    compared = found.compared
    wrong = [figure.name for figure in compared if not figure.agrees]
    if not wrong:
        return f"All {len(compared)} printed figures agree."
    return f"**{len(wrong)} of {len(compared)} printed figures do not agree**: {', '.join(wrong)}."


def shape_text(shape: Numbers | None) -> str:
    """A shape as NumPy prints it."""
    return "" if shape is None else f"({', '.join(f'{size:.0f}' for size in shape)})"


def numbers_text(numbers: Numbers, decimals: int) -> str:
    """Numbers in a row; many equal ones as `8 × 1.000000`."""
    texts = [f"{number:.{decimals}f}" for number in numbers]
    if len(texts) > 1 and len(set(texts)) == 1:
        return f"{len(texts)} × {texts[0]}"
    return " ".join(texts)
