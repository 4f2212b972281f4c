"""Builds the environment report of a recorded session from its timeline."""

from __future__ import annotations

from collections.abc import Iterable

from adk_agent_sim.environment.environment_report import CallTally, EnvironmentReport
from adk_agent_sim.timeline.events import EnvironmentDecided, Event, ToolStarted


def build_recorded_report(events: Iterable[Event]) -> EnvironmentReport:
    """Returns the report of a session.

    Rules that were never considered for a call are not on the timeline, so they are not reported as unused.
    """
    tally, rules, decided = CallTally(), dict[str, None](), set[str]()
    for event in events:
        match event.payload:
            case EnvironmentDecided() as decision:
                decided.add(decision.call_id)
                rules.update(dict.fromkeys(each["rule"] for each in decision.passed_over))
                if decision.rule:
                    rules[decision.rule] = None
                    tally.simulated[decision.tool_name, decision.rule] += 1
                else:
                    tally.uncovered[decision.tool_name] += 1
            case ToolStarted(call_id=call_id, tool_name=tool) if call_id not in decided:
                tally.real[tool] += 1
            case _:
                pass
    return EnvironmentReport.from_tally(tally, rules)
