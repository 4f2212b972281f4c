"""The exports of a simulation: its session as data, as golden traces, as JSON Lines, and as a report."""

from __future__ import annotations

from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase

from adk_agent_sim.golden.adk_test_fixture import write_adk_test_fixture
from adk_agent_sim.golden.eval_criteria import EvalCriteria, check_config, write_criteria
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle, GoldenTraceBuilder
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_exported_events
from adk_agent_sim.golden.user_turns import describe_left_out
from adk_agent_sim.simulation.session_actions import SessionActions
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.redaction.redacted_records import iter_redacted_records
from adk_agent_sim.timeline.redaction.redactor import redact_events

_log = get_logger(__name__)


class SessionExports(SessionActions):
    """Reads and exports the session of a simulation."""

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
        path = build_eval_set_name(self.agent_run.name) if eval_set_path is None else eval_set_path
        config = SimulatedAgentConfig(name=self.agent_run.name, agent=self.agent_run.root_agent, eval_set_path=path)
        events = select_exported_events(self.log(), finished_only=finished_only, include_rejected=include_rejected)
        return SimulationSession.from_events(
            config,
            self.session_id,
            redact_events(events) if redact else events,
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
            replaces: The id of a case in the file that this one replaces, such as the one before a correction; by
                default the case is added, and the old one kept.
            criteria: What `adk eval` compares, written to the test_config.json beside the file; by default that file
                is left alone.

        Raises:
            SessionIncomplete: The session has not finished.
            ExportRefused: The file has no case `replaces`.
            InvalidCriteria: The test_config.json exists and is something else. Nothing was written.
            NotAnEvalSet: The file exists and is not an EvalSet.
        """
        session = self.session(path, finished_only=finished_only, redact=redact, include_rejected=include_rejected)
        builder = GoldenTraceBuilder(session, eval_id_style=eval_id_style)
        eval_set_path = session.agent_config.resolve_eval_set_path()
        if criteria is not None:
            check_config(eval_set_path, criteria)
        writer = EvalSetWriter(eval_set_path, session.agent_name)
        case = writer.write_eval_case(builder.build(), replaces)
        if criteria is not None:
            write_criteria(eval_set_path, criteria)
        notes = builder.collect_notes(has_tool_error_plugin=self.agent_run.has_tool_error_plugin)
        for note in [*notes, *describe_left_out(self.log(), include_rejected=include_rejected)]:
            _log.warning("%s: %s", case.eval_id, note)
        return case

    def export_adk_test(self, path: str | Path, *, force: bool = False, include_rejected: bool = False) -> None:
        """Write the session as a fixture for `adk test`, which replays it and compares every event.

        Args:
            path: The file, such as `my_agent/tests/refund.json`.
            force: Write it even if `adk test` cannot replay the session.
            include_rejected: Include structured responses that the agent's output_schema rejected.

        Raises:
            NotReplayable: `adk test` cannot replay the session.
        """
        write_adk_test_fixture(
            self.session(include_rejected=include_rejected),
            select_exported_events(self.log(), include_rejected=include_rejected),
            path,
            has_tool_error_plugin=self.agent_run.has_tool_error_plugin,
            force=force,
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
