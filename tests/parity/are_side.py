"""Runs jobs with the real ARE package; started by `run.py` in an environment that has the package.

A job is a line of JSON on stdin, its outcome a line of JSON on stdout. Only public names of the package are used. The
wall clock is frozen, so that time in its world advances only by events and waits, as in ours.
"""

from __future__ import annotations

import builtins
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

from are_calls import CallSession
from are_graphs import add_watches, format_log, record_values, strip_watches
from are_view import view

_open = builtins.open

FROZEN_TIME = [1_800_000_000.0]

_OLDER_APPS = {
    "EmailClientApp": "are.simulation.apps.email_client",
    "MessagingApp": "are.simulation.apps.messaging",
    "ReminderApp": "are.simulation.apps.reminder",
}
"""Apps that the package's importer does not know, by class and module; they are created and loaded here."""


def main() -> None:
    """Run the jobs on stdin."""
    out, sys.stdout = sys.stdout, sys.stderr
    logging.disable(logging.CRITICAL)
    time.time = lambda: FROZEN_TIME[0]
    builtins.open = _open_in_sandbox
    kinds = {"calls": calls, "agent": agent, "load": load, "speed": speed, "graph": graph}
    for line in sys.stdin:
        job = json.loads(line)
        try:
            outcome = kinds[job["kind"]](job)
        except Exception as error:  # noqa: BLE001 - any exception of the package is its result
            outcome = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(outcome), file=out, flush=True)


def _open_in_sandbox(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
    """Open a file; apps of the package that write to the host's disk can only write below the temporary folder."""
    writes = isinstance(file, str) and set(mode) & set("wax+")
    if writes and not os.path.abspath(file).startswith(tempfile.gettempdir() + "/"):
        raise PermissionError(f"not allowed in this test: {file}")
    return _open(file, mode, *args, **kwargs)


def graph(job: Mapping[str, Any]) -> dict[str, Any]:
    """Run a scenario with all actions expected of the agent, and with conditions and validations."""
    file = json.loads(job["scenario"])
    text = json.dumps(strip_watches(file, job["watches"]))
    scenario, _, _ = _importer().import_from_json(json_str=text, load_completed_events=False)
    scenario.initialize()
    missing = {each["name"] for each in file["apps"]} - {each.name for each in scenario.apps}
    if missing:
        return {"refused": f"these apps do not load: {missing}"}
    add_watches(scenario, file, job["watches"])
    module = import_module("are.simulation.notification_system")
    told = module.VerboseNotificationSystem(module.VerbosityLevel.HIGH)
    settings = {"oracle_mode": True, "queue_based_loop": True, "exit_when_no_events": True}
    environment = _environment(scenario, told, **settings)
    environment.run(scenario)
    start = scenario.start_time
    return {
        "status": environment.state.value,
        "log": format_log(environment, start),
        "told": [
            [round(each.timestamp.timestamp() - start, 6), each.message_type.value, each.message]
            for each in told.message_queue.get_by_timestamp(datetime.max.replace(tzinfo=UTC))
        ],
        "states": _states(environment),
        "t": round(environment.time_manager.time() - start, 6),
        "export": None if job["watches"] or environment.state.value != "STOPPED" else _export(environment, scenario),
    }


def _export(environment: Any, scenario: Any) -> str:
    exporter = import_module("are.simulation.data_handler.exporter").JsonScenarioExporter()
    return exporter.export_to_json(env=environment, scenario=scenario, scenario_id=scenario.scenario_id)


def calls(job: Mapping[str, Any]) -> dict[str, Any]:
    """Call tools in order, without the scenario's events."""
    scenario, environment = _agent_world(job["scenario"], "HIGH", rewired=False)
    missing = [each["name"] for each in job["apps"] if each["name"] not in environment.apps]
    if missing:
        return {"refused": f"these apps do not load: {missing}"}
    session = CallSession(scenario, environment)
    return {"answers": [session.answer(each) for each in job["calls"]]}


def load(job: Mapping[str, Any]) -> dict[str, Any]:
    """Read a trace and return its number of events."""
    scenario, completed, _ = _importer().import_from_json(json_str=job["scenario"], load_completed_events=True)
    scenario.initialize()
    return {"events": len(scenario.events), "completed": len(completed)}


def agent(job: Mapping[str, Any]) -> dict[str, Any]:
    """Play an agent's steps in a world with rewired turns."""
    scenario, environment = _agent_world(job["scenario"], job["level"], rewired=True)
    start = scenario.start_time
    environment.tick()
    told = [_take_notifications(environment, start)]
    FROZEN_TIME[0] += 0.25
    times = [0.25]
    for step in job["steps"]:
        if step["op"] == "sleep":
            for _ in range(step["seconds"]):
                FROZEN_TIME[0] += 1
                environment.tick()
        else:
            answer = _call_tool(environment, step)
            if step["fn"] == "wait_for_notification" and "error" in answer:
                raise RuntimeError(f"its event loop died: {answer['error']}")
            if step["op"] == "say":  # two messages in one second end only one turn there
                FROZEN_TIME[0] += 1
                environment.tick()
        told.append(_take_notifications(environment, start))
        times.append(round(environment.time_manager.time() - start, 6))
    return {
        "log": [each for each in format_log(environment, start) if each["type"] != "CONDITION"],
        "told": told,
        "times": times,
        "states": _states(environment),
    }


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
    environment = module.Environment(module.EnvironmentConfig(**stated, **settings), notification_system=notifications)
    record_values(environment)
    return environment


def _agent_world(text: str, level: str, *, rewired: bool) -> tuple[Any, Any]:
    file = json.loads(text)
    older = [each for each in file["apps"] if each["class_name"] in _OLDER_APPS]
    file["apps"] = [each for each in file["apps"] if each not in older]
    scenario, _, _ = _importer().import_from_json_to_benchmark(json_str=json.dumps(file), load_completed_events=False)
    scenario.initialize()
    scenario.apps.extend(map(_create_app, older))
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


def _create_app(described: Mapping[str, Any]) -> Any:
    class_name = described["class_name"]
    app = getattr(import_module(_OLDER_APPS[class_name]), class_name)(name=described["name"])
    if described["app_state"]:
        app.load_state(described["app_state"])
    if class_name == "ReminderApp":  # it counts from the host's clock, ours from the start of 2026
        app.max_future_datetime = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(weeks=12)
    return app


def _call_tool(environment: Any, call: Mapping[str, Any]) -> dict[str, Any]:
    app = environment.apps[call["app"]]
    try:
        getattr(app, call["fn"])(**call["args"])
    except Exception as error:  # noqa: BLE001 - any exception of the tool is its result
        return {"error": [type(error).__name__, str(error)]}
    return {}


def _take_notifications(environment: Any, start: float) -> list[Any]:
    now = datetime.fromtimestamp(environment.time_manager.time(), tz=UTC)
    due = environment.notification_system.message_queue.get_by_timestamp(now)
    return [[round(each.timestamp.timestamp() - start, 6), each.message_type.value, each.message] for each in due]


def _states(environment: Any) -> dict[str, Any]:
    return {
        each["app_name"]: view({key: value for key, value in each.items() if key != "app_name"})
        for each in environment.get_apps_state()["apps"]
    }


if __name__ == "__main__":
    main()
