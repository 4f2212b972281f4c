"""A server that nobody may connect to: it fails the test if somebody does."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def listen_without_clients() -> Generator[str]:
    """Yield the address of a listening socket; at the end, no connection may have been made to it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.setblocking(False)
        try:
            listener.accept()
        except BlockingIOError:
            return
        raise AssertionError("somebody connected to the server")
