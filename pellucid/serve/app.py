"""The server's application: the page, and what the page asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from threading import Event

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from pellucid.serve.answers import Answer, Answers, RefusedError
from pellucid.serve.guard import LOOPBACK, Guard
from pellucid.serve.limits import Limits
from pellucid.serve.runs import Runs
from pellucid.views.explorer.document import policy


class TooLargeError(Exception):
    """A request is larger than the server reads."""


class TooSlowError(Exception):
    """A request does not come to its end."""


UNREAD: dict[type[Exception], tuple[int, str]] = {
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
    answers = Answers(runs)

    def post(kind: str) -> Route:
        async def handle(request: Request) -> Response:
            stop = Event()
            try:
                asked = await read_body(request, runs.limits)
                async with set_when_gone(request, stop):
                    return sent(await run_in_threadpool(answers.answer, kind, asked, stop))
            except tuple(UNREAD) as error:
                status, words = UNREAD[type(error)]
                return PlainTextResponse(words, status_code=status)
            except RefusedError as refused:
                return PlainTextResponse(refused.words, status_code=refused.status)

        return Route(f"/{kind}", handle, methods=["POST"])

    app = Starlette(
        routes=[
            Route("/", front(page)),
            Route("/health", lambda _: PlainTextResponse("ok")),
            *map(post, answers.by_kind),
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


def sent(answer: Answer) -> Response:
    """An answer as a response; a tensor is never whole in memory."""
    if answer.is_json:
        return Response(b"".join(answer.pieces), media_type="application/json")
    size = {"content-length": str(answer.size)}
    kind = "application/octet-stream"
    return StreamingResponse(answer.pieces, media_type=kind, headers=size)
