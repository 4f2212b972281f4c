"""`Simulation`: plays an agent's model from Python, one decision at a time, without a browser or a server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase
from google.adk.events import Event as AdkEvent
from google.adk.workflow import BaseNode
from google.genai import types

from adk_agent_sim.adk.agent_run import DEFAULT_USER_ID, AgentRun, unwrap_failure
from adk_agent_sim.adk.environment_factory import EnvironmentSource
from adk_agent_sim.adk.players import create_player_factory
from adk_agent_sim.adk.recorded_session import ModelFunction, StreamPlayer
from adk_agent_sim.adk.steps import Answer, Confirmation, Done, ModelTurn, Step
from adk_agent_sim.adk.user_message import build_user_message
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.environment_report import EnvironmentReport
from adk_agent_sim.errors import RunFailed, SimulatorError
from adk_agent_sim.golden.adk_test_fixture import write_adk_test_fixture
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.faulty_turns import remove_faulty_turns
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle, GoldenTraceBuilder
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.rejected_responses import remove_rejected_responses
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_finished_events
from adk_agent_sim.golden.user_turns import describe_left_out
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.file_names import to_file_stem
from adk_agent_sim.timeline.framework_calls import REQUEST_CONFIRMATION
from adk_agent_sim.timeline.history import HistoryEntry, build_history
from adk_agent_sim.timeline.redaction.redacted_records import iter_redacted_records
from adk_agent_sim.timeline.redaction.redactor import redact_events
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline

_log = get_logger(__name__)


class Simulation:
    """An agent whose model you play.

        async with Simulation(agent) as sim:
            turn = await sim.send("What is 2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            done = await turn.respond("The answer is 4")
            sim.export("evals/math.evalset.json")

    ADK's own Runner runs the agent, with its real tools, callbacks, state, artifacts and transfers. If the run fails,
    RunFailed is raised.
    """

    def __init__(
        self,
        agent: BaseNode | App,
        *,
        model: str | ModelFunction | StreamPlayer = "human",
        state: Mapping[str, Any] | None = None,
        user_id: str = DEFAULT_USER_ID,
        run_config: RunConfig | None = None,
        environment: EnvironmentSource | None = None,
    ) -> None:
        """Prepare a simulation; nothing runs before `start`.

        Args:
            agent: The agent or workflow, or an App with its plugins.
            model: Who plays the model: you ("human"), the agent's own model ("real"), a recording ("replay:FILE" with
                the path of an EvalSet, a timeline or a model cassette), the agent's own model, recorded to a cassette
                ("record:FILE"), or a function from the request to the response.
            state: The initial session state.
            user_id: The ADK user id.
            run_config: ADK's settings for the runs, such as streaming.
            environment: How tools are simulated: rules, the path of a rules file, or ADK's own config.

        Raises:
            InvalidPlayer: There is no such `model`.
        """
        self._store = MemoryStore()
        create_player = create_player_factory(model)
        self._agent_run = AgentRun(
            agent,
            Timeline(self._store),
            player=create_player(),
            state=state,
            user_id=user_id,
            run_config=run_config,
            environment=environment,
        )
        self._change_event = asyncio.Event()
        self._agent_run.on_change = self._change_event.set

    async def start(self) -> Self:
        """Open the session. `async with` does this for you; in a notebook, await it in a cell of its own."""
        await self._agent_run.open()
        return self

    async def close(self) -> None:
        """Stop the run and release the agent's resources. The recording can still be read and exported."""
        await self._agent_run.close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def session_id(self) -> str:
        """The id of the session on the timeline."""
        return self._agent_run.recorded_session.session_id

    @property
    def timeline(self) -> Timeline:
        """The timeline on which the session is recorded."""
        return self._agent_run.timeline

    @property
    def environment(self) -> Environment:
        """The simulated environment: count how often rules matched, disable one, put a fault on the next call."""
        return self._agent_run.environment

    @property
    def environment_report(self) -> EnvironmentReport:
        """What happened to the tool calls so far: which ran for real, which rule simulated the others, unused rules."""
        return self._agent_run.environment_report

    async def send(self, message: Answer | types.Content, *, anyway: bool = False) -> Step:
        """Send a user message and return the next step.

        Args:
            message: Text, a `types.Content`, or data for an agent with an input_schema.
            anyway: Send it even if it does not fit the input_schema.
        """
        await self._agent_run.start(build_user_message(self._agent_run.root_agent, message, anyway=anyway))
        return await self.next()

    async def decide(self, turn_id: str, response: Json, *, anyway: bool = False) -> Step:
        """Decide a turn with an `LlmResponse` as JSON; the methods of `ModelTurn` are more convenient."""
        session = self._agent_run.recorded_session
        await session.decide(TurnDecision(session.session_id, turn_id, response, anyway=anyway))
        return await self.next()

    async def next(self) -> Step:
        """Wait for the next step: a turn of the model, a confirmation, or the end of the run."""
        while True:
            if turns := self.pending():
                return turns[0]
            if not self._agent_run.is_running:
                return self._get_last_step()
            self._change_event.clear()
            await self._change_event.wait()

    def pending(self) -> list[ModelTurn]:
        """Return all turns that wait for a decision, oldest first; parallel agents have several."""
        requests = self._agent_run.recorded_session.pending_requests
        events = self.timeline.peek_pending_turns(self.session_id)
        return [ModelTurn(self, event, requests[event.turn_id]) for event in events if event.turn_id in requests]

    def running(self) -> list[str]:
        """Return the ids of the running tool calls, oldest first."""
        return self._agent_run.recorded_session.running_calls.call_ids

    def cancel(self, call_id: str) -> bool:
        """Cancel one running tool call. The model gets an error response, and the run continues.

        Returns:
            False if the call is not running.
        """
        return self._agent_run.recorded_session.running_calls.cancel(call_id)

    def events(self) -> list[AdkEvent]:
        """Return the ADK events so far."""
        return list(self._agent_run.events)

    def log(self) -> Sequence[Event]:
        """Return the events on the timeline so far."""
        return list(self._store.get_log(self.session_id))

    def history(self) -> list[HistoryEntry]:
        """Return the session as user queries, tool calls, their results, and final responses."""
        return build_history(self.log())

    async def state(self) -> Mapping[str, Any]:
        """Return the current ADK session state."""
        return await self._agent_run.get_state()

    async def artifact(self, filename: str) -> types.Part | None:
        """Return the latest version of an artifact; None if there is none."""
        return await self._agent_run.load_artifact(filename)

    def session(
        self,
        eval_set_path: str | Path | None = None,
        *,
        finished_only: bool = False,
        redact: bool = False,
        include_rejected: bool = True,
    ) -> SimulationSession:
        """Return the session as data, from which golden traces are built.

        Args:
            eval_set_path: The EvalSet that its golden trace is for.
            finished_only: Omit the last invocation if it has not finished.
            redact: Mask secrets.
            include_rejected: Include structured responses that ADK rejected.
        """
        path = f"{to_file_stem(self._agent_run.name)}.evalset.json" if eval_set_path is None else eval_set_path
        config = SimulatedAgentConfig(name=self._agent_run.name, agent=self._agent_run.root_agent, eval_set_path=path)
        events = select_finished_events(self.log()) if finished_only else self.log()
        events = events if include_rejected else remove_rejected_responses(events)
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
        include_rejected: bool = False,
    ) -> EvalCase:
        """Append the session as a golden trace to the EvalSet at `path`, which is created if it does not exist.

        Notes for whoever evaluates with it, such as calls that failed, are logged as warnings.

        Args:
            path: The file, such as `evals/math.evalset.json`.
            eval_id_style: "iso" for `math_agent_2025-12-23T14:30:00`; "selectable" for an id without colons, which
                `adk eval file:id` can select.
            finished_only: Omit the last invocation if it has not finished, instead of raising.
            redact: Mask secrets. Masked arguments of a call will not match when the case is evaluated.
            include_rejected: Include structured responses that the agent's output_schema rejected.

        Raises:
            SessionIncomplete: The session has not finished.
            NotAnEvalSet: The file exists and is not an EvalSet.
        """
        session = self.session(path, finished_only=finished_only, redact=redact, include_rejected=include_rejected)
        builder = GoldenTraceBuilder(session, eval_id_style=eval_id_style)
        case = EvalSetWriter(session.agent_config.resolve_eval_set_path(), session.agent_name).write_eval_case(
            builder.build()
        )
        notes = builder.collect_notes(has_tool_error_plugin=self._agent_run.has_tool_error_plugin)
        for note in [*notes, *describe_left_out(self.log(), include_rejected=include_rejected)]:
            _log.warning("%s: %s", case.eval_id, note)
        return case

    def export_adk_test(self, path: str | Path, *, anyway: bool = False, include_rejected: bool = False) -> None:
        """Write the session as a fixture for `adk test`, which replays it and compares every event.

        Args:
            path: The file, such as `my_agent/tests/refund.json`.
            anyway: Write it even if `adk test` cannot replay the session.
            include_rejected: Include structured responses that the agent's output_schema rejected.

        Raises:
            NotReplayable: `adk test` cannot replay the session.
        """
        events = remove_faulty_turns(self.log())
        write_adk_test_fixture(
            self.session(include_rejected=include_rejected),
            events if include_rejected else remove_rejected_responses(events),
            path,
            has_tool_error_plugin=self._agent_run.has_tool_error_plugin,
            anyway=anyway,
        )

    async def export_jsonl(self, path: str | Path, *, redact: bool = False) -> None:
        """Write the whole timeline as JSON Lines, including requests and artifacts.

        Args:
            path: The file.
            redact: Mask secrets; artifacts that are not text are written as they are.
        """
        session = await self.timeline.get_session(self.session_id)
        records = iter_redacted_records if redact else jsonl.iter_records
        await jsonl.write_records(records(self._store, session), path)

    def report(self, *, redact: bool = True) -> str:
        """Return the session as a Markdown report; secrets are masked unless `redact` is False."""
        return render_markdown_report(self.log(), redact=redact)

    def _get_last_step(self) -> Done | Confirmation:
        failure = self._agent_run.get_failure()
        if failure is not None:
            raise RunFailed(f"The run of {self._agent_run.name!r} failed: {_describe_failure(failure)}") from failure
        question = _find_confirmation_call(self._agent_run.events)
        return Confirmation(self, question) if question else Done(_find_last_answer(self._agent_run.events))


def _describe_failure(failure: BaseException) -> str:
    """Return the message of a failure, with its class unless it is one of ours."""
    cause = unwrap_failure(failure)
    return str(cause) if isinstance(cause, SimulatorError) else f"{type(cause).__name__}: {cause}"


def _find_confirmation_call(events: Sequence[AdkEvent]) -> types.FunctionCall | None:
    """Return the first confirmation that ADK requested since the last user message."""
    first: types.FunctionCall | None = None
    for event in reversed(events):
        if event.author == "user":
            break
        requests = [call for call in event.get_function_calls() if call.name == REQUEST_CONFIRMATION]
        first = requests[0] if requests else first
    return first


def _find_last_answer(events: Sequence[AdkEvent]) -> types.Content | None:
    """Return the final response since the last user message; None if there is none."""
    for event in reversed(events):
        if event.author == "user":
            return None
        if event.is_final_response() and event.content and event.content.parts:
            return event.content
    return None
