"""What is wrong with a scenario that can be read: each finding with its place, its line and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adk_agent_sim.scenario.format.finding import Finding, Located
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.lint_are import refused_by_are
from adk_agent_sim.scenario.format.lint_calls import wrong_calls
from adk_agent_sim.scenario.format.lint_order import wrong_order
from adk_agent_sim.scenario.format.lint_values import wrong_values
from adk_agent_sim.scenario.format.reading import Source
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson


def lint(scenario: ScenarioImportedFromJson, *, are: bool = False) -> list[Located]:
    """The findings of a scenario, in the order of its lines.

    Args:
        scenario: The scenario.
        are: Whether to tell also what the ARE package would refuse.
    """
    found = list(_findings(scenario, are=are))
    source = scenario.source or Source(name=scenario.scenario_id, text="")
    return sorted(_located(source, found), key=lambda each: (each.line, each.path))


def _findings(scenario: ScenarioImportedFromJson, *, are: bool) -> Iterator[Finding]:
    graph = EventGraph(scenario.trace)
    yield from wrong_values(scenario.trace, graph)
    yield from wrong_calls(scenario.trace, graph)
    yield from wrong_order(scenario.trace, graph)
    if are:
        yield from refused_by_are(scenario, graph)


def _located(source: Source, found: Sequence[Finding]) -> Iterator[Located]:
    for finding, line in zip(found, source.lines([each.path for each in found]) if found else (), strict=True):
        yield Located(
            file=source.name,
            line=line,
            path=source.written(finding.path),
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            advice=finding.advice,
        )
