"""The process from which workers are forked: it is used, and Ctrl-C does not end it while it imports."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest
from bench_folders import list_worker_pids, open_bench_command, read_outcomes, write_agent, write_scenarios
from polling import wait_until
from processes import ENVIRONMENT

from adk_agent_sim.bench.process_pool import get_process_context, keep_start_method

pytestmark = pytest.mark.process

_MAIN = "from adk_agent_sim.cli.main import main; main()"
_FORK_SERVER = b"multiprocessing.forkserver"

_NAME_PARENT = """
import os
from pathlib import Path
Path(__file__).with_name("parent").write_text(str(os.getppid()))
"""


def _read_command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _list_fork_servers(pid: int) -> list[int]:
    return [each for each in list_worker_pids(pid) if _FORK_SERVER in _read_command(each)]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads the commands of processes from /proc")
def test_workers_come_from_the_fork_server_which_ignores_ctrl_c_from_its_start(tmp_path: Path) -> None:
    agent = write_agent(tmp_path / "agent", [0])
    with (agent / "agent.py").open("a", encoding="utf-8") as file:
        file.write(_NAME_PARENT)
    options: list[str | Path] = [write_scenarios(tmp_path, 1), "--agent", agent, "--out", tmp_path / "out"]
    # A new interpreter, because the tests' own commands have another default.
    command = [sys.executable, "-c", _MAIN, "bench", *map(str, options), "--no-report"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bench:
        asyncio.run(wait_until(lambda: bool(_list_fork_servers(bench.pid)) or bench.poll() is not None))
        fork_servers = _list_fork_servers(bench.pid)
        for each in fork_servers:
            os.kill(each, signal.SIGINT)
        _, errors = bench.communicate()
    assert (bench.returncode, errors) == (0, "")
    assert [each.outcome for each in read_outcomes(tmp_path / "out")] == ["passed"]
    assert fork_servers == [int((agent / "parent").read_text(encoding="ascii"))]


@pytest.mark.skipif(sys.platform == "win32", reason="has no named pipes in folders")
def test_ctrl_c_before_the_first_run_is_no_traceback(tmp_path: Path) -> None:
    rules, out = tmp_path / "rules.yaml", tmp_path / "out"
    os.mkfifo(rules)
    bench = open_bench_command(write_scenarios(tmp_path, 1), "--player", "oracle", "--rules", rules, "--out", out)
    writers = list[int]()

    def has_reader() -> bool:
        with suppress(OSError):
            writers.append(os.open(rules, os.O_WRONLY | os.O_NONBLOCK))
        return bool(writers)

    asyncio.run(wait_until(has_reader))
    bench.send_signal(signal.SIGINT)
    output, errors = bench.communicate()
    os.close(writers[0])
    assert (bench.returncode, output) == (1, "")
    assert errors == "Error: Interrupted before the first run. Nothing was run.\n"
    assert not out.exists()


def test_starting_a_process_chooses_no_start_method_for_the_program() -> None:
    chosen = cast("str | None", multiprocessing.get_start_method(allow_none=True))
    multiprocessing.set_start_method(None, force=True)
    try:
        with keep_start_method():
            assert multiprocessing.get_start_method()
        assert multiprocessing.get_start_method(allow_none=True) is None
        assert get_process_context().get_start_method() == "forkserver"
        multiprocessing.set_start_method("fork")  # as a library does that makes a lock
        assert get_process_context().get_start_method() == "forkserver"
        multiprocessing.set_start_method("spawn", force=True)
        with keep_start_method():
            assert get_process_context().get_start_method() == "spawn"
        assert multiprocessing.get_start_method(allow_none=True) == "spawn"
    finally:
        multiprocessing.set_start_method(chosen, force=True)
