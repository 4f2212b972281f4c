"""The export of a session whose texts contain halves of surrogate pairs, which UTF-8 cannot represent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from google.adk.sessions import Session as AdkSession
from google.adk.tools import ToolContext

from adk_agent_sim import Simulation
from adk_agent_sim.cli.main import adksim
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormatName
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import Session
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.export_records import ExportRequest
from adk_agent_sim.use_cases.exports import export_session

HALF = "half \ud83d"
REPLACED = "half \ufffd"


def look(context: ToolContext, **wanted: Any) -> dict[str, Any]:
    """Look."""
    context.state[HALF] = {HALF: HALF}
    return {HALF: [HALF]}


def fail(why: str) -> None:
    """Fail."""
    raise ValueError(why)


async def play_session(path: Path) -> None:
    """Write the timeline of a session in which everybody says halves of pairs."""
    agent = LlmAgent(name="looker", model="no/such/model", instruction=HALF, tools=[look, fail])
    async with Simulation(agent, state={f"first {HALF}": HALF}) as sim:
        turn = await sim.send(HALF)
        turn = await turn.calls([("look", {"wanted": HALF}), ("fail", {"why": HALF})], force=True)
        await turn.respond(HALF)
    await sim.export_jsonl(path)


async def load_session(path: Path) -> None:
    async with open_store(path.with_suffix(".db")) as store:
        await jsonl.load_session(path, store)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a timeline on which all texts that may contain a half of a pair do so; its database is beside it."""
    path = tmp_path_factory.mktemp("halves") / "session.jsonl"
    asyncio.run(play_session(path))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0]["session"]["description"] = HALF
    lines[1]["event"]["payload"].update(dict.fromkeys(("app_name", "user_id", "adk_session_id"), HALF))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    asyncio.run(load_session(path))
    return path


def check_eval_set(text: str, path: Path) -> None:
    (case,) = EvalSet.model_validate_json(text).eval_cases
    assert case.session_input is not None
    assert (case.session_input.app_name, case.session_input.user_id) == (REPLACED, REPLACED)
    assert case.session_input.state == {f"first {REPLACED}": REPLACED}
    assert (case.final_session_state or {})[REPLACED] == {REPLACED: REPLACED}
    (invocation,) = case.conversation or []
    assert (invocation.user_content.parts or [])[0].text == REPLACED


def check_fixture(text: str, path: Path) -> None:
    session = AdkSession.model_validate_json(text)
    assert (session.app_name, session.user_id) == (REPLACED, REPLACED)
    contents = [event.content for event in session.events]
    texts = [part.text for content in contents if content for part in content.parts or () if part.text]
    assert texts == [REPLACED, REPLACED]


def check_timeline(text: str, path: Path) -> None:
    exported = path.with_name("exported.jsonl")
    exported.write_text(text, encoding="utf-8")
    session, *others = jsonl.read_records(path)
    assert isinstance(session, Session)
    # Only the description is stored without the halves.
    assert list(jsonl.read_records(exported)) == [replace(session, description=REPLACED), *others]


def check_report(text: str, path: Path) -> None:
    assert text.count(REPLACED) > 5


CHECKS: Final[dict[ExportFormatName, Callable[[str, Path], None]]] = {
    "evalset": check_eval_set,
    "adk-test": check_fixture,
    "jsonl": check_timeline,
    "markdown": check_report,
}


@pytest.mark.parametrize("format_name", EXPORT_FORMATS)
def test_every_format_can_be_written_and_read_again(format_name: ExportFormatName, path: Path, tmp_path: Path) -> None:
    out = tmp_path / "tests" / "out"
    database = path.with_suffix(".db")
    arguments = ["export", "last", "--db", str(database), "--format", format_name, "--out", f"{out}.json"]
    options = ["--force"] if format_name == "adk-test" else []

    done = CliRunner().invoke(adksim, [*arguments, *options])

    assert done.exit_code == 0, (done.output, done.exception)
    CHECKS[format_name](out.with_suffix(".json").read_text(encoding="utf-8"), path)


@pytest.mark.parametrize("format_name", EXPORT_FORMATS)
async def test_the_browser_writes_what_the_command_writes(
    format_name: ExportFormatName, path: Path, tmp_path: Path
) -> None:
    agent = LlmAgent(name="looker", model="no/such/model")
    config = SimulatedAgentConfig(name=HALF, agent=agent, eval_set_path=tmp_path / "out.json", folder=tmp_path)
    request = ExportRequest(format=format_name, force=True, again=True, finished_only=True)

    async with open_store(path.with_suffix(".db")) as store:
        timeline = Timeline(store)
        [summary] = await timeline.list_summaries()
        session_id = summary.session.session_id
        written = Path((await export_session(timeline, session_id, request, config, is_confined=True)).path)

    CHECKS[format_name](written.read_text(encoding="utf-8"), path)  # noqa: ASYNC240 - a test
