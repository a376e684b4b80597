"""The server's application: the page, and what the page asks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import msgspec
import numpy as np
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from pellucid.errors import PellucidError
from pellucid.serve.guard import LOOPBACK, Guard
from pellucid.serve.limits import Limits
from pellucid.serve.questions import ExplainQuestion, Question, RunQuestion, TensorQuestion
from pellucid.serve.runs import BusyError, GoneError, Kept, Runs
from pellucid.serve.stopping import StoppedError
from pellucid.trace.cell import find_places
from pellucid.trace.trace import Trace

Asked = TypeVar("Asked", bound=Question)


class TooLargeError(Exception):
    """A request is larger than the server reads."""


ANSWERS: dict[type[Exception], tuple[int, str]] = {
    BusyError: (503, "Too many runs wait: try again in a moment."),
    GoneError: (410, "This run is no longer kept: run the text again."),
    StoppedError: (409, "Another run has taken the place of this one."),
    TooLargeError: (413, "The request is too large."),
}


def make_app(
    page: str,
    runs: Runs,
    *,
    hosts: Collection[str] = LOOPBACK,
    token: str | None = None,
) -> Guard:
    """The application.

    Args:
        page: the document that it shows.
        runs: of the model.
        hosts: the names under which it may be asked.
        token: what must be in the address, beyond this machine.
    """

    def post(path: str, kind: type[Asked], answer: Callable[[Asked], Response]) -> Route:
        async def handle(request: Request) -> Response:
            try:
                body = await read_body(request, runs.limits)
                return await run_in_threadpool(answer, msgspec.json.decode(body, type=kind))
            except tuple(ANSWERS) as error:
                status, words = ANSWERS[type(error)]
                return PlainTextResponse(words, status_code=status)
            except (PellucidError, msgspec.MsgspecError, MemoryError, RecursionError) as error:
                return PlainTextResponse(str(error), status_code=400)

        return Route(path, handle, methods=["POST"])

    app = Starlette(
        routes=[
            Route("/", lambda _: HTMLResponse(page)),
            Route("/health", lambda _: PlainTextResponse("ok")),
            post("/run", RunQuestion, lambda q: in_json(about(runs.make(q)))),
            post("/tensor", TensorQuestion, lambda q: numbers(runs.find(q.run), q)),
            post("/explain", ExplainQuestion, lambda q: explain(runs.find(q.run), q, runs.limits)),
        ],
    )
    return Guard(app, hosts=hosts, token=token)


async def read_body(request: Request, limits: Limits) -> bytes:
    """A request's body, never more of it than the limit."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > limits.body:
            raise TooLargeError
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
    values = np.ascontiguousarray(tensor.values[index], dtype="<f4")
    return Response(values.tobytes(), media_type="application/octet-stream")


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
