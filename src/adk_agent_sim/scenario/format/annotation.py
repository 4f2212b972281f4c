"""What a reviewer says about a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson

_Scenario = TypeVar("_Scenario", bound=ScenarioImportedFromJson)


def annotated(scenario: _Scenario, fields: Mapping[str, str], *, now: float) -> _Scenario:
    """The scenario with these fields of its annotation, dated `now`; the others stay."""
    annotation = scenario.annotation.model_copy(update={**fields, "date": now})
    metadata = scenario.trace.metadata.model_copy(update={"annotation": annotation})
    return replace(scenario, trace=scenario.trace.model_copy(update={"metadata": metadata}))
