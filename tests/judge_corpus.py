"""The traces of the corpus with their recorded verdicts, and judges of its scenarios that tests share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from scenario_corpus import load_lines, load_scenarios

from adk_agent_sim.scenario import JsonScenarioImporter, Judge, ScenarioImportedFromJson, SoftCheck

SOFT_JUDGES: Mapping[str, Callable[[SoftCheck], bool] | None] = {
    "scripted": None,
    "llm_yes": lambda check: True,
    "llm_no": lambda check: False,
}
"""The three recorded judges: without soft checks, and with models that always answer the same."""


def read_file(value: Any) -> ScenarioImportedFromJson:
    """Read a scenario or trace from JSON values."""
    return JsonScenarioImporter().import_from_json(json_str=json.dumps(value))[0]


@cache
def load_corpus_scenario(scenario_id: str) -> ScenarioImportedFromJson:
    """Return a scenario of the corpus."""
    return read_file(load_scenarios()[scenario_id])


@cache
def prepare_judge(scenario_id: str, kind: str = "scripted") -> Judge:
    """Return a judge of a corpus scenario; `kind` is a name of `SOFT_JUDGES`."""
    return Judge(load_corpus_scenario(scenario_id), soft=SOFT_JUDGES[kind])


@cache
def load_agent_traces() -> Mapping[tuple[str, str], Any]:
    """Return the traces as JSON values by scenario and mutation."""
    return {(each["scenario"], each["mutation"]): each["trace"] for each in load_lines("agent_traces.jsonl")}


@cache
def list_scenario_ids() -> list[str]:
    """Return the scenarios of the corpus that have traces."""
    return list(dict.fromkeys(scenario_id for scenario_id, _ in load_agent_traces()))
