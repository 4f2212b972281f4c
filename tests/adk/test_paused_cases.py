"""Eval cases of sessions that paused: their badge says that they cannot be replayed, not that they have drifted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools import ToolContext
from pausing_agents import build_credential_app

from adk_agent_sim import Simulation
from adk_agent_sim.adk.evals.recording_replay import BadgeState, CaseBadge, replay_case, replay_recording
from adk_agent_sim.adk.steps.steps import Confirmation, CredentialRequest, Step
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.golden.recording import build_recording


def refund(amount: int, tool_context: ToolContext) -> dict[str, Any]:
    """Refund an amount, when the user agrees."""
    if tool_context.tool_confirmation is None:
        tool_context.request_confirmation(hint="Really?")
        return {"status": "waiting for the user"}
    return {"refunded": amount if tool_context.tool_confirmation.confirmed else 0}


def _build_bank() -> App:
    return App(name="bank", root_agent=LlmAgent(name="bank", model="m", tools=[refund, count]))


def count(amounts: list[int]) -> int:
    """Count amounts."""
    return len(amounts)


def count_wrongly(amounts: list[int]) -> int:
    """Count amounts."""
    return len(amounts) + 1


async def _refund(turn: Step) -> Step:
    """The model goes on after the tool has asked; the user is asked when it has answered."""
    turn = await turn.call("refund", {"amount": 5})
    asked = await turn.respond("Please confirm")
    assert isinstance(asked, Confirmation)
    return await asked.approve()


async def _sign_in(turn: Step) -> Step:
    asked = await turn.call("get_weather", {"city": "Rome"})
    assert isinstance(asked, CredentialRequest)
    return await asked.sign_in()


async def _give_key(turn: Step) -> Step:
    asked = await turn.call("get_weather", {"city": "Rome"})
    assert isinstance(asked, CredentialRequest)
    return await asked.answer("sk-live-Zq81mQ0vXe")


Play = Callable[[Step], Awaitable[Step]]
TIMELINE = "`adksim export --format jsonl`"


async def _check(app: App, path: Path) -> CaseBadge:
    return await replay_case(app, EvalFile(path).read().cases[0])


@pytest.mark.parametrize(
    ("app", "play", "reason"),
    [
        (_build_bank(), _refund, "The call of 'refund' waits for the user's consent"),
        (build_credential_app("m"), _sign_in, "only a timeline contains a simulated sign-in"),
        (build_credential_app("m"), _give_key, "No recording contains a credential"),
    ],
)
async def test_a_case_that_paused_is_not_replayable(app: App, play: Play, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "case.evalset.json"
    async with Simulation(app) as sim:
        turn = await play(await sim.send("Hello"))
        await turn.respond("Done")
        sim.export(path)
    badge = await _check(app, path)
    assert badge.state is BadgeState.NOT_REPLAYABLE
    assert reason in badge.reason
    assert TIMELINE in badge.reason


async def test_a_case_that_changed_before_it_paused_has_drifted(tmp_path: Path) -> None:
    path = tmp_path / "case.evalset.json"
    async with Simulation(_build_bank()) as sim:
        turn = await (await sim.send("How many?")).call("count", {"amounts": [1, 2]})
        await turn.respond("2")
        turn = await _refund(await sim.send("Refund 5"))
        await turn.respond("Done")
        sim.export(path)
    assert (await _check(_build_bank(), path)).state is BadgeState.NOT_REPLAYABLE
    count_wrongly.__name__ = "count"
    changed = App(name="bank", root_agent=LlmAgent(name="bank", model="m", tools=[refund, count_wrongly]))
    badge = await _check(changed, path)
    assert badge.state is BadgeState.DRIFTED
    assert badge.reason == "Call 1 of count after message 1 is not as recorded."


async def test_a_consent_that_a_tool_asked_for_is_given_again_from_a_timeline() -> None:
    async with Simulation(_build_bank()) as sim:
        turn = await _refund(await sim.send("Refund 5"))
        await turn.respond("Done")
        recording = build_recording(sim.log(), "refund")
    replay = await replay_recording(_build_bank(), recording)
    assert (replay.problem, replay.paused_at) == ("", None)
    assert replay.is_unchanged
    assert replay.comparison.compared_call_count
