"""The server's application: the page, and what the page asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager
from threading import Event
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pellucid.errors import PellucidError
from pellucid.serve.guard import LOOPBACK, Guard
from pellucid.serve.limits import Limits
from pellucid.serve.questions import ExplainQuestion, Question, RunQuestion, TensorQuestion
from pellucid.serve.runs import BusyError, GoneError, Kept, Runs
from pellucid.serve.stopping import StoppedError
from pellucid.trace.cell import find_places
from pellucid.trace.trace import Trace
from pellucid.views.explorer.document import policy

Asked = TypeVar("Asked", bound=Question)


class TooLargeError(Exception):
    """A request is larger than the server reads."""


class TooSlowError(Exception):
    """A request does not come to its end."""


PIECE = 2**18
"""Numbers of a tensor that are sent at a time: so many are copied, however large it is."""
MOST_SAID = 2000
"""Characters of a refusal; it may quote what was asked, and that may be a whole book."""
ANSWERS: dict[type[Exception], tuple[int, str]] = {
    BusyError: (503, "Too many runs wait: try again in a moment."),
    GoneError: (410, "This run is no longer kept: run the text again."),
    StoppedError: (409, "Another run has taken the place of this one."),
    TooLargeError: (413, "The request is too large."),
    ClientDisconnect: (400, "The request ended before it was whole."),
    TooSlowError: (408, "The request did not arrive in time."),
}


def make_app(
    page: str,
    runs: Runs,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    token: str | None = None,
) -> Guard:
    """The application.

    Args:
        page: the document that it shows.
        runs: of the model.
        hosts: the names under which it may be asked; None for any, where there is a token.
        token: what must be in the address, beyond this machine.
    """

    def post(path: str, kind: type[Asked], answer: Callable[[Asked, Event], Response]) -> Route:
        async def handle(request: Request) -> Response:
            stop = Event()
            try:
                question = msgspec.json.decode(await read_body(request, runs.limits), type=kind)
                async with set_when_gone(request, stop):
                    return await run_in_threadpool(answer, question, stop)
            except tuple(ANSWERS) as error:
                status, words = ANSWERS[type(error)]
                return PlainTextResponse(words, status_code=status)
            except (PellucidError, msgspec.MsgspecError, MemoryError, RecursionError) as error:
                return PlainTextResponse(str(error)[:MOST_SAID], status_code=400)

        return Route(path, handle, methods=["POST"])

    limits = runs.limits
    app = Starlette(
        routes=[
            Route("/", front(page)),
            Route("/health", lambda _: PlainTextResponse("ok")),
            post("/run", RunQuestion, lambda asked, stop: in_json(about(runs.make(asked, stop)))),
            post("/tensor", TensorQuestion, lambda asked, _: numbers(runs.find(asked.run), asked)),
            post(
                "/explain",
                ExplainQuestion,
                lambda asked, _: explain(runs.find(asked.run), asked, limits),
            ),
        ],
    )
    return Guard(app, hosts=hosts, token=token)


def front(page: str) -> Callable[[Request], Response]:
    """The page, with the policy that stands in it, and in no frame."""
    body = page.encode()
    headers = {"content-security-policy": f"{policy(page)}; frame-ancestors 'none'"}
    return lambda _: Response(body, media_type="text/html", headers=headers)


@asynccontextmanager
async def set_when_gone(request: Request, stop: Event) -> AsyncIterator[None]:
    """Set an event if whoever asks goes away while the answer is worked out."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        stop.set()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def read_body(request: Request, limits: Limits) -> bytes:
    """A request's body, never more of it than the limit, nor for longer."""
    body = bytearray()
    try:
        async with asyncio.timeout(limits.seconds):
            async for piece in request.stream():
                body += piece
                if len(body) > limits.body:
                    raise TooLargeError
    except TimeoutError:
        raise TooSlowError from None
    return bytes(body)


def about(kept: Kept) -> dict[str, Any]:
    """What a page needs to know of a run before it looks at its tensors."""
    trace = kept.trace
    shapes = {name: trace[name].shape for name in (*trace.names, *trace.parameters)}
    return {
        "run": kept.number,
        "ids": trace.ids,
        "tokens": trace.tokens,
        "shapes": {**shapes, "ids": [len(trace.ids)], "positions": [len(trace.ids)]},
        "targets": trace.targets,
    }


def numbers(trace: Trace, question: TensorQuestion) -> Response:
    """A tensor's numbers as float32, little endian."""
    if question.kind == "gradient":
        tensor = trace.grad[question.name]
    else:
        tensor = trace.explainer.tensor(question.name)
    places = find_places(tensor, question.at)
    index = tuple(places.get(dim, slice(None)) for dim in tensor.dims)
    values = tensor.values[index]
    size = {"content-length": str(4 * values.size)}
    kind = "application/octet-stream"
    return StreamingResponse(pieces(values), media_type=kind, headers=size)


def pieces(values: NDArray[Any]) -> Iterator[bytes]:
    """An array row by row as float32, little endian, without a copy of the whole."""
    if values.size <= PIECE or values.ndim == 0:
        yield np.asarray(values, dtype="<f4").tobytes()
        return
    step = max(1, PIECE * len(values) // values.size)
    for start in range(0, len(values), step):
        yield np.asarray(values[start : start + step], dtype="<f4").tobytes()


def explain(trace: Trace, question: ExplainQuestion, limits: Limits) -> Response:
    """How a number was made."""
    tensor = trace.explainer.tensor(question.name)
    if len(question.index) != len(tensor.dims):
        raise PellucidError(f"{tensor.name} has the dims {', '.join(tensor.dims)}.")
    cell = dict(zip(tensor.dims, question.index, strict=True))
    ask = trace.explain_grad if question.kind == "gradient" else trace.explain
    limit = max(0, min(question.limit, limits.terms))
    return in_json(ask(tensor.name, **cell).to_dict(limit))


def in_json(data: Any) -> Response:
    """Data as JSON."""
    return Response(msgspec.json.encode(data), media_type="application/json")
