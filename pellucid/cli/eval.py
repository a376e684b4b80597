"""`pellucid eval`: how well a model predicts a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pellucid.cli import options

if TYPE_CHECKING:
    from pellucid.text.tokenizer import Tokenizer
    from pellucid.training.evaluate import Evaluation

Text = Annotated[
    list[str],
    typer.Argument(metavar="TEXT...", help="Files, folders, patterns, or - for standard input."),
]
Worst = Annotated[int, typer.Option("--worst", min=0, metavar="N", help="How many tokens to name.")]
Encoding = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Of the files.", show_default=True)
]


def eval(
    model: options.Model,
    texts: Text,
    worst: Worst = 10,
    encoding: Encoding = "utf-8",
    dtype: options.Dtype = None,
    json: options.Json = False,
) -> None:
    """Measure how well a model predicts a text.

    In nats per token, bits per byte and perplexity, with the tokens that it least expected. The
    text is read in windows as long as the model's context, end to end.
    """
    from pellucid.cli.models import open_model
    from pellucid.cli.output import complain, show, write_json
    from pellucid.model.inputs import need_tokenizer
    from pellucid.text.reading import read_documents
    from pellucid.text.token_file import TokenFile
    from pellucid.training.evaluate import evaluate
    from pellucid.views.evaluation import evaluation_blocks

    opened = open_model(model, dtype=dtype)
    tokenizer = need_tokenizer(opened)
    documents = read_documents(texts, encoding=encoding, on_notice=complain)
    found = evaluate(opened, TokenFile.of(documents, tokenizer).ids, worst=worst)
    if json:
        write_json(as_data(found, tokenizer))
    else:
        show(evaluation_blocks(found, lambda ids: written(tokenizer, ids)))


def written(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Ids as they are read; words with the spaces that such a tokenizer leaves out."""
    return ("" if tokenizer.keeps_white_space else " ").join(tokenizer.labels(ids))


def as_data(found: Evaluation, tokenizer: Tokenizer) -> dict[str, Any]:
    """The same as plain data."""
    return {
        "tokens": found.tokens,
        "bytes": found.bytes,
        "nats_per_token": found.loss,
        "bits_per_byte": found.bits_per_byte,
        "perplexity": found.perplexity,
        "worst": [
            {
                "position": place.position,
                "id": place.id,
                "token": tokenizer.label(place.id),
                "probability": place.probability,
                "nats": place.loss,
                "before": place.before,
                "text_before": written(tokenizer, place.before),
            }
            for place in found.worst
        ],
    }
