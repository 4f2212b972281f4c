"""Runs a web app of a test on a free port of this machine, in a thread."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp


@contextmanager
def serve_on_loopback(app: ASGIApp) -> Generator[str]:
    """Run the app; yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))  # connections wait in its queue until the server has started
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
