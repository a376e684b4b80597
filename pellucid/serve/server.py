"""A server that runs until it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable

import uvicorn

from pellucid.errors import PellucidError
from pellucid.serve.app import make_app
from pellucid.serve.guard import LOOPBACK
from pellucid.serve.runs import Runs

GRACE = 3
"""Seconds that answers on their way are given when the server ends."""
MOST_CONNECTIONS = 64


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
    at = f"[{host}]" if ":" in host else host
    address = f"http://{at}:{bound.getsockname()[1]}/" + (f"?token={token}" if token else "")
    app = make_app(page, runs, hosts={*LOOPBACK, host}, token=token)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
    )
    server = uvicorn.Server(config)

    async def run() -> None:
        running = asyncio.create_task(server.serve(sockets=[bound]))
        while not server.started and not running.done():
            await asyncio.sleep(0.01)
        on_ready(address)
        await running

    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(run())
    finally:
        runs.stop()
        bound.close()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        raise PellucidError(f"{host}:{port} cannot be listened on: {error}.") from None
    return bound
