"""What a training is going to take, as blocks: the text, the work, and the losses to beat."""

from __future__ import annotations

from math import exp, log

from pellucid.training.preflight import Preflight
from pellucid.views.costs import in_bytes
from pellucid.views.durations import duration
from pellucid.views.scene import Cell, Table


def preflight_blocks(figures: Preflight) -> tuple[Table, ...]:
    """The figures of a training before its first step."""
    return text_table(figures), work_table(figures), baseline_table(figures)


def text_table(figures: Preflight) -> Table:
    """What there is to learn from."""
    documents = "document" if figures.documents == 1 else "documents"
    held_out = figures.validation_tokens / figures.tokens
    return facts(
        "The text",
        ("characters", f"{figures.characters:,} in {figures.documents:,} {documents}"),
        ("tokens", f"{figures.tokens:,} ({figures.tokenizer})"),
        ("tokens per character", f"{figures.tokens_per_character:.3f}"),
        ("vocabulary", f"{figures.vocab_size:,}"),
        ("to train on", f"{figures.training_tokens:,} tokens"),
        ("held out", f"{figures.validation_tokens:,} tokens, {held_out:.0%}"),
        ("kept in the end", kept(figures)),
    )


def kept(figures: Preflight) -> str:
    """Which model the run will be."""
    if figures.by_heart:
        return "the last model: so short a text is learned by heart"
    return "the last model" if figures.keeps_last else "the best model on what is held out"


def work_table(figures: Preflight) -> Table:
    """What the training takes."""
    there = (
        ""
        if figures.memory_there is None
        else f" of {in_bytes(figures.memory_there)} that are there"
    )
    threads = "thread" if figures.threads == 1 else "threads"
    taken = f", {figures.steps_taken:,} of them taken" if figures.steps_taken else ""
    shrunk = len(figures.decayed)
    engine = (("engine", engine_words(figures)),) if figures.engine != "numpy" else ()
    return facts(
        "The work",
        ("parameters", f"{figures.parameters:,}"),
        (
            "weight decay",
            f"on {shrunk} matrices, not on {len(figures.not_decayed)} embeddings, norms and biases",
        ),
        ("steps", f"{figures.steps:,}{taken}"),
        (
            "tokens per step",
            f"{figures.tokens_per_step:,}, in windows of {figures.block_size:,}",
        ),
        ("the text is seen", f"{figures.epochs:.3g} times"),
        *engine,
        ("FLOPs per step", f"{figures.flops_per_step:.3g}"),
        ("memory", f"{in_bytes(figures.memory_needed)}{there}"),
        (
            "time per step",
            f"{figures.seconds_per_step:.3g} s, by a short timing on {figures.threads} {threads}",
        ),
        ("in all", f"{duration(figures.seconds)}, validation and samples aside"),
    )


def engine_words(figures: Preflight) -> str:
    """What PyTorch trains on."""
    if figures.processes == 1:
        return f"PyTorch on {figures.device}"
    shared = {
        "none": "each with the whole model",
        "full": "with the model divided among them",
        "hybrid": "with the model divided within each machine",
    }[figures.sharding]
    return f"PyTorch on {figures.device}, {figures.processes} processes {shared}"


def baseline_table(figures: Preflight) -> Table:
    """What a model of this text has to beat."""
    per_byte = figures.tokens / figures.bytes
    rows = (
        ("uniform", figures.baselines.uniform, "that there are so many tokens"),
        ("unigram", figures.baselines.unigram, "how often each token occurs"),
        ("bigram", figures.baselines.bigram, "which token follows which, and how often"),
    )
    return Table(
        None,
        ("To beat", "nats/token", "bits/byte", "perplexity", "knows"),
        tuple(
            (name, f"{nats:.4f}", f"{nats / log(2) * per_byte:.4f}", f"{exp(nats):.2f}", knows)
            for name, nats, knows in rows
        ),
        align=("left", "right", "right", "right", "left"),
        note="Of the whole text: the mean loss of one who knows just this much about it.",
    )


def facts(title: str, *rows: tuple[Cell, ...]) -> Table:
    """Names with what there is to say of each, the title over the names."""
    return Table(None, (title, ""), rows, align=("left", "left"))
