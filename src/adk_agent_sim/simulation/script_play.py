"""Plays scripts (`adk/steps/script.py`) on real agents, and compares what happens with what they expect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from google.adk.apps import App

from adk_agent_sim.adk.steps.script import UNSET, Script, ScriptedCall, ScriptedStep
from adk_agent_sim.adk.steps.steps import Confirmation, CredentialRequest, InputRequest, ModelTurn, Step, ToolTurn
from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.simulation.run_settings import RunSettings
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput
from adk_agent_sim.timeline.json_conversion import to_json_value


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """An expectation that was not met."""

    where: str
    """The step, such as `step 2: call add`."""

    expected: Json
    found: Json


async def play_script(
    app: App, script: Script, eval_set_path: Path | None = None, settings: RunSettings | None = None
) -> list[Mismatch]:
    """Play a script on the real agent.

    Args:
        app: The agent's app.
        script: The script.
        eval_set_path: The EvalSet to which the session is exported if there are no mismatches.
        settings: How the session is run and exported.

    Returns:
        The expectations that were not met; playing stops at a step that cannot be played.
    """
    settings = settings or RunSettings()
    async with settings.open_simulation(app, script.state) as sim:
        mismatches = [mismatch async for mismatch in _play_steps(sim, script)]
        if eval_set_path is not None and not mismatches:
            sim.export(eval_set_path, criteria=settings.criteria)
        return mismatches


@dataclass(frozen=True)
class _ExpectedResults:
    """What the calls of a step must have led to, once the tools among them that the script plays have responded."""

    where: str
    calls: Sequence[ScriptedCall]
    history_start: int

    def find_mismatches(self, sim: Simulation) -> list[Mismatch]:
        return list(_find_mismatches(self.where, self.calls, sim, self.history_start))


async def _play_steps(sim: Simulation, script: Script) -> AsyncIterator[Mismatch]:
    step: Step | None = None
    expected: list[_ExpectedResults] = []
    for number, scripted_step in enumerate(script.steps, start=1):
        where = f"step {number}: {scripted_step.title}"
        if mismatch := _find_wrong_turn(where, step, scripted_step):
            yield mismatch
            return
        # Before the step is played: its calls are those that the history gets from here on.
        expected.append(_ExpectedResults(where, scripted_step.all_calls, len(sim.history())))
        try:
            step = await _play_step(sim, step, scripted_step)
        except SimulatorError as error:
            yield Mismatch(where=where, expected=scripted_step.title, found=f"{type(error).__name__}: {error}")
            return
        # While a tool that the script plays waits for its response, the calls before it may have no results yet.
        if not isinstance(step, ToolTurn):
            for mismatch in [each for results in expected for each in results.find_mismatches(sim)]:
                yield mismatch
            expected.clear()
    for mismatch in [each for results in expected for each in results.find_mismatches(sim)]:
        yield mismatch
    state = to_json_value(await sim.state())
    actual = {key: state.get(key) for key in script.expect_state}
    if not equals_value(actual, script.expect_state):
        yield Mismatch(where="expect_state", expected=script.expect_state, found=actual)


def _find_wrong_turn(where: str, step: Step | None, scripted_step: ScriptedStep) -> Mismatch | None:
    """Return how what the agent waits for differs from what the step says about it."""
    tool = step.tool_name if isinstance(step, ToolTurn) else ""
    if scripted_step.tool and tool != scripted_step.tool:
        found = f"{step}" if step is not None else "nothing was called yet"
        return Mismatch(where=where, expected=f"a call of {scripted_step.tool} that waits for a person", found=found)
    if scripted_step.tool and isinstance(step, ToolTurn):
        if "args" in scripted_step.model_fields_set and not equals_value(dict(step.args), scripted_step.args):
            return Mismatch(where=where, expected={"args": scripted_step.args}, found={"args": dict(step.args)})
        owner = step.agent_name
    else:
        owner = _get_turn_owner(step)
    if scripted_step.agent and owner != scripted_step.agent:
        return Mismatch(where=where, expected={"agent": scripted_step.agent}, found={"agent": owner})
    return None


async def _play_step(sim: Simulation, step: Step | None, scripted_step: ScriptedStep) -> Step:
    if scripted_step.user is not UNSET:
        return await sim.send(scripted_step.user, force=scripted_step.force)
    if step is None:
        raise SimulatorError("the first step of a script must be a user step")
    if scripted_step.respond is not UNSET:
        return await step.respond(scripted_step.respond, force=scripted_step.force)
    if scripted_step.approve is not UNSET:
        return await step.approve(scripted_step.approve)
    if scripted_step.deny:
        return await step.deny()
    if scripted_step.tool:
        return await _respond_as_tool(step, scripted_step)
    if scripted_step.answer is not UNSET:
        return await step.answer(scripted_step.answer, force=scripted_step.force)
    if scripted_step.sign_in:
        return await step.sign_in()
    return await step.calls([(call.call, call.args) for call in scripted_step.all_calls], force=scripted_step.force)


async def _respond_as_tool(step: Step, scripted_step: ScriptedStep) -> Step:
    if scripted_step.raises is not None:
        return await step.raise_error(scripted_step.raises, scripted_step.message)
    if scripted_step.error is not None:
        return await step.give_error(scripted_step.error)
    return await step.give_result(scripted_step.returns, force=scripted_step.force)


def _find_mismatches(
    where: str, expected_calls: Sequence[ScriptedCall], sim: Simulation, history_start: int
) -> Iterator[Mismatch]:
    entries = sim.history()[history_start:]
    made = [entry.call_id for entry in entries if isinstance(entry, ToolCall)]
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    # Calls of later steps may follow in the history, when a tool of the script's had to respond first.
    for call, call_id in zip(expected_calls, made, strict=False):
        result = results.get(call_id)
        failed = result.error_type if isinstance(result, ToolError) else None
        if call.expect_error is not None and failed != call.expect_error:
            yield Mismatch(
                where=f"{where} ({call.call})", expected={"error": call.expect_error}, found=_get_response(result)
            )
        if call.expect is not UNSET and not equals_value(_get_response(result), wrap_result(call.expect)):
            yield Mismatch(
                where=f"{where} ({call.call})", expected=wrap_result(call.expect), found=_get_response(result)
            )


def _get_response(result: ToolOutput | ToolError | None) -> Json:
    return result.response if result is not None else None


def _get_turn_owner(step: Step | None) -> str:
    if isinstance(step, ModelTurn):
        return step.agent_name
    if isinstance(step, ToolTurn):
        return f"tool {step.tool_name}"
    return "the user" if isinstance(step, Confirmation | InputRequest | CredentialRequest) else "nobody"
