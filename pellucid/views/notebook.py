"""The notebook's own training as blocks: its ten losses beside ours, and what else it prints."""

from __future__ import annotations

from pellucid.interop.lesson_3_figures import Figure
from pellucid.interop.notebook import LOSS_DECIMALS, PRINTED_TEXTS, THREADS, NotebookTraining
from pellucid.views.lesson_3 import figure_row
from pellucid.views.scene import Block, Cell, Heading, Prose, Table

HEADING = Heading("BabyGrootGPT: trained as in its notebook", level=2)


def notebook_blocks(found: NotebookTraining) -> tuple[Block, ...]:
    """Return how it was trained, both columns of losses, a verdict, and the figures after it."""
    return (
        HEADING,
        Prose(recipe(found)),
        loss_table(found),
        Prose(verdict(found)),
        later_table(found),
        Prose(reasons()),
    )


def absent_blocks() -> tuple[Block, ...]:
    """Return what is said where PyTorch is not installed."""
    return (
        HEADING,
        Prose(
            "Left out: the notebook trains with PyTorch, which is not installed. Where it is, that "
            "training is made again here, and its ten losses stand beside ours."
        ),
        Prose("To install it: `pip install 'pellucid[torch]'`"),
    )


def recipe(found: NotebookTraining) -> str:
    """What was run, and under which conditions."""
    threads = "1 thread" if found.threads == 1 else f"{found.threads} threads"
    return (
        f"As its notebook does, with torch {found.torch}: seed 42, the modules made in its order, "
        f"its shuffled batches of 16, Adam at a rate of 0.01, {len(found.history)} epochs. In a "
        f"process of its own with {threads}, on vectors of 256 bits where the processor has them: "
        "both decide in which order numbers are added up."
    )


def loss_table(found: NotebookTraining) -> Table:
    """The printed losses beside ours."""
    return Table(
        "Mean of the batches' means, in nats",
        ("", "printed", "ours", "off by"),
        tuple(loss_row(figure) for figure in found.losses),
        align=("left", "right", "right", "right"),
    )


def loss_row(figure: Figure) -> tuple[Cell, ...]:
    """One loss; what does not agree says so."""
    name, printed, ours, off_by = figure_row(figure)
    return name, printed, ours, str(off_by).replace("wrong", "other digits")


def verdict(found: NotebookTraining) -> str:
    """How many of the ten losses are ours."""
    same, whole = sum(bool(figure.agrees) for figure in found.losses), len(found.losses)
    if same == whole:
        return f"All {whole} losses agree to {LOSS_DECIMALS} decimals."
    if found.is_near:
        rest = "the other is" if whole - same == 1 else f"the other {whole - same} are"
        return (
            f"{same} of {whole} losses agree to {LOSS_DECIMALS} decimals; {rest} within "
            f"{found.off_by:.4f}. That is rounding: here the same numbers are added up in another "
            f"order. With {THREADS} threads and vectors of 256 bits all {whole} agree."
        )
    return (
        f"**The losses do not agree**: they are up to {found.off_by:.4f} apart, more than the "
        "order of sums explains. Another release of torch may draw other numbers from its seed."
    )


def later_table(found: NotebookTraining) -> Table:
    """What the notebook prints of the finished model."""
    attention, end = found.attention, found.end
    printed, ours = (shares(each) for each in (attention.printed or (), attention.ours))
    rows: list[tuple[Cell, ...]] = [
        (f"“{prompt}” becomes", text, found.texts[prompt], same(found.texts[prompt] == text))
        for prompt, text in PRINTED_TEXTS.items()
    ]
    rows.append(("“am” looks at <START>, “i”, itself", printed, ours, same(attention.agrees)))
    rows.append(("<END> after “i am groot”", "93.99 %", f"{end.ours[0]:.2f} %", same(end.agrees)))
    return Table(
        f"After the last epoch: the loss over all pairs is {found.loss:.4f} here",
        ("", "printed", "ours", ""),
        tuple(rows),
        align=("left",) * 4,
    )


def shares(percents: tuple[float, ...]) -> str:
    """Shares in percent, as the notebook writes them."""
    return ", ".join(f"{percent:.1f}" for percent in percents) + " %"


def same(agrees: bool | None) -> str:
    """Whether ours is the printed one."""
    return "same" if agrees else "other"


def reasons() -> str:
    """Which of the notebook's figures can be made again, which cannot, and why."""
    return (
        "**What can be reproduced.** The ten losses; and what the sentences themselves leave no "
        "choice in: after “i am” and after “tree needs” they go on in one way only. "
        "**What cannot.** Everything that is read off the finished model: the shares of attention, "
        "93.99 %, “groot likes leaf”. The last printed loss is of epoch 450. In the 50 epochs "
        "after it a rate that never falls lets each small batch throw the parameters about, and "
        "differences of the last bit grow until they decide what the model says. So these figures "
        "are one ending among many. Which one the notebook saw, its machine decided, of which it "
        "says nothing. Other endings: `pellucid reproduce baby-groot --threads 1`, or 4; all of "
        "them side by side: `pellucid tour --part 2`."
    )
