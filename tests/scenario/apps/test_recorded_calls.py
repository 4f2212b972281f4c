"""Every recorded call of a tool has the return value, error, text, log, notifications and state changes of ARE."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from are_normal_form import IdNumbering, digest, matches_expected, normalize, to_json_view
from scenario_corpus import ARE_FOLDER, load_lines, load_sandbox, load_scenarios, load_universe
from world_builders import format_call_row

from adk_agent_sim.scenario.app_base.app import DATA, App, AppCall, AppContext, CallerRole, Notification
from adk_agent_sim.scenario.app_base.tool_call import CallOutcome, call_tool
from adk_agent_sim.scenario.apps.registry import BUILT_IN_APPS

_CALLS = load_lines("tool_calls.jsonl")
_START_HASHES: dict[str, dict[str, str]] = json.loads(
    (ARE_FOLDER / "tool_calls_start.json").read_text(encoding="utf-8")
)
_OUTSIDE = re.compile(r"(?<=Operation not allowed outside sandbox: ).*", re.DOTALL)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):.*", re.DOTALL)
_HANDLES = {"TextIOWrapper", "LocalFileOpener"}


def _start(session: str) -> tuple[float, list[Any]]:
    if session == "B":
        return load_sandbox()["metadata"]["definition"]["start_time"], load_sandbox()["apps"]
    return load_scenarios()["scenario_synth_s01_search"]["metadata"]["definition"]["start_time"], load_universe()


def _content(path: str) -> bytes | None:
    file = ARE_FOLDER / "fs_content" / path
    return file.read_bytes() if file.is_file() else None


class _Session:
    """A world in which the recorded calls of one session are repeated."""

    def __init__(self, session: str) -> None:
        self._start, apps = _start(session)
        self._now = self._start
        self._logged: list[AppCall] = []
        self._notifications: list[Notification] = []
        self.world = AppContext(
            now=lambda: self._now,
            record_call=self._logged.append,
            notify_agent=self._notifications.append,
            read_file_content=_content,
        )
        for each in apps:
            BUILT_IN_APPS[each["class_name"]](each["name"], self.world, each["app_state"])
        self._ids = IdNumbering(apps)
        self._states = {name: app.state() for name, app in self.world.apps.items()}
        self.hashes = {name: self._hash(name) for name in self._states}

    def differences(self, row: dict[str, Any]) -> list[str]:
        """Make a call and return how it differs from the recorded one."""
        self._now = self._start + row["t"]
        self._logged.clear()
        self._notifications.clear()
        app = self.world.apps[row["app"]]
        outcome = call_tool(app, row["fn"], self._ids.restore_ids(row["args"]), caller=CallerRole(row["via"]))
        changed = self._detect_changes(app, outcome)
        notified = [
            [each.level.value, each.kind.value, self._ids.replace_ids(each.text)] for each in self._notifications
        ]
        found = {
            "logged": ([format_call_row(each) for each in self._logged], row["logged"]),
            "told": (notified, row.get("told", [])),
            "changed": (changed, row.get("changed", {})),
            **self._compare_result(outcome, row),
        }
        return [
            f"{what}: {ours!r:.600} is not {theirs!r:.600}" for what, (ours, theirs) in found.items() if ours != theirs
        ]

    def _detect_changes(self, called: App, outcome: CallOutcome) -> dict[str, str]:
        """Number new ids in the recorder's order, and return the hashes of the changed states."""
        self._ids.number_new_ids(to_json_view(outcome.value))
        self._ids.number_new_ids(str(outcome.error or ""))
        order = [called.name, *(name for name in self.world.apps if name != called.name)]
        touched = [name for name in order if self.world.apps[name].state() != self._states[name]]
        for name in touched:
            self._states[name] = self.world.apps[name].state()
            self._ids.number_new_ids(self._states[name])
        before = dict(self.hashes)
        self.hashes |= {name: self._hash(name) for name in touched}
        return {name: self.hashes[name] for name in order if self.hashes[name] != before[name]}

    def _compare_result(self, outcome: CallOutcome, row: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
        if outcome.error is not None or "exc" in row:
            text = _TRACEBACK.sub("<TRACEBACK>", _OUTSIDE.sub("<OUTSIDE>", str(outcome.error)))
            raised = [type(outcome.error).__name__, self._ids.replace_ids(text)]
            return {"exc": (raised, row.get("exc"))}
        value = normalize(to_json_view(outcome.value), self._ids, answered=True)
        found: dict[str, tuple[Any, Any]] = {"value": self._value(value, row)}
        if row["type"] not in _HANDLES:
            found["type"] = type(outcome.value).__name__, row["type"]
        text = self._ids.replace_ids(outcome.text or "")
        if "seen" in row:
            found["seen"] = text, row["seen"]
        elif "seen_sha256" in row:
            found["seen"] = sha256(text.encode()).hexdigest(), row["seen_sha256"]
        return found

    def _value(self, value: Any, row: dict[str, Any]) -> tuple[Any, Any]:
        if "ret_sha256" in row:
            return digest(value), row["ret_sha256"]
        expected = row["ret"]
        if row.get("unordered"):
            value, expected = sorted(value, key=json.dumps), sorted(expected, key=json.dumps)
        return (expected, expected) if matches_expected(value, expected) else (value, expected)

    def _hash(self, name: str) -> str:
        return digest(normalize(to_json_view(self._states[name]), self._ids))


@cache
def _differences() -> dict[tuple[str, str], list[str]]:
    """Return the differences by app and tool. The calls of a session are made in order in one world."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    sessions = {name: _Session(name) for name in _START_HASHES}
    for number, row in enumerate(_CALLS):
        for each in sessions[row["in"]].differences(row):
            found[row["app"], row["fn"]].append(f"call {number} in {row['in']}: {each}")
    return found


@pytest.mark.req("004/app-state")
@pytest.mark.parametrize("session", _START_HASHES)
def test_states_load_and_dump_as_the_package_has_them(session: str) -> None:
    world = _Session(session)
    assert world.hashes == _START_HASHES[session]
    for each in _start(session)[1]:
        assert json.dumps(world.world.apps[each["name"]].state()) == json.dumps(each["app_state"] or {})


def _tools(*apps: str) -> list[tuple[str, str]]:
    return [each for each in dict.fromkeys((row["app"], row["fn"]) for row in _CALLS) if each[0] in apps]


@pytest.mark.req("004/apps-email")
@pytest.mark.parametrize(("app", "function"), _tools("Emails"))
def test_every_call_of_the_mail_app_does_what_it_did_in_the_package(app: str, function: str) -> None:
    assert _differences()[app, function] == []


@pytest.mark.req("004/apps-messaging")
@pytest.mark.parametrize(("app", "function"), _tools("Messages", "Chats"))
def test_every_call_of_the_messaging_apps_does_what_it_did_in_the_package(app: str, function: str) -> None:
    assert _differences()[app, function] == []


@pytest.mark.req("004/apps-files")
@pytest.mark.parametrize(("app", "function"), _tools("Files"))
def test_every_call_of_the_file_systems_does_what_it_did_in_the_package(app: str, function: str) -> None:
    assert _differences()[app, function] == []


@pytest.mark.parametrize(
    ("app", "function"),
    _tools("AgentUserInterface", "SystemApp", "Contacts", "Calendar", "RentAFlat", "City", "Cabs", "Shopping"),
)
def test_every_call_of_the_other_apps_does_what_it_did_in_the_package(app: str, function: str) -> None:
    assert _differences()[app, function] == []


def test_the_corpus_calls_every_tool_that_a_run_can_call() -> None:
    classes = {
        (each, app["name"]): BUILT_IN_APPS[app["class_name"]] for each in _START_HASHES for app in _start(each)[1]
    }
    called = {(classes[row["in"], row["app"]], row["fn"]) for row in _CALLS}
    for app in set(classes.values()):
        in_a_run = {name for name, tool in app.tools().items() if tool.kinds - {DATA}}
        assert {function for each, function in called if each is app} >= in_a_run
