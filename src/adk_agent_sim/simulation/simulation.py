"""`Simulation`: plays an agent's model from Python, one decision at a time, without a browser or a server.

Its own methods export the session: as data, as golden traces, as JSON Lines, and as a report.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any, TypeVar

from google.adk.evaluation.eval_case import EvalCase

from adk_agent_sim.golden.eval_criteria import EvalCriteria
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.golden.export_source import ExportSource
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession
from adk_agent_sim.simulation.time_travel import TimeTravel
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.use_cases import exports
from adk_agent_sim.use_cases.export_records import ExportRequest, ExportResult

T = TypeVar("T")

_log = get_logger(__name__)


class Simulation(TimeTravel):
    """An agent whose model you play.

        async with Simulation(agent) as sim:
            turn = await sim.send("What is 2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            done = await turn.respond("The answer is 4")
            sim.export("evals/math.evalset.json")

    ADK's own Runner runs the agent, with its real tools, callbacks, state, artifacts and transfers. If the run fails,
    RunFailed is raised.
    """

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
        config = self._config if eval_set_path is None else replace_fields(self._config, eval_set_path=eval_set_path)
        source = ExportSource(
            config=config,
            session_id=self.session_id,
            events=self.log(),
            finished_only=finished_only,
            include_rejected=include_rejected,
            redact=redact,
        )
        return SimulationSession.from_events(
            config,
            self.session_id,
            source.trace_events,
            tools=list(self.agent_run.recorded_session.offered_tools.values()),
            adk_session=self.agent_run.recorded_session.adk_session,
        )

    def export(
        self,
        path: str | Path,
        *,
        eval_id_style: EvalIdStyle = "iso",
        finished_only: bool = False,
        redact: bool = False,
        include_rejected: bool = False,
        again: bool = False,
        replace: bool = False,
        replaces: str | None = None,
        criteria: EvalCriteria | None = None,
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
            again: Add it although the session was exported to an EvalSet before.
            replace: Replace the session's earlier case in the file.
            replaces: The id of a case in the file that this one replaces, such as the one before a correction; by
                default the case is added, and the old one kept.
            criteria: What `adk eval` compares, written to the test_config.json beside the file; by default that file
                is left alone.

        Raises:
            SessionIncomplete: The session has not finished.
            AlreadyExported: The session was exported to an EvalSet before.
            ExportRefused: The file has no case `replaces`.
            InvalidCriteria: The test_config.json exists and is something else. Nothing was written.
            NotAnEvalSet: The file exists and is not an EvalSet.
        """
        result = self._export(
            ExportRequest(
                path=str(path),
                again=again,
                replace=replace,
                replaces=replaces,
                finished_only=finished_only,
                include_rejected=include_rejected,
                redact=redact,
                criteria=criteria,
                eval_id_style=eval_id_style,
            ),
            replace_fields(self._config, eval_set_path=path),
        )
        for note in [*result.warnings, *result.left_out]:
            _log.warning("%s: %s", result.eval_id, note)
        return EvalCase.model_validate_json(replace_lone_surrogates(result.text))

    def export_adk_test(
        self,
        path: str | Path,
        *,
        again: bool = False,
        replace: bool = False,
        force: bool = False,
        finished_only: bool = False,
        include_rejected: bool = False,
    ) -> None:
        """Write the session as a fixture for `adk test`, which replays it and compares every event.

        Args:
            path: The file, such as `my_agent/tests/refund.json`.
            again: Write it although the session was exported as a fixture before.
            replace: Replace the file if it exists.
            force: Write it even if `adk test` cannot replay the session.
            finished_only: Omit a user turn that has no final response, instead of raising.
            include_rejected: Include structured responses that the agent's output_schema rejected.

        Raises:
            NotReplayable: `adk test` cannot replay the session.
            AlreadyExported: The session was exported as a fixture before.
            ExportRefused: The file exists.
        """
        request = ExportRequest(
            format="adk-test",
            path=str(path),
            again=again,
            replace=replace,
            force=force,
            finished_only=finished_only,
            include_rejected=include_rejected,
        )
        self._export(request, self._config)

    async def export_jsonl(self, path: str | Path, *, redact: bool = False, replace: bool = False) -> None:
        """Write the whole timeline as JSON Lines, including requests and artifacts.

        Args:
            path: The file.
            redact: Mask secrets; artifacts that are not text are written as they are.
            replace: Replace the file if it exists.

        Raises:
            ExportRefused: The file exists.
        """
        self._export(ExportRequest(format="jsonl", path=str(path), redact=redact, replace=replace), self._config)

    def report(self, *, redact: bool = True) -> str:
        """Return the session as a Markdown report; secrets are masked unless `redact` is False."""
        request = ExportRequest(format="markdown", redact=redact)
        return _run_at_once(exports.render_export(self.timeline, self.session_id, request, self._config))

    def _export(self, request: ExportRequest, config: SimulatedAgentConfig) -> ExportResult:
        return _run_at_once(exports.export_session(self.timeline, self.session_id, request, config, in_thread=False))

    @property
    def _config(self) -> SimulatedAgentConfig:
        name, app = self.agent_run.name, self.agent_run.app
        agent = self.agent_run.root_agent
        return SimulatedAgentConfig(name=name, agent=agent, app=app, eval_set_path=build_eval_set_name(name))


def _run_at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that waits for nothing, because its timeline is in memory."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise RuntimeError("The session is being written. Export it when that is done.")
