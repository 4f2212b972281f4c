"""Runs jobs with the real ARE package; started by `run.py` in an environment that has the package.

A job is a line of JSON on stdin, its outcome a line of JSON on stdout. Only public names of the package are used. The
wall clock is frozen, so that time in its world advances only by events and waits, as in ours.
"""

from __future__ import annotations

import base64
import enum
import json
import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, cast

FROZEN_TIME = [time.time()]


def main() -> None:
    """Run the jobs on stdin."""
    out, sys.stdout = sys.stdout, sys.stderr
    logging.disable(logging.CRITICAL)
    time.time = lambda: FROZEN_TIME[0]
    kinds = {"oracle": oracle, "calls": calls, "agent": agent, "load": load, "speed": speed}
    for line in sys.stdin:
        job = json.loads(line)
        try:
            outcome = kinds[job["kind"]](job)
        except Exception as error:  # noqa: BLE001 - any exception of the package is its result
            outcome = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(outcome), file=out, flush=True)


def oracle(job: Mapping[str, Any]) -> dict[str, Any]:
    """Run the scenario with all actions expected of the agent."""
    scenario, environment = _oracle_world(job["scenario"])
    environment.run(scenario)
    exporter = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter()
    text = exporter.export_to_json(env=environment, scenario=scenario, scenario_id=scenario.scenario_id)
    return {
        "died": environment.state.value != "STOPPED",
        "events": json.loads(text)["completed_events"],
        "states": _states(environment),
        "export": text,
    }


def load(job: Mapping[str, Any]) -> dict[str, Any]:
    """Read a trace and return its number of events."""
    scenario, completed, _ = _importer().import_from_json(json_str=job["scenario"], load_completed_events=True)
    scenario.initialize()
    return {"events": len(scenario.events), "completed": len(completed)}


def calls(job: Mapping[str, Any]) -> dict[str, Any]:
    """Call tools in order, without the scenario's events."""
    scenario, environment = _agent_world(job["scenario"], "HIGH", rewired=False)
    environment.event_queue = type(environment.event_queue)()
    answers: list[Any] = []
    values: list[Any] = []
    for each in job["calls"]:
        environment.time_manager.reset(start_time=scenario.start_time + each["t"])
        value, answer = _call_tool(environment, each, values)
        values.append(value)
        answers.append(answer)
    return {"answers": answers, "states": _states(environment)}


def agent(job: Mapping[str, Any]) -> dict[str, Any]:
    """Play an agent's steps in a world with rewired turns."""
    scenario, environment = _agent_world(job["scenario"], job["level"], rewired=True)
    start = scenario.start_time
    environment.tick()
    notifications = [_take_notifications(environment, start)]
    FROZEN_TIME[0] += 0.25
    times = [0.25]
    for step in job["steps"]:
        if step["op"] == "sleep":
            for _ in range(step["seconds"]):
                FROZEN_TIME[0] += 1
                environment.tick()
        else:
            _, answer = _call_tool(environment, step, [])
            if step["fn"] == "wait_for_notification" and "error" in answer:
                raise RuntimeError(f"its event loop died: {answer['error']}")
        notifications.append(_take_notifications(environment, start))
        times.append(round(environment.time_manager.time() - start, 6))
    log = [
        [
            round(each.event_time - start, 6),
            each.event_type.value,
            each.event_id,
            each.function_name(),
            not each.failed(),
        ]
        for each in environment.event_log.list_view()
        if each.event_type.value != "CONDITION"
    ]
    return {"log": log, "notifications": notifications, "times": times, "states": _states(environment)}


