"""Real processes: `adksim` commands, servers that can be killed, agents in processes of their own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import Process
from pathlib import Path

from click.testing import CliRunner, Result

from adk_agent_sim.cli.main import adksim as main

_MAIN = "from adk_agent_sim.cli.main import main; main()"
ENVIRONMENT = os.environ | {"PYTHONUNBUFFERED": "1"}


def run_adksim(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-c", _MAIN, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=ENVIRONMENT,
    )


def invoke_adksim(*arguments: str | Path) -> Result:
    """Run a command in this process, which is faster."""
    return CliRunner().invoke(main, [str(one) for one in arguments])


async def read_lines(process: Process) -> list[str]:
    """What is left of a process's output."""
    assert process.stdout
    return (await process.stdout.read()).decode().splitlines()


class ServerProcess:
    """`adksim serve` in a process of its own, on the same port however often it is started."""

    def __init__(self, database: Path, *options: str, web: bool = False) -> None:
        self.database = database
        self.port = 0
        self.web_url = ""
        """Where people open it, with the token, if it serves them."""
        self._web = ["--port", "0"] if web else ["--no-web"]
        self._options = options
        self._process: Process | None = None

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait until it listens."""
        stated = ["serve", *self._web, "--db", str(self.database), "--grpc-port", str(self.port), *self._options]
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _MAIN,
            *stated,
            stdout=asyncio.subprocess.PIPE,
            env=ENVIRONMENT,
            cwd=self.database.parent,
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
        """End it at once, as `kill -9` does."""
        assert self._process
        self._process.kill()
        await self._process.wait()

    async def stop(self) -> int:
        """End it as Ctrl-C does; its exit code."""
        assert self._process
        if self._process.returncode is None:
            self._process.terminate()
        await read_lines(self._process)
        return await self._process.wait()


async def start_python(script: Path, *arguments: str, **environment: str) -> Process:
    """A Python script in a process of its own."""
    return await asyncio.create_subprocess_exec(
        sys.executable, str(script), *arguments, stdout=asyncio.subprocess.PIPE, env=ENVIRONMENT | environment
    )
