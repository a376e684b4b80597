"""A server that runs until it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from pellucid.errors import PellucidError
from pellucid.serve.app import make_app
from pellucid.serve.guard import LOOPBACK
from pellucid.serve.runs import Runs

GRACE = 3
"""Seconds that answers on their way are given when the server ends."""
MOST_CONNECTIONS = 64
ANYWHERE = ("0.0.0.0", "::")


def serve(
    page: str,
    runs: Runs,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    on_ready: Callable[[str], object] = print,
) -> None:
    """Serve a page and its model until Ctrl-C.

    Args:
        page: the document.
        runs: of the model.
        host: to listen on; beyond this machine, the address has a token in it.
        port: 0 for any that is free.
        on_ready: is handed the address.

    Raises:
        PellucidError: the host or the port cannot be used.
    """
    token = None if host in LOOPBACK else secrets.token_urlsafe(18)
    bound = bind(host, port)
    # Bound to all addresses, a machine has more names than it knows.
    anywhere = host in ANYWHERE
    app = make_app(page, runs, hosts=None if anywhere else {*LOOPBACK, host}, token=token)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
    )
    server = Server(config, runs)

    async def run() -> None:
        running = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not running.done():
            await asyncio.sleep(0.01)
        if server.started:
            on_ready(address(socket.gethostname() if anywhere else host, bound, token))
        await running

    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run())
    finally:
        runs.stop()
        bound.close()


class Server(uvicorn.Server):
    """Ends at a signal, and with it at once what it is computing."""

    def __init__(self, config: uvicorn.Config, runs: Runs) -> None:
        super().__init__(config)
        self.runs = runs

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.runs.stop()
        super().handle_exit(sig, frame)


def address(host: str, bound: socket.socket, token: str | None) -> str:
    """Where a browser finds the page."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{bound.getsockname()[1]}/" + (f"?token={token}" if token else "")


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay only where the protocol is named: 44 ms of each answer otherwise.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        raise PellucidError(f"{host}:{port} cannot be listened on: {error}.") from None
    return bound
