"""Linting of scenarios: each finding has its path, its line and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint_are import check_are_import
from adk_agent_sim.scenario.format.lint_calls import check_calls
from adk_agent_sim.scenario.format.lint_finding import LintFinding, LocatedFinding
from adk_agent_sim.scenario.format.lint_order import check_order
from adk_agent_sim.scenario.format.lint_states import check_states
from adk_agent_sim.scenario.format.lint_values import check_values
from adk_agent_sim.scenario.format.scenario_reader import SourceText


def lint(scenario: ScenarioImportedFromJson, *, checks_are: bool = False) -> list[LocatedFinding]:
    """Return the findings of a scenario, by line.

    Args:
        scenario: The scenario.
        checks_are: Whether to also report what the ARE package would refuse.
    """
    try:
        findings = list(_iter_findings(scenario, checks_are=checks_are))
    except SimulatorError as error:  # an app of an installed distribution that does not load
        message, advice = str(error).rstrip("."), "Check the file again after that"
        findings = [LintFinding(code="not-checked", path=(), message=message, advice=advice)]
    source = scenario.source or SourceText(name=scenario.scenario_id, text="")
    return sorted(_locate_findings(source, findings), key=lambda each: (each.line, each.column or 0, each.path))


def _iter_findings(scenario: ScenarioImportedFromJson, *, checks_are: bool) -> Iterator[LintFinding]:
    graph = EventGraph(scenario.trace)
    yield from check_values(scenario.trace, graph)
    yield from check_states(scenario.trace)
    yield from check_calls(scenario.trace, graph)
    yield from check_order(scenario.trace, graph)
    if checks_are:
        yield from check_are_import(scenario, graph)


def _locate_findings(source: SourceText, findings: Sequence[LintFinding]) -> Iterator[LocatedFinding]:
    positions = source.find_positions([each.path for each in findings]) if findings else ()
    for finding, position in zip(findings, positions, strict=True):
        yield LocatedFinding(
            file=source.file,
            line=position.line,
            column=position.column,
            path=source.format_path(finding.path),
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            advice=finding.advice,
        )
