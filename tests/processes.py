"""Real processes: `adksim` commands, servers that can be killed, and agents in separate processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Mapping
from pathlib import Path

import fork_server
from click.testing import CliRunner, Result
from fork_server import ForkedProcess, OpenProcess

from adk_agent_sim.cli.main import adksim as main

_MAIN = "from adk_agent_sim.cli.main import main; main()"
ENVIRONMENT = os.environ | {"PYTHONUNBUFFERED": "1"}


def run_adksim(
    *arguments: str | Path, cwd: Path | None = None, text_input: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command until it exits."""
    command = ["-c", _MAIN, *map(str, arguments)]
    return fork_server.run(command, environment=ENVIRONMENT, cwd=cwd, text_input=text_input)


def open_adksim(
    *arguments: str | Path,
    cwd: Path | None = None,
    terminal: int | None = None,
    keep_errors: bool = False,
    environment: Mapping[str, str] | None = None,
) -> OpenProcess:
    """Start a command; see `fork_server.open_process`."""
    command = ["-c", _MAIN, *map(str, arguments)]
    variables = {**ENVIRONMENT, **(environment or {})}
    return fork_server.open_process(command, environment=variables, cwd=cwd, terminal=terminal, keep_errors=keep_errors)


def invoke_adksim(*arguments: str | Path) -> Result:
    """Run a command in this process, which is faster."""
    return CliRunner().invoke(main, [str(one) for one in arguments])


async def read_lines(process: ForkedProcess | Process) -> list[str]:
    """Return the remaining output of a process."""
    assert process.stdout
    return (await process.stdout.read()).decode().splitlines()


class ServerProcess:
    """`adksim serve` in a separate process; keeps its port when it is restarted."""

    def __init__(self, database: Path, *options: str, web: bool = False, in_new_interpreter: bool = False) -> None:
        self.database = database
        self.port = 0
        self.web_url = ""
        """The URL of the web app, with a one-time code, if it is served."""
        self._web = ["--port", "0"] if web else ["--no-web"]
        self._options = options
        self._in_new_interpreter = in_new_interpreter
        """Whether the command line in the list of processes is its own, not that of the process it is forked from."""
        self._process: ForkedProcess | Process | None = None

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start the server and wait until it listens."""
        stated = ["serve", *self._web, "--db", str(self.database), "--grpc-port", str(self.port), *self._options]
        command = ["-c", _MAIN, *stated]
        self._process = (
            await asyncio.create_subprocess_exec(
                sys.executable, *command, stdout=asyncio.subprocess.PIPE, env=ENVIRONMENT, cwd=self.database.parent
            )
            if self._in_new_interpreter
            else await fork_server.start(command, environment=ENVIRONMENT, cwd=self.database.parent)
        )
        assert self._process.stdout
        async for line in self._process.stdout:
            if line.startswith(b"Open "):
                self.web_url = line.split()[1].decode()
            if b"Agents connect to" in line:
                self.port = int(line.split()[3].rsplit(b":", 1)[1])
                return
        raise AssertionError("the server did not start")

    async def kill(self) -> None:
        """Kill the server, as `kill -9` does."""
        assert self._process
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> int:
        """Stop the server, as Ctrl-C does, and return its exit code."""
        assert self._process
        if self._process.returncode is None:
            self._process.terminate()
        await read_lines(self._process)
        return await self._process.wait()


async def start_new_python(script: Path, *arguments: str) -> Process:
    """Start a Python script in a new interpreter, which has imported nothing."""
    return await asyncio.create_subprocess_exec(
        sys.executable, str(script), *arguments, stdout=asyncio.subprocess.PIPE, env=ENVIRONMENT
    )


async def start_python(script: Path, *arguments: str, **environment: str) -> ForkedProcess:
    """Start a Python script in a separate process."""
    return await fork_server.start([str(script), *arguments], environment=ENVIRONMENT | environment)
