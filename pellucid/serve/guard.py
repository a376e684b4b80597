"""Who may ask: this machine's own pages, or those that know the token."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
TOKEN_HEADER = "x-pellucid-token"
HEADERS = {
    b"content-security-policy": b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"cache-control": b"no-store",
}
"""Of every answer that has none of that name."""


class Guard:
    """Refuses strangers, and puts the headers on that keep a page to itself.

    A Host that is none of ours is how a foreign page reaches a server on this machine (DNS
    rebinding); an Origin that is none of ours is how it has a browser ask. Beyond this machine a
    token is needed as well.
    """

    def __init__(
        self, app: ASGIApp, *, hosts: Collection[str] | None, token: str | None = None
    ) -> None:
        """`hosts` are the names that it answers to; None for any, where there is a token.

        Raises:
            ValueError: any name, and no token.
        """
        if hosts is None and token is None:
            raise ValueError("Without a token a server must know its names.")
        self.app = app
        self.hosts = None if hosts is None else frozenset(hosts)
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = dict(message["headers"])
                message = {**message, "headers": list({**HEADERS, **given}.items())}
            await send(message)

        why = self.refusal(HTTPConnection(scope))
        app = self.app if why is None else PlainTextResponse(why, status_code=403)
        await app(scope, receive, send_guarded)

    def refusal(self, asked: HTTPConnection) -> str | None:
        """Why a request is refused; None where it is not."""
        host = asked.headers.get("host", "")
        if self.hosts is not None and host_of(f"//{host}") not in self.hosts:
            return "This server does not answer to that name."
        origin = asked.headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host}", f"https://{host}"):
            return "Another page may not ask this server."
        if self.token is not None:
            given = asked.headers.get(TOKEN_HEADER) or asked.query_params.get("token") or ""
            if not secrets.compare_digest(given.encode(), self.token.encode()):
                return "The address of this server has a token in it, and this one has not."
        return None


def host_of(address: str) -> str:
    """The host of an address, without its port."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
