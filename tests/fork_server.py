"""Starts Python processes by forking one that has already imported ADK, which costs seconds of CPU time in each.

    pytest --> fork server --> the workers of pytest, with libraries only
                           --> a process for each `run`, `start` and `open_process` of a test

What is started is a real process with its own pid, signals, environment, folder and standard streams. It differs from a
new interpreter only in what is imported already, so tests of imports, installation and options do not use it. The
server imports when it is first asked for a process, so a run of tests without processes does not wait for it.
"""

from __future__ import annotations

import array
import asyncio
import atexit
import builtins
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
import tomllib
import traceback
import warnings
from asyncio import StreamReader, StreamReaderProtocol
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, NoReturn, Self, cast

from fork_request import ADDRESS_VARIABLE, MAX_REQUEST, PYTHON_VARIABLE, request_process

_STREAMS = 3
"""Standard input, output and error."""

started: list[str] = []
"""The commands of all processes that this one has started."""

_LIBRARIES = (
    "google.adk.agents.loop_agent",
    "google.adk.agents.parallel_agent",
    "google.adk.agents.sequential_agent",
    "google.adk.apps",
    "google.adk.cli.utils.agent_loader",
    "google.adk.evaluation.local_eval_service",
    "google.adk.runners",
    "google.adk.models.google_llm",
    "google.adk.sessions.database_session_service",
    "google.adk.tools.environment_simulation",
    "google.adk.tools.mcp_tool",
    "google.ai.generativelanguage",
    "grpc_health.v1.health",
    "grpc_reflection.v1alpha.reflection",
    "jsonschema",
    "mcp.server.mcpserver",
    "playwright.async_api",
    "psycopg",
    "rapidfuzz",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.dialects.sqlite",
    "sqlalchemy.orm",
    "uvicorn",
    "websockets",
)
"""What most test modules import, and what takes long; nothing of the simulator, whose imports are under test."""

