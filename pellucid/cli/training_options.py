"""What may be asked of a training; what is not given is as the preset has it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pellucid.cli import options


def option(flag: str, metavar: str, said: str, **checks: Any) -> Any:
    """An option with a value."""
    return typer.Option(flag, metavar=metavar, help=said, **checks)


Texts = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TEXT]...",
        help="Files, folders, patterns, or - for standard input; without any, a few stories.",
    ),
]
Preset = Annotated[
    str | None,
    option("--preset", "NAME", "The shape: nano, the smallest; micro or mini; or baby-groot."),
]
Out = Annotated[
    str | None, option("--out", "RUN", "The run's folder; runs/NAME OF THE TEXT unless given.")
]
Steps = Annotated[int | None, option("--steps", "N", "How often the optimizer moves the weights.")]
Seed = Annotated[
    int | None, option("--seed", "SEED", "What every random choice follows from.", min=0)
]
BatchSize = Annotated[
    int | None, option("--batch-size", "N", "Sequences to a step, over all accumulation.")
]
BlockSize = Annotated[int | None, option("--block-size", "N", "Tokens read at once: the context.")]
NLayer = Annotated[int | None, option("--n-layer", "N", "Blocks.")]
NHead = Annotated[int | None, option("--n-head", "N", "Heads of each block.")]
NEmbd = Annotated[int | None, option("--n-embd", "N", "Numbers to a token: the width.")]
Tokenizer = Annotated[
    str | None,
    option("--tokenizer", "KIND", "char, word, bpe, or the path of a tokenizer.json."),
]
VocabSize = Annotated[int | None, option("--vocab-size", "N", "How many tokens bpe makes.")]
LearningRate = Annotated[
    float | None, option("--learning-rate", "RATE", "The highest that the schedule reaches.")
]
Schedule = Annotated[str | None, option("--schedule", "SHAPE", "cosine, linear or constant.")]
Warmup = Annotated[
    int | None, option("--warmup", "N", "Steps in which the rate rises to its highest.")
]
Dropout = Annotated[
    float | None, option("--dropout", "SHARE", "The share of numbers left out at random.")
]
WeightDecay = Annotated[float | None, option("--weight-decay", "RATE", "On matrices alone.")]
Accumulate = Annotated[
    int | None, option("--accumulate", "N", "Parts that a step is run in: less memory.")
]
Clip = Annotated[
    float | None, option("--clip", "NORM", "The longest that a gradient may be; 0 for any length.")
]
Validation = Annotated[
    float | None, option("--validation", "SHARE", "The end of the text to hold out; 0 for none.")
]
Every = Annotated[
    int | None, option("--every", "N", "Steps from one validation, checkpoint, sample to the next.")
]
Keep = Annotated[
    str | None,
    option(
        "--keep", "WHICH", "best, on what is held out, or last; of a page of text last, else best."
    ),
]
Resume = Annotated[
    str | None, option("--resume", "RUN", "Go on with a run; --steps N to make it longer.")
]
FromModel = Annotated[
    str | None, option("--from", "MODEL", "Train this model further, with its tokenizer.")
]
Encoding = Annotated[str | None, option("--encoding", "NAME", "Of the files; utf-8 unless given.")]
Threads = Annotated[int | None, option("--threads", "N", "Threads of matrix products.")]
Dtype = Annotated[
    str | None,
    option("--dtype", "TYPE", "float32 or float64; with torch bfloat16 too, for products."),
]
Engine = Annotated[
    str | None, option("--engine", "NAME", "numpy, or torch for GPUs and several processes.")
]
Device = Annotated[
    str | None, option("--device", "NAME", "For torch: auto, cpu, cuda, cuda:1 or mps.")
]
Compile = Annotated[
    bool | None, typer.Option("--compile", help="Have torch compile each block first.")
]
CheckpointActivations = Annotated[
    bool | None,
    typer.Option(
        "--checkpoint-activations",
        help="Have torch make a block's inside twice instead of keeping it: less memory.",
    ),
]
Sharding = Annotated[
    str | None,
    option("--sharding", "HOW", "Divide the model among processes: none, full or hybrid."),
]
Film = Annotated[
    str | None,
    option("--film", "STEPS", "Keep the weights every N steps, or at these: 10, or 0,100,500."),
]
FilmHalf = Annotated[
    bool | None, typer.Option("--film-half", help="Keep the film's weights in 16 bits.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would take; train and write nothing.")
]
TensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Write for TensorBoard too, in the run's folder.")
]
Json = options.Json

FLAGS = {"from_model": "--from"}
"""Options that are not spelled as their names are, with dashes."""


def flag(name: str) -> str:
    """An option as it is typed."""
    return FLAGS.get(name, f"--{name.replace('_', '-')}")
