"""A mutation test of the judge: the traces of the corpus with one mistake each, and why some are not noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from judge_corpus import list_scenario_ids, load_agent_traces, prepare_judge, read_file
from trace_mutations import TraceEvents, mutate

from adk_agent_sim.scenario import Verdict
from adk_agent_sim.scenario.verdict.checker_table import CHECKERS_BY_TOOL, SOFT

TRACES_PER_KIND = 3


@dataclass(frozen=True, kw_only=True)
class MutatedTrace:
    """A trace of a corpus scenario with one mutation."""

    scenario_id: str
    kind: str
    number: int
    events: TraceEvents

    @property
    def digest(self) -> str:
        """Tells whether a recorded verdict is about this trace."""
        return hashlib.sha256(json.dumps(self.events, sort_keys=True).encode()).hexdigest()[:12]

    def judge(self, judge_kind: str = "scripted") -> Verdict:
        """Return our verdict on the trace."""
        trace: Any = load_agent_traces()[self.scenario_id, "perfect"]
        return prepare_judge(self.scenario_id, judge_kind).judge(read_file({**trace, "completed_events": self.events}))


@cache
def list_mutated_traces(kind: str) -> list[MutatedTrace]:
    """Return the traces of all scenarios of the corpus with one kind of mutation; the same ones every time."""
    return list(_iter_mutated_traces(kind))


def _iter_mutated_traces(kind: str) -> Iterator[MutatedTrace]:
    for scenario_id in list_scenario_ids():
        perfect = get_perfect_events(scenario_id)
        seen: set[str] = set()
        for number in range(TRACES_PER_KIND):
            events = mutate(perfect, kind, Random(f"{scenario_id}/{kind}/{number}"))  # noqa: S311 - test data
            made = MutatedTrace(scenario_id=scenario_id, kind=kind, number=number, events=events or [])
            if events is not None and events != perfect and made.digest not in seen:
                seen.add(made.digest)
                yield made


def get_perfect_events(scenario_id: str) -> TraceEvents:
    """Return the trace of the oracle's run."""
    return load_agent_traces()[scenario_id, "perfect"]["completed_events"]


def explain_survivor(trace: MutatedTrace) -> str:
    """Return the rule that lets a mutated trace pass without soft checks."""
    if trace.kind in _RULES_BY_KIND:
        return _RULES_BY_KIND[trace.kind]
    before = {each["event_id"]: each for each in get_perfect_events(trace.scenario_id)}
    for event in trace.events:
        known = before.get(event["event_id"])
        rule = _explain_added(event) if known is None else _explain_arguments(trace.scenario_id, known, event)
        if rule:
            return rule
    return "within the time window, and in order"


_RULES_BY_KIND = {
    "rename_agent_ids": "the ids of the agent's events do not count",
    "share_event_id": "the ids of the agent's events do not count",
    "change_result": "a result counts only where it is used",
    "switch_app": "apps of one class are the same tool",
}


def _explain_added(event: Mapping[str, Any]) -> str:
    action = event["action"]
    if event["metadata"]["exception"] is not None:
        return "failed calls do not count"
    if action["function"] == "send_message_to_user":
        return "one extra message to the user"
    if event["event_id"].startswith("env_expansion"):
        return "noise does not count"
    if event["event_type"] == "AGENT" and (action["operation_type"] == "READ" or action["function"] == "get_quotation"):
        return "reads do not count"
    return "what happens after the last turn is not judged"


def _explain_arguments(scenario_id: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = ({each["name"]: each["value"] for each in event["action"]["args"]} for event in (before, after))
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name) or (name in old) != (name in new)]
    classes = prepare_judge(scenario_id).plan.class_names
    action = before["action"]
    row = CHECKERS_BY_TOOL.get(f"{classes.get(action['app'])}__{action['function']}", {})
    for name in changed:
        if name not in row:
            return "the argument is not in the table"
        return "texts are not compared without a model" if row[name] == SOFT else f"the same for {row[name]}"
    return ""