_PRELOADED = (
    "google.adk.cli.cli_tools_click",
    "google.adk.cli.fast_api",
    "adk_agent_sim.simulation.simulation",
    "adk_agent_sim.adk.plugins.simulator_plugin",
    "adk_agent_sim.bench.worker",
    "adk_agent_sim.cli.main",
    "adk_agent_sim.server.composition",
    "adk_agent_sim.server.web.web_server",
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
    arguments: Sequence[str], *, environment: Mapping[str, str], cwd: Path | None = None, text_input: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` until it exits; its input is `text_input`."""
    with (
        tempfile.TemporaryFile("w+b") as given,
        tempfile.TemporaryFile("w+b") as output,
        tempfile.TemporaryFile("w+b") as errors,
    ):
        given.write(text_input.encode())
        given.seek(0)
        _, connection = _request(arguments, environment, cwd, [given.fileno(), output.fileno(), errors.fileno()])
        with connection:
            code = int(connection.recv(64) or b"-9")
        texts: list[str] = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return subprocess.CompletedProcess([sys.executable, *arguments], code, *texts)


class OpenProcess:
    """A running process; the interface is that of `subprocess.Popen` as far as tests use it, for text."""

    def __init__(
        self, pid: int, connection: socket.socket, stdin: IO[str], stdout: IO[str], errors: IO[str] | None
    ) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._connection = connection
        self._errors = errors
        """A file, so that a process that writes much does not wait for its reader."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.stdin.close()
        self.wait()

    def __del__(self) -> None:
        self.close_streams()

    def close_streams(self) -> None:
        """Close what this process has open of it."""
        for stream in (self.stdin, self.stdout, self._errors, self._connection):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        with suppress(TimeoutError, BlockingIOError):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended and return its exit code, negative if a signal ended it."""
        if self.returncode is None:
            self._connection.settimeout(timeout)
            self.returncode = int(self._connection.recv(64) or b"-9")
            self._connection.close()
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """End its input; return the rest of its output, and its errors if they were asked for."""
        self.stdin.close()
        output = self.stdout.read()
        self.wait(timeout)
        if self._errors is None:
            return output, ""
        self._errors.seek(0)
        return output, self._errors.read()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


def open_process(
    arguments: Sequence[str],
    *,
    environment: Mapping[str, str],
    cwd: Path | None = None,
    terminal: int | None = None,
    keep_errors: bool = False,
) -> OpenProcess:
    """Start `python ARGUMENTS`.

    Args:
        arguments: A script, or `-m` or `-c`, and what follows it.
        environment: All environment variables.
        cwd: The folder it runs in.
        terminal: The descriptor of a terminal, for input, output and errors; otherwise the output can be read.
        keep_errors: Whether `communicate` returns its errors; otherwise they go where those of this process go.
    """
    output, write_end = os.pipe()
    read_end, given = os.pipe()
    errors = tempfile.TemporaryFile("w+", encoding="utf-8") if keep_errors else None  # noqa: SIM115
    streams = [read_end, write_end, errors.fileno() if errors else 2]
    pid, connection = _request(
        arguments, environment, cwd, streams if terminal is None else [terminal] * _STREAMS, detached=True
    )
    os.close(write_end)
    os.close(read_end)
    return OpenProcess(
        pid,
        connection,
        open(given, "w", encoding="utf-8"),
        open(output, encoding="utf-8", errors="replace"),
        errors,
    )


def _request(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path | None,
    streams: Sequence[int],
    *,
    detached: bool = False,
) -> tuple[int, socket.socket]:
    """Let the server start a process; returns its pid, and the connection on which its exit code will arrive."""
    started.append(" ".join(arguments)[:200])
    address = os.environ.get(ADDRESS_VARIABLE) or _start_server()
    return request_process(address, arguments, environment, str(cwd or Path.cwd()), streams, detached=detached)


def share_with_children() -> None:
    """Start the server for this process and the processes it starts; it ends with this one."""
    os.environ.setdefault(ADDRESS_VARIABLE, _start_server())


def find_forking_python() -> str:
    """Return an executable that runs its arguments as Python does, but in a forked process.

    In the environment of a process as `PYTHON_VARIABLE`, it makes the processes cheap that this one starts in turn.
    """
    return str(Path(os.environ.get(ADDRESS_VARIABLE) or _start_server()).with_name("python"))


def find_worker_python() -> str:
    """Return an executable like `find_forking_python`, for workers of pytest: the forked process has libraries only."""
    return str(Path(find_forking_python()).with_name("worker-python"))


@cache
def _start_server() -> str:
    """Start the server of this process; returns its address."""
    folder = tempfile.mkdtemp(prefix="adksim-fork-")
    address = f"{folder}/server"
    process = subprocess.Popen([sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    executables = {Path(folder) / "python": False, Path(folder) / "worker-python": True}
    for path, is_worker in executables.items():
        path.write_text(
            f"#!{sys.executable} -IS\nimport sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
            f"import fork_request\nfork_request.run_forked(sys.argv[1:], is_worker={is_worker})\n",
            encoding="utf-8",
        )
        path.chmod(0o700)

    def end() -> None:
        process.communicate()  # it ends when its standard input does
        with suppress(OSError):
            Path(address).unlink()
            for path in executables:
                path.unlink()
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
        self._imported: set[str] = set()
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
        message, ancillary, _, _ = connection.recvmsg(MAX_REQUEST, socket.CMSG_SPACE(size))
        streams = array.array("i", ancillary[0][2][:size])
        request = json.loads(message)
        self._import_for(request)
        pid = os.fork()
        if pid == 0:
            self._become_child(connection, list(streams), request)
        self._connections[pid] = connection
        connection.send(str(pid).encode())
        for descriptor in streams:
            os.close(descriptor)

    def _import_for(self, request: dict[str, Any]) -> None:
        """Import what the process needs and this one does not have yet."""
        needed = [_import_libraries] if request["is_worker"] else [_import_libraries, _import_simulator]
        for function in needed:
            if function.__name__ not in self._imported:
                self._imported.add(function.__name__)
                function()
                assert threading.active_count() == 1, "a process with threads cannot be forked"
                gc.collect()
                gc.freeze()

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
        if request["detached"]:
            os.setsid()
        _run_as_main(request["arguments"], request["environment"], request["cwd"])


def _run_as_main(arguments: Sequence[str], environment: Mapping[str, str], cwd: str) -> NoReturn:
    """Do what `python ARGUMENTS` does, and exit."""
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w", buffering=1), open(2, "w", buffering=1)  # noqa: SIM115
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    sys.executable = environment.get(PYTHON_VARIABLE, sys.executable)
    os.chdir(cwd)
    tempfile.tempdir = None  # depends on the environment
    random.seed()
    sys.path[:0] = [folder for folder in environment.get("PYTHONPATH", "").split(os.pathsep) if folder]
    code = 1
    try:
        _filter_warnings(environment.get("PYTHONWARNINGS", ""))
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
        case ["-W", action, *rest]:
            _filter_warnings(action)
            _run_arguments(rest)
        case ["-u", *rest]:
            for stream in (sys.stdout, sys.stderr):
                cast("TextIOWrapper", stream).reconfigure(write_through=True)
            _run_arguments(rest)
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


def _filter_warnings(options: str) -> None:
    """Do what `-W` and `PYTHONWARNINGS` do."""
    for option in filter(None, options.split(",")):
        warnings._setoption(option)  # pyright: ignore


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


def _import_libraries() -> None:
    """Import libraries; a warning that would fail the tests if they imported them fails here."""
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    with warnings.catch_warnings():
        for filtered in settings["tool"]["pytest"]["ini_options"]["filterwarnings"]:
            action, *stated = filtered.split(":")
            message, category, module = (*stated, "", "", "")[:3]
            if not category.startswith("pytest."):
                warnings.filterwarnings(action, message, getattr(builtins, category or "Warning"), module)
        for name in _LIBRARIES:
            __import__(name)


def _import_simulator() -> None:
    """Import the simulator, without what these modules print and warn about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in _PRELOADED:
            __import__(name)


def _serve(address: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the tests, which then end this server
    server = _Server(address)
    print("ready", flush=True)
    server.serve()


if __name__ == "__main__":
    _serve(sys.argv[1])
