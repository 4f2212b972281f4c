"""The wizard without a browser: play an agent's model from Python, one decision at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase
from google.adk.events import Event as AdkEvent
from google.adk.flows.llm_flows.functions import REQUEST_CONFIRMATION_FUNCTION_CALL_NAME
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.agent_run import DEFAULT_USER_ID, AgentRun, unwrap_failure
from adk_agent_sim.adk.environment_factory import EnvironmentSource
from adk_agent_sim.adk.recorded_session import ModelFunction
from adk_agent_sim.adk.steps import Answer, Confirmation, Done, ModelTurn, Step
from adk_agent_sim.adk.user_message import build_user_message
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.errors import RunFailed, SimulatorError
from adk_agent_sim.golden.adk_test_fixture import write_adk_test_fixture
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle, GoldenTraceBuilder
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_finished_events
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.history import HistoryEntry, build_history
from adk_agent_sim.timeline.redaction import redact_events
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_log = logging.getLogger(__name__)


class Simulation:
    """An agent whose model you play.

        async with Simulation(agent) as sim:
            turn = await sim.send("What is 2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            done = await turn.respond("The answer is 4")
            sim.export("evals/math.evalset.json")

    The real Runner runs: tools, callbacks, state, artifacts and transfers are those of the agent. A run that fails
    raises RunFailed.
    """

    def __init__(
        self,
        agent: BaseNode | App,
        *,
        model: Literal["human", "real"] | ModelFunction = "human",
        state: Mapping[str, Any] | None = None,
        user_id: str = DEFAULT_USER_ID,
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
    ) -> None:
        """Prepare to play.

        Args:
            agent: The agent or workflow, or an App with its plugins.
            model: Who plays the model: you ("human"), the agent's own model ("real"), or a function from the
                request to the response.
            state: The session state to begin with.
            user_id: The ADK user.
            run_config: ADK's settings for the runs, such as streaming.
            environment: What tools answer instead of themselves: rules, a rules file, or ADK's own config for it.
        """
        self._store = MemoryStore()
        player = Player(model) if isinstance(model, str) else model
        self._agent_run = AgentRun(
            agent,
            Timeline(self._store),
            player=player,
            state=state,
            user_id=user_id,
            run_config=run_config,
            environment=environment,
        )
        self._change_event = asyncio.Event()
        self._agent_run.on_change = self._change_event.set

    async def start(self) -> Self:
        """Open the session; `async with` does it for you, a notebook can do it in a cell of its own."""
        await self._agent_run.open()
        return self

    async def close(self) -> None:
        """Stop what runs and release what the agent holds; what was recorded can still be read and exported."""
        await self._agent_run.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str:
        """The session on the timeline."""
        return self._agent_run.recorded_session.session_id

    @property
    def timeline(self) -> Timeline:
        """Where everything is recorded."""
        return self._agent_run.timeline

    @property
    def environment(self) -> Environment:
        """What the tools meet: see how often each rule was tried, switch one off, put a fault on a next call."""
        return self._agent_run.environment

    @property
    def environment_report(self) -> EnvironmentReport:
        """What became of the tool calls so far: real, simulated by which rule, rules never used."""
        return self._agent_run.environment_report

    async def send(self, message: Answer | types.Content, *, anyway: bool = False) -> Step:
        """Say something as the user; returns what the agent waits for next.

        Args:
            message: Text, a `types.Content`, or data for an agent with an input_schema.
            anyway: Send it although it does not fit the input_schema.
        """
        await self._agent_run.start(build_user_message(self._agent_run.root_agent, message, anyway=anyway))
        return await self.next()

    async def decide(self, turn_id: str, response: Json, *, anyway: bool = False) -> Step:
        """Answer a turn with an `LlmResponse` as JSON; `ModelTurn` has friendlier ways."""
        session = self._agent_run.recorded_session
        await session.decide(TurnDecision(session.session_id, turn_id, response, anyway=anyway))
        return await self.next()

    async def next(self) -> Step:
        """Wait for what the agent waits for: a turn of its model, a confirmation, or nothing more."""
        while True:
            if turns := self.pending():
                return turns[0]
            if not self._agent_run.is_running:
                return self._get_last_step()
            self._change_event.clear()
            await self._change_event.wait()

    def pending(self) -> list[ModelTurn]:
        """All turns that wait for you, oldest first; parallel agents have several."""
        requests = self._agent_run.recorded_session.pending_requests
        waiting = self.timeline.peek_pending_turns(self.session_id)
        return [ModelTurn(self, asked, requests[asked.turn_id]) for asked in waiting if asked.turn_id in requests]

    def running(self) -> list[str]:
        """The ids of the tool calls that run now, oldest first."""
        return self._agent_run.recorded_session.running_calls.call_ids

    def cancel(self, call_id: str) -> bool:
        """Cancel one running tool call; the model is told, and the session goes on. False if it does not run."""
        return self._agent_run.recorded_session.running_calls.cancel(call_id)

    def events(self) -> list[AdkEvent]:
        """The ADK events so far."""
        return list(self._agent_run.events)

    def log(self) -> Sequence[Event]:
        """The timeline so far."""
        return list(self._store.get_log(self.session_id))

    def history(self) -> list[HistoryEntry]:
        """The timeline as user queries, tool calls, their results, and final responses."""
        return build_history(self.log())

    async def state(self) -> Mapping[str, Any]:
        """The ADK session state now."""
        return await self._agent_run.get_state()

    async def artifact(self, filename: str) -> types.Part | None:
        """The newest version of an artifact."""
        return await self._agent_run.load_artifact(filename)

    def session(
        self, eval_set_path: str | Path | None = None, *, finished_only: bool = False, redact: bool = False
    ) -> SimulationSession:
        """The session as data, as golden traces are built from it.

        Args:
            eval_set_path: Where its golden trace would go.
            finished_only: Leave out a user turn that is still open.
            redact: Take secrets out.
        """
        path = f"{self._agent_run.name}.evalset.json" if eval_set_path is None else eval_set_path
        config = SimulatedAgentConfig(name=self._agent_run.name, agent=self._agent_run.root_agent, eval_set_path=path)
        events = select_finished_events(self.log()) if finished_only else self.log()
        return SimulationSession.from_events(
            config,
            self.session_id,
            redact_events(events) if redact else events,
            tools=list(self._agent_run.recorded_session.offered_tools.values()),
            adk_session=self._agent_run.recorded_session.adk_session,
        )

    def export(
        self,
        path: str | Path,
        *,
        eval_id_style: EvalIdStyle = "iso",
        finished_only: bool = False,
        redact: bool = False,
    ) -> EvalCase:
        """Append the session as a golden trace to the EvalSet at `path`, which is made if there is none.

        What whoever evaluates against it should know, such as calls that failed, is logged as a warning.

        Args:
            path: The file, as `evals/math.evalset.json`.
            eval_id_style: "iso" as `math_agent_2025-12-23T14:30:00`; "selectable" has no colon, so that
                `adk eval file:id` can select it.
            finished_only: Leave out a user turn that is still open, instead of refusing.
            redact: Take secrets out. What is masked in the arguments of a call does not match when it is evaluated.
        """
        session = self.session(path, finished_only=finished_only, redact=redact)
        builder = GoldenTraceBuilder(session, eval_id_style=eval_id_style)
        case = EvalSetWriter(session.agent_config.resolve_eval_set_path(), session.agent_name).write_eval_case(
            builder.build()
        )
        for note in builder.collect_notes(has_tool_error_plugin=self._agent_run.has_tool_error_plugin):
            _log.warning("%s: %s", case.eval_id, note)
        return case

    def export_adk_test(self, path: str | Path, *, anyway: bool = False) -> None:
        """Write the session as a fixture for `adk test`, which replays it and compares every event.

        Args:
            path: The file, as `my_agent/tests/refund.json`.
            anyway: Write it although `adk test` cannot do again what happened.
        """
        write_adk_test_fixture(
            self.session(), self.log(), path, has_tool_error_plugin=self._agent_run.has_tool_error_plugin, anyway=anyway
        )

    async def export_jsonl(self, path: str | Path) -> None:
        """Write the whole timeline as JSON Lines, requests and artifacts too; nothing is redacted."""
        (session,) = [one for one in await self._store.list_sessions() if one.session_id == self.session_id]
        await jsonl.write_session(self._store, session, path)

    def report(self, *, redact: bool = True) -> str:
        """The session as Markdown for people, secrets taken out."""
        return render_markdown_report(self.log(), redact=redact)

    def _get_last_step(self) -> Done | Confirmation:
        failure = self._agent_run.get_failure()
        if failure is not None:
            raise RunFailed(f"The run of {self._agent_run.name!r} failed: {_describe_failure(failure)}") from failure
        question = _find_confirmation_call(self._agent_run.events)
        return Confirmation(self, question) if question else Done(_find_last_answer(self._agent_run.events))


def _describe_failure(failure: BaseException) -> str:
    """What went wrong; what we raised ourselves says it without its class."""
    why = unwrap_failure(failure)
    return str(why) if isinstance(why, SimulatorError) else f"{type(why).__name__}: {why}"


def _find_confirmation_call(events: Sequence[AdkEvent]) -> types.FunctionCall | None:
    """The first confirmation that was asked for since the user last spoke."""
    found: types.FunctionCall | None = None
    for event in reversed(events):
        if event.author == "user":
            break
        asked = [call for call in event.get_function_calls() if call.name == REQUEST_CONFIRMATION_FUNCTION_CALL_NAME]
        found = asked[0] if asked else found
    return found


def _find_last_answer(events: Sequence[AdkEvent]) -> types.Content | None:
    """The final response since the user last spoke."""
    for event in reversed(events):
        if event.author == "user":
            return None
        if event.is_final_response() and event.content and event.content.parts:
            return event.content
    return None
