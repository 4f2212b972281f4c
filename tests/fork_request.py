"""Asks the fork server (fork_server.py) for a process; imports little, so that a script can begin with it."""

from __future__ import annotations

import array
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

ADDRESS_VARIABLE = "ADKSIM_TESTS_FORK_SERVER"
"""Tells the processes that pytest starts about the server."""

PYTHON_VARIABLE = "ADKSIM_TESTS_PYTHON"
"""In the environment of a forked process: the `sys.executable` with which it starts Python processes of its own."""

MAX_REQUEST = 1_000_000


def request_process(
    address: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    cwd: str,
    streams: Sequence[int],
    *,
    detached: bool = False,
    is_worker: bool = False,
) -> tuple[int, socket.socket]:
    """Let the server start a process; returns its pid, and the connection on which its exit code will arrive."""
    message = json.dumps(
        {
            "arguments": list(arguments),
            "environment": dict(environment),
            "cwd": cwd,
            "detached": detached,
            "is_worker": is_worker,
        }
    ).encode()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_REQUEST)
    connection.connect(address)
    connection.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))])
    return int(connection.recv(64)), connection


def continue_where_imported(module: str) -> None:
    """Run this script in a process that has already imported `module`, if there is a server of such processes.

    This process then only waits for that one. It is for scripts that others start, such as the server of an MCP tool.
    """
    address = os.environ.get(ADDRESS_VARIABLE)
    if module in sys.modules or not address:
        return
    run_forked(sys.argv)


def run_forked(arguments: Sequence[str], *, is_worker: bool = False) -> NoReturn:
    """Let the server run `python ARGUMENTS` with the streams of this process, wait for it, and exit as it did."""
    address = os.environ[ADDRESS_VARIABLE]
    pid, connection = request_process(address, arguments, os.environ, os.getcwd(), (0, 1, 2), is_worker=is_worker)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: os.kill(pid, received))
    for descriptor in (0, 1):
        os.close(descriptor)  # or the other end of a pipe would not notice that the process has closed its own
    os._exit(int(connection.recv(64) or b"-9") & 0xFF)
