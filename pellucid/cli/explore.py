"""`pellucid explore`: a model in the browser, live or as one file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pellucid.cli import options
from pellucid.errors import PellucidError

if TYPE_CHECKING:
    from pellucid.model.model import Model
    from pellucid.text.tokenizer import Tokenizer
    from pellucid.trace.trace import Trace
    from pellucid.training.film import Film

BEGINNINGS = ("The", "the", "A", "a")
"""Where a page begins with a model that has no start token, if it knows one of these."""
Static = Annotated[
    Path | None,
    typer.Option(
        "--static", metavar="FILE", help="Write one page instead, which needs no server at all."
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TOKEN",
        help='What should come next, for gradients in the page; "next": at every position.',
    ),
]
Host = Annotated[
    str,
    typer.Option("--host", metavar="NAME", help="Where to listen; this machine alone at first."),
]
Port = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="Any that is free, for 0.")
]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
]


def explore(
    model: options.Model,
    prompt: options.Prompt = None,
    ids: options.Ids = None,
    static: Static = None,
    target: Target = None,
    random: options.Random = None,
    dtype: options.EngineDtype = None,
    engine: options.Engine = "numpy",
    device: options.Device = "auto",
    host: Host = "127.0.0.1",
    port: Port = 0,
    browser: Browser = True,
) -> None:
    """Open a model in the browser, where every number answers.

    It is served on this machine until Ctrl-C. With --static it becomes one file to be sent or kept:
    a model of up to five million weights runs any text in it, a larger one is there with the trace
    of this text. The film of a run's training goes with its weights.
    """
    from pellucid.cli.models import open_model
    from pellucid.cli.output import say

    opened = open_model(model, random=random, dtype=dtype, engine=engine, device=device)
    prompt = first_text(opened, prompt, ids)
    traced = opened.trace(prompt, ids=options.read_ids(ids), target=target)
    title = Path(model).name
    if static is not None:
        from pellucid.showing import to_page

        page = to_page(
            traced, title=title, prompt=prompt, tokenizer=opened.tokenizer, film=film_of(model)
        )
        say(f"Wrote {page.save(static)}")
        return
    film = film_of(model)
    serve_model(opened, traced, title, prompt, film, host=host, port=port, browser=browser)


def first_text(model: Model, prompt: str | None, ids: str | None) -> str | None:
    """The text that a page opens with: where none was given, the start token or a first word."""
    if prompt is not None or ids is not None or model.tokenizer is None:
        return prompt
    if model.tokenizer.prompt(""):
        return ""
    return next(filter(partial(can_read, model.tokenizer), first_words(model.tokenizer)), None)


def first_words(tokenizer: Tokenizer) -> Iterator[str]:
    """Texts to begin with, the commonest first; then whatever single tokens spell."""
    yield from BEGINNINGS
    for id in range(tokenizer.vocab_size):
        text = tokenizer.decode([id])
        if text.strip() and text.isprintable():
            yield text


def can_read(tokenizer: Tokenizer, text: str) -> bool:
    """Whether a text has ids, and none of them stands for what is unknown."""
    try:
        ids = tokenizer.prompt(text)
    except PellucidError:
        return False
    return bool(ids) and tokenizer.unknown_id not in ids


def film_of(model: str) -> Film | None:
    """The film of a run, if the model is one that kept it."""
    from pellucid.training.film import film
    from pellucid.training.film_file import FILM

    return film(model) if (Path(model) / FILM).is_file() else None


def serve_model(
    model: Model,
    trace: Trace,
    title: str,
    prompt: str | None,
    film: Film | None,
    *,
    host: str,
    port: int,
    browser: bool,
) -> None:
    """Serve until Ctrl-C, and say where."""
    from pellucid.cli.browser import open_in_browser
    from pellucid.cli.output import say
    from pellucid.serve.limits import Limits
    from pellucid.serve.runs import Runs
    from pellucid.serve.server import serve
    from pellucid.views.explorer import to_page

    page = to_page(
        trace, title=title, prompt=prompt, tokenizer=model.tokenizer, server="/", film=film
    )

    def on_ready(address: str) -> None:
        say(f"{title} is at {address} (Ctrl-C ends it)")
        if browser:
            open_in_browser(address)

    runs = Runs(model, Limits(), first=trace, film=film)
    serve(page.html, runs, host=host, port=port, on_ready=on_ready)