def speed(job: Mapping[str, Any]) -> dict[str, Any]:
    """Measure with the real clock."""
    from_start = time.perf_counter
    begun = from_start()
    scenario, _, _ = _importer().import_from_json(json_str=job["scenario"], load_completed_events=False)
    parsed = from_start()
    scenario.initialize()
    ready = from_start()
    found = {"parse": parsed - begun, "init": ready - parsed}
    if job.get("run"):
        environment = _environment(scenario, oracle_mode=True, queue_based_loop=True, exit_when_no_events=True)
        begun = from_start()
        environment.run(scenario)
        found |= {"run": from_start() - begun, "events": environment.get_event_log_size()}
    return found


def _importer() -> Any:
    return import_module("are.simulation.data_handler.importer").JsonScenarioImporter()


def _environment(scenario: Any, notifications: Any = None, **settings: Any) -> Any:
    module = import_module("are.simulation.environment")
    stated = {"start_time": scenario.start_time, "duration": scenario.duration, "verbose": False}
    return module.Environment(module.EnvironmentConfig(**stated, **settings), notification_system=notifications)


def _oracle_world(text: str) -> tuple[Any, Any]:
    scenario, _, _ = _importer().import_from_json(json_str=text, load_completed_events=False)
    scenario.initialize()
    return scenario, _environment(scenario, oracle_mode=True, queue_based_loop=True, exit_when_no_events=True)


def _agent_world(text: str, level: str, *, rewired: bool) -> tuple[Any, Any]:
    scenario, _, _ = _importer().import_from_json_to_benchmark(json_str=text, load_completed_events=False)
    scenario.initialize()
    if rewired:
        utils = "are.simulation.scenarios.scenario_imported_from_json.utils"
        import_module(utils).preprocess_scenario(scenario, judge_config=None)
    module = import_module("are.simulation.notification_system")
    environment = _environment(
        scenario,
        module.VerboseNotificationSystem(getattr(module.VerbosityLevel, level)),
        oracle_mode=False,
    )
    environment.register_apps(scenario.apps)
    environment.schedule(scenario.events)
    environment.start_time = scenario.start_time
    environment.time_manager.reset(start_time=scenario.start_time)
    environment.prepare_events_for_start()
    environment.state = import_module("are.simulation.types").EnvironmentState.RUNNING
    return scenario, environment


def _call_tool(environment: Any, call: Mapping[str, Any], values: list[Any]) -> tuple[Any, Any]:
    app = next(each for each in environment.apps.values() if each.name == call["app"])
    arguments = {name: _resolve_reference(value, values) for name, value in call["args"].items()}
    try:
        value = getattr(app, call["fn"])(**arguments)
    except Exception as error:  # noqa: BLE001 - any exception of the tool is its result
        return None, {"error": [type(error).__name__, str(error)]}
    return value, {"type": type(value).__name__, "value": view(value), "text": str(value)}


def _resolve_reference(value: Any, values: list[Any]) -> Any:
    """Return the value, or the result of the earlier call that it refers to."""
    given: Any = value
    return values[given["$result"]] if isinstance(value, dict) and "$result" in value else given


def _take_notifications(environment: Any, start: float) -> list[Any]:
    now = datetime.fromtimestamp(environment.time_manager.time(), tz=UTC)
    due = environment.notification_system.message_queue.get_by_timestamp(now)
    return [[round(each.timestamp.timestamp() - start, 6), each.message_type.value, each.message] for each in due]


def _states(environment: Any) -> dict[str, Any]:
    return {
        each["app_name"]: view({key: value for key, value in each.items() if key != "app_name"})
        for each in environment.get_apps_state()["apps"]
    }


def view(value: Any) -> Any:
    """Return a value as JSON, in the form of the corpus."""
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: view(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {str(view(key)): view(held) for key, held in cast("dict[Any, Any]", value).items()}
    if isinstance(value, set | frozenset):
        return sorted((view(each) for each in cast("set[Any]", value)), key=str)
    if isinstance(value, list | tuple):
        return [view(each) for each in cast("list[Any]", value)]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    plain = value is None or isinstance(value, str | int | float | bool)
    return value if plain else f"<{type(value).__name__}>"


if __name__ == "__main__":
    main()
