"""Starts Python processes by forking one that has already imported ADK, which costs seconds of CPU time in each.

    tests --> fork server (one per worker of pytest) --> a process for each `run` and `start`

What is started is a real process with its own pid, signals, environment, folder and standard streams. It differs from a
new interpreter only in what is imported already, so tests of imports, installation and options do not use it.
"""

from __future__ import annotations

import array
import asyncio
import atexit
import gc
import json
import os
import random
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from asyncio import StreamReader, StreamReaderProtocol
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

_MAX_REQUEST = 1_000_000
_STREAMS = 3
"""Standard input, output and error."""

_PRELOADED = (
    "google.adk.agents",
    "google.adk.apps",
    "google.adk.runners",
    "google.adk.models.llm_response",
    "adk_agent_sim.adk.simulation",
    "adk_agent_sim.adk.simulator_plugin",
    "adk_agent_sim.cli.main",
    "adk_agent_sim.server.composition",
    "adk_agent_sim.server.web_server",
)


class ForkedProcess:
    """A running process; the interface is that of asyncio's `Process` as far as tests use it."""

    def __init__(self, pid: int, connection: socket.socket, stdout: StreamReader) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._exit = asyncio.ensure_future(self._receive_exit(connection))

    async def wait(self) -> int:
        """Wait until it has ended and return its exit code, negative if a signal ended it."""
        return await asyncio.shield(self._exit)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    async def _receive_exit(self, connection: socket.socket) -> int:
        with connection:
            received = await asyncio.get_running_loop().sock_recv(connection, 64)
        self.returncode = int(received or b"-9")
        return self.returncode


async def start(arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path | None = None) -> ForkedProcess:
    """Start `python ARGUMENTS`; its output can be read, its errors go where those of this process go."""
    loop = asyncio.get_running_loop()
    read_end, write_end = os.pipe()
    with open(os.devnull, "rb") as nothing:  # noqa: ASYNC230 - a device
        pid, connection = await asyncio.to_thread(
            _request, arguments, environment, cwd, [nothing.fileno(), write_end, 2]
        )
    os.close(write_end)
    connection.setblocking(False)
    stdout = StreamReader(limit=2**24)
    await loop.connect_read_pipe(lambda: StreamReaderProtocol(stdout), os.fdopen(read_end, "rb", buffering=0))
    return ForkedProcess(pid, connection, stdout)


def run(
    arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` until it exits."""
    with tempfile.TemporaryFile("w+b") as output, tempfile.TemporaryFile("w+b") as errors:
        with open(os.devnull, "rb") as nothing:
            streams = [nothing.fileno(), output.fileno(), errors.fileno()]
            _, connection = _request(arguments, environment, cwd, streams)
        with connection:
            code = int(connection.recv(64) or b"-9")
        texts: list[str] = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return subprocess.CompletedProcess([sys.executable, *arguments], code, *texts)


def _request(
    arguments: Sequence[str], environment: Mapping[str, str], cwd: Path | None, streams: Sequence[int]
) -> tuple[int, socket.socket]:
    """Let the server start a process; returns its pid, and the connection on which its exit code will arrive."""
    message = json.dumps(
        {"arguments": list(arguments), "environment": dict(environment), "cwd": str(cwd or Path.cwd())}
    ).encode()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MAX_REQUEST)
    connection.connect(_start_server())
    descriptors = array.array("i", streams)
    connection.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
    return int(connection.recv(64)), connection


@cache
def _start_server() -> str:
    """Start the server of this process; returns its address."""
    folder = tempfile.mkdtemp(prefix="adksim-fork-")
    address = f"{folder}/server"
    process = subprocess.Popen([sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"

    def end() -> None:
        process.communicate()  # it ends when its standard input does
        with suppress(OSError):
            Path(address).unlink()
            Path(folder).rmdir()

    atexit.register(end)
    return address


def _ignore_signal(number: int, frame: object) -> None:
    """Do nothing."""


class _Server:
    """Forks, and reports how the forked processes end."""

    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(address)
        self._listener.listen(64)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        self._connections: dict[int, socket.socket] = {}
        """The connection of each running process, by its pid."""
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_write, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        signal.signal(signal.SIGCHLD, _ignore_signal)  # a handler, so that the wakeup descriptor is written
        signal.set_wakeup_fd(self._wake_write)

    def serve(self) -> None:
        """Serve until the process that started this one ends."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    for pid in self._connections:
                        os.kill(pid, signal.SIGKILL)
                    return
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    os.read(self._wake_read, 1_024)
                    self._report_ended()

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        size = array.array("i").itemsize * _STREAMS
        message, ancillary, _, _ = connection.recvmsg(_MAX_REQUEST, socket.CMSG_SPACE(size))
        streams = array.array("i", ancillary[0][2][:size])
        pid = os.fork()
        if pid == 0:
            self._become_child(connection, list(streams), json.loads(message))
        self._connections[pid] = connection
        connection.send(str(pid).encode())
        for descriptor in streams:
            os.close(descriptor)

    def _report_ended(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                with self._connections.pop(pid) as connection, suppress(OSError):
                    connection.send(str(os.waitstatus_to_exitcode(status)).encode())

    def _become_child(self, connection: socket.socket, streams: Sequence[int], request: dict[str, Any]) -> NoReturn:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for other in (self._listener, connection, *self._connections.values()):
            other.close()
        for descriptor in (self._wake_read, self._wake_write):
            os.close(descriptor)
        for target, descriptor in enumerate(streams):
            os.dup2(descriptor, target)
            os.close(descriptor)
        _run_as_main(request["arguments"], request["environment"], request["cwd"])


def _run_as_main(arguments: Sequence[str], environment: Mapping[str, str], cwd: str) -> NoReturn:
    """Do what `python ARGUMENTS` does, and exit."""
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w", buffering=1)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    random.seed()
    sys.path[:0] = [folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder]
    code = 1
    try:
        _run_arguments(list(arguments))
        code = 0
    except SystemExit as ended:
        code = _get_exit_code(ended)
    except KeyboardInterrupt:
        traceback.print_exc()
        code = -signal.SIGINT
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
    _finalize()
    if code == -signal.SIGINT:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code)


def _run_arguments(arguments: list[str]) -> None:
    match arguments:
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - the test's own code
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *rest]:
            sys.argv = [script, *rest]
            sys.path.insert(0, str(Path(script).parent))
            runpy.run_path(script, run_name="__main__")
        case _:
            raise ValueError("there is nothing to run")


def _get_exit_code(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    if isinstance(ended.code, int):
        return ended.code
    print(ended.code, file=sys.stderr)
    return 1


def _finalize() -> None:
    """Wait for threads, run what was registered for the exit, and write what is buffered, as the interpreter does."""
    with suppress(BaseException):
        threading._shutdown()  # pyright: ignore
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


def _serve(address: str) -> None:
    for name in _PRELOADED:
        __import__(name)
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    gc.collect()
    gc.freeze()
    server = _Server(address)
    print("ready", flush=True)
    server.serve()


if __name__ == "__main__":
    _serve(sys.argv[1])
