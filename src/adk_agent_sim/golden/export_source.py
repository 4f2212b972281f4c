"""A session as it is exported: which of its events count in a golden trace and in a report, with or without secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from google.adk.evaluation.eval_case import EvalCase

from adk_agent_sim.errors import SessionIncomplete
from adk_agent_sim.golden.golden_trace_builder import EvalIdStyle, GoldenTraceBuilder
from adk_agent_sim.golden.session import (
    SimulatedAgentConfig,
    SimulationSession,
    select_finished_events,
)
from adk_agent_sim.golden.trace_omissions import describe_left_out, remove_faulty_turns, remove_rejected_responses
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.redaction.redactor import redact_events
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(frozen=True, kw_only=True)
class ExportSource:
    """The events of a session, what is known of its agent, and what is exported of it.

    Decisions that were undone are never exported, and injected faults of models are only in reports.
    """

    config: SimulatedAgentConfig
    session_id: str
    events: Sequence[Event]

    finished_only: bool = False
    """Whether a user turn without a final response is left out; otherwise a golden trace is refused for it."""

    include_rejected: bool = False
    """Whether a golden trace has the structured responses that the agent's output_schema rejected."""

    redact: bool = False
    """Whether secrets are removed."""

    eval_id_style: EvalIdStyle = "iso"

    @cached_property
    def _log(self) -> Sequence[Event]:
        # All events, because what is exported may repeat a secret that another event names.
        return redact_events(self.events) if self.redact else self.events

    @cached_property
    def trace_events(self) -> Sequence[Event]:
        """The events of a golden trace or a fixture."""
        log = self._log
        selected = select_finished_events(log) if self.finished_only else remove_faulty_turns(remove_undone_events(log))
        return selected if self.include_rejected else remove_rejected_responses(selected)

    @cached_property
    def shown_events(self) -> Sequence[Event]:
        """The events of a report, which shows injected faults, rejected responses and what was undone too."""
        return select_finished_events(self._log) if self.finished_only else self._log

    @cached_property
    def left_out(self) -> list[str]:
        """What a golden trace leaves out, and why."""
        return describe_left_out(self._log, include_rejected=self.include_rejected)

    @cached_property
    def session(self) -> SimulationSession:
        """The session from which golden traces are built; raises SessionIncomplete, which says why, if nothing is."""
        if self.finished_only and not self.trace_events and self.left_out:
            raise SessionIncomplete(self.session_id, self.left_out)
        return SimulationSession.from_events(self.config, self.session_id, self.trace_events)

    @cached_property
    def case(self) -> EvalCase:
        """The EvalSet case; raises SessionIncomplete, which lists what is missing."""
        return GoldenTraceBuilder(self.session, eval_id_style=self.eval_id_style).build()
