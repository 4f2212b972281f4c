"""Folders with small scenarios and scripted agents for benches, and the commands that run benches there.

In scenario `mail_3`, the user asks for mail 3, and the agent passes if it sends it. A scripted agent does so for the
scenarios that its folder names; what it does in the others is chosen by a word.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fork_server
from fork_server import OpenProcess
from processes import ENVIRONMENT
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.bench.bench_plan import BenchAxes, BenchPlan, RunFiles, build_plan
from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.bench.bench_task import find_tasks
from adk_agent_sim.bench.results_file import read_results

MAIL = "Emails__send_email"

_ENDED_STATES = ("Z", "X")

# Workers are forked from this process, which has imported ADK already; a command starts a process of its own for that.
_MAIN = (
    "from adk_agent_sim.bench import process_pool; process_pool.default_start_method = 'fork'; "
    "from adk_agent_sim.cli.main import main; main()"
)

_AGENT = """
import asyncio, hashlib, os, signal, sys, time
from pathlib import Path
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

PASSED = {passed!r}
OTHERWISE = {otherwise!r}
CALLS = 0


class RateLimitError(Exception):
    pass


def count_attempts():
    counter = Path(__file__).with_name("attempts")
    with counter.open("a") as file:
        file.write("x")
    return counter.stat().st_size


class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        global CALLS
        CALLS += 1
        texts = [part.text or "" for each in llm_request.contents for part in each.parts or ()]
        number = next(text for text in texts if text.startswith("mail ")).removeprefix("mail ")
        if any(part.function_response for each in llm_request.contents for part in each.parts or ()):
            while OTHERWISE == "wait" and not Path(__file__).with_name("go").exists():
                time.sleep(0.01)
            yield self.answer(types.Part(text="Sent."))
            return
        recipient = number
        if number not in PASSED:
            if OTHERWISE == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if OTHERWISE == "hang":
                time.sleep(10_000)
            if OTHERWISE == "raise":
                raise ValueError("no idea")
            if OTHERWISE == "limit" and count_attempts() <= 3:
                raise RateLimitError("slow down")
            if OTHERWISE == "always limit":
                raise RateLimitError("slow down")
            if OTHERWISE == "work":
                for each in range(60_000):
                    hashlib.sha256(b"%d" % each).digest()
            if OTHERWISE == "meet":
                Path(__file__).with_name("at-" + number).touch()
                while len(list(Path(__file__).parent.glob("at-*"))) < 2:
                    time.sleep(0.01)
            recipient = number if OTHERWISE in ("limit", "work", "meet") else "another"
        if OTHERWISE == "state" and CALLS > 1:
            recipient = "state_of_another_run"
        args = {{"recipients": [recipient + "@example.org"], "subject": "mail"}}
        yield self.answer(types.Part(function_call=types.FunctionCall(name={mail!r}, args=args)))

    def answer(self, part):
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=10, candidates_token_count=2)
        return LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


print("printed by the agent", os.getpid())
root_agent = LlmAgent(name={name!r}, model=Scripted(model="scripted"), instruction="Send mails.")
"""


def write_scenarios(folder: Path, count: int) -> Path:
    """Write scenarios `mail_0` and so on, with the tags `even` and `odd`, as lines of a file, and return the file."""
    path = folder / "scenarios.jsonl"
    path.write_text(
        "".join(json.dumps(build_mail_scenario(number)) + "\n" for number in range(count)), encoding="utf-8"
    )
    return path


def build_mail_scenario(number: int, **definition: Any) -> dict[str, Any]:
    """Build the file of a scenario in which a mail is to be sent."""
    ask = "AgentUserInterface__send_message_to_agent"
    return build_scenario_file(
        build_world_event("ask", "USER", delay=0, call=ask, content=f"mail {number}"),
        build_world_event("mail", "AGENT", ("ask",), MAIL, recipients=[f"{number}@example.org"], subject="mail"),
        build_reply_event("told", "mail"),
        **{"scenario_id": f"mail_{number}", "tags": ["odd" if number % 2 else "even"]} | definition,
    )


def write_agent(folder: Path, passed: Iterable[int], otherwise: str = "") -> Path:
    """Write an agent that passes some scenarios; in the others it sends a wrong mail, or does what `otherwise` says."""
    folder.mkdir(parents=True, exist_ok=True)
    text = _AGENT.format(passed=[str(each) for each in passed], otherwise=otherwise, mail=MAIL, name=folder.name)
    (folder / "agent.py").write_text(text, encoding="utf-8")
    (folder / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    return folder


def let_agent_continue(folder: Path) -> None:
    """Let an agent answer that was written with `wait`: until then it blocks its process after the mail."""
    (folder / "go").touch()


def build_test_plan(scenarios: Path, *agents: Path, runs: int = 1, report: bool = False, **axes: Any) -> BenchPlan:
    """Build a plan of agents in all scenarios of a file."""
    chosen = BenchAxes(agents=tuple(map(str, agents)) or ("default",), runs=runs, **axes)
    return build_plan(find_tasks([str(scenarios)]), chosen, files=RunFiles(report=report))


def run_bench_command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `adksim bench` until it exits."""
    return run_command("bench", *arguments)


def run_command(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `adksim` until it exits."""
    return fork_server.run(["-c", _MAIN, *map(str, arguments)], environment=ENVIRONMENT, cwd=cwd)


def open_bench_command(*arguments: str | Path, terminal: int | None = None, **environment: str) -> OpenProcess:
    """Start `adksim bench`, on a terminal if the descriptor of one is given."""
    command = ["-c", _MAIN, "bench", *map(str, arguments)]
    variables = ENVIRONMENT | environment
    return fork_server.open_process(command, environment=variables, terminal=terminal, keep_errors=terminal is None)


@contextmanager
def keep_bench_running(*arguments: str | Path) -> Generator[OpenProcess]:
    """Run `adksim bench` for as long as the block, unless it ends sooner."""
    process = open_bench_command(*arguments)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.close_streams()


def list_worker_pids(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(each) for each in text.split() if is_running(int(each))]


def is_running(pid: int) -> bool:
    """Return whether a process has not ended; one that nobody has waited for has.

    All of its threads count: the first one may have ended while another still keeps the files and locks of the process.
    """
    try:
        return any(_read_state(task) not in _ENDED_STATES for task in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False


def _read_state(task: Path) -> str:
    """Return the letter of the state of a thread; that of an ended one if there is none."""
    try:
        return (task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def read_outcomes(folder: Path) -> list[BenchResult]:
    """Return the results of a bench, in the order of the file, without the times that they took."""
    return [each.model_copy(update={"wall_seconds": 0.0}) for each in read_results(folder / "results.jsonl")]


def count_lines(folder: Path) -> int:
    """Return the number of results so far."""
    file = folder / "results.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0
