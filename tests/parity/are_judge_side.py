"""Judges traces with the real ARE package; started by `judge_parity.py` in an environment that has the package.

A job is a line of JSON on stdin, its outcome a line of JSON on stdout. `prepare` runs a scenario's oracle, `judge`
judges a trace of the scenario that was prepared last, `speed` measures both.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from types import SimpleNamespace
from typing import Any

_PREPARE = "are.simulation.scenarios.scenario_imported_from_json.utils"
_REPLIES = {"yes": "<subtask>x</subtask> [[Success]] [[True]]", "no": "<subtask>x</subtask> [[Failure]] [[False]]"}


def main() -> None:
    """Run the jobs on stdin."""
    out, sys.stdout = sys.stdout, sys.stderr
    logging.disable(logging.CRITICAL)
    bench = Bench()
    kinds: dict[str, Callable[[Mapping[str, Any]], Any]] = {
        "prepare": bench.prepare,
        "judge": bench.judge,
        "speed": bench.speed,
    }
    for line in sys.stdin:
        job = json.loads(line)
        try:
            outcome = kinds[job["kind"]](job)
        except Exception as error:  # noqa: BLE001 - any exception of the package is its result
            outcome = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(outcome), file=out, flush=True)


class Bench:
    """The scenario that was prepared last, and its judges."""

    def __init__(self) -> None:
        self.scenario: Any = None
        self.judges: dict[str, Any] = {}
        self.app_classes: list[dict[str, Any]] = []
        self.resolved: list[tuple[Any, Any]] = []

    def prepare(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Run the oracle of a scenario and make its judges."""
        self.scenario = _prepare(job["scenario"], _build_scripted_config(set()))
        self.app_classes = [
            {"name": each.name, "class_name": type(each).__name__, "app_state": {}} for each in self.scenario.apps
        ]
        log = self.scenario.oracle_run_event_log
        # A judge writes into the events of the oracle's run, so each verdict starts from a copy.
        self.resolved = [(each.action, dict(each.action.resolved_args)) for each in log]
        tools = {each.tool_name for each in log} | {"AgentUserInterface__send_message_to_user"}
        validation = import_module("are.simulation.validation")
        stated: dict[str, list[Any]] = job.get("params") or {}
        params = {event_id: [_checker_param(each) for each in given] for event_id, given in stated.items()}
        self.judges = {
            "scripted": validation.JudgeFactory()(_build_scripted_config(tools, params)),
            "llm_yes": validation.JudgeFactory()(_model_config("yes", tools)),
            "llm_no": validation.JudgeFactory()(_model_config("no", tools)),
        }
        return {"turns": self.scenario.nb_turns, "events": [_export(each) for each in log]}

    def judge(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Judge a trace: a list of completed events as in files."""
        environment = self._load(job["events"])
        return {name: self._judge_with(judge, environment) for name, judge in self.judges.items()}

    def speed(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Measure how long it takes to construct a judge, and to judge a trace."""
        start = time.process_time()
        self.scenario = _prepare(job["scenario"], _build_scripted_config())
        prepared = time.process_time() - start
        self.app_classes = [
            {"name": each.name, "class_name": type(each).__name__, "app_state": {}} for each in self.scenario.apps
        ]
        environment, times = self._load(job["events"]), list[float]()
        for _ in range(job["rounds"]):
            self.scenario.judge.initialize_state(self.scenario)
            start = time.process_time()
            passed = self._judge_turns(self.scenario.judge, environment)
            times.append(time.process_time() - start)
            if not passed:
                raise RuntimeError("the trace was rejected")
        return {"prepare": prepared, "judge": min(times)}

    def _load(self, events: list[Any]) -> Any:
        definition = {"scenario_id": "x", "start_time": self.scenario.start_time, "duration": 10.0}
        text = json.dumps(
            {
                "metadata": {"definition": definition},
                "apps": self.app_classes,
                "completed_events": events,
                "version": "are_simulation_v1",
            }
        )
        importer = import_module("are.simulation.data_handler.importer").JsonScenarioImporter()
        _, completed, _ = importer.import_from_json(json_str=text, load_completed_events=True)
        log = import_module("are.simulation.types").EventLog.from_list_view(completed)
        return SimpleNamespace(event_log=log)

    def _judge_with(self, judge: Any, environment: Any) -> dict[str, Any]:
        for action, resolved in self.resolved:
            action.resolved_args = dict(resolved)
        judge.initialize_state(self.scenario)
        try:
            passed = self._judge_turns(judge, environment)
        except Exception as error:  # noqa: BLE001 - any exception of the package is its result
            return {"raised": f"{type(error).__name__}: {error}"[:200]}
        state = judge.state
        return {"passed": passed, "turn": state.turn_idx, "matches": dict(state.agent_id_to_oracle_id)}

    def _judge_turns(self, judge: Any, environment: Any) -> bool:
        return all(judge(environment).success for _ in range(self.scenario.nb_turns))


def _prepare(text: str, config: Any) -> Any:
    importer = import_module("are.simulation.data_handler.importer").JsonScenarioImporter()
    scenario, _, _ = importer.import_from_json_to_benchmark(json_str=text, load_completed_events=False)
    import_module(_PREPARE).preprocess_scenario(scenario, judge_config=config, offline_validation=True)
    return scenario


def _engine(reply: str) -> Callable[..., tuple[str, None]]:
    def answer(*_given: object, **_options: object) -> tuple[str, None]:
        return reply, None

    return answer


def _build_scripted_config(tools: set[str] | None = None, params: Mapping[str, Any] | None = None) -> Any:
    configs = import_module("are.simulation.validation.configs")
    return configs.ScriptedGraphPerEventJudgeConfig(
        engine=_engine(""), event_id_to_checker_params=dict(params or {}), **_tool_rows(tools)
    )


def _model_config(reply: str, tools: set[str]) -> Any:
    configs = import_module("are.simulation.validation.configs")
    return configs.GraphPerEventJudgeConfig(engine=_engine(_REPLIES[reply]), **_tool_rows(tools))


def _tool_rows(tools: set[str] | None) -> dict[str, Any]:
    """Return the rows of the package's table for some tools: making a judge of all of them takes seconds."""
    if tools is None:
        return {}
    table = import_module("are.simulation.validation.constants").TOOL_ARG_CHECKER_TYPE_REGISTRY
    return {"per_tool_arg_to_checker_type": {name: row for name, row in table.items() if name in tools}}


def _checker_param(param: Mapping[str, Any]) -> Any:
    configs = import_module("are.simulation.validation.configs")
    return configs.ToolCheckerParam(**{**param, "checker_type": configs.CheckerType(param["checker_type"])})


def _export(event: Any) -> Any:
    exporter = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter
    return json.loads(exporter.convert_completed_event(event).model_dump_json())


if __name__ == "__main__":
    main()
