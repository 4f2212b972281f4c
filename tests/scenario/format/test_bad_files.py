"""Files that are not scenarios give one clear error."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario
from terminal_safety import find_unsafe_characters

from adk_agent_sim.errors import InvalidScenario, SimulatorError
from adk_agent_sim.scenario import JsonScenarioExporter, JsonScenarioImporter, load_scenario
from adk_agent_sim.scenario.apps.registry import find_app_class
from adk_agent_sim.scenario.format.lint import lint
from adk_agent_sim.scenario.format.scenario_summary import render_svg, render_text

_EXAMPLE = SPEC_EXAMPLE.read_text()

_BAD: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "line 1: it is not JSON: Expecting value"),
    "truncated": (_EXAMPLE[:400], "line 19: it is not JSON: Expecting property name enclosed in double quotes"),
    "not UTF-8": (b'{"a":\n "\xff"}', "line 2: it is not UTF-8 text"),
    "a list": ("[]", "the file (line 1): it must be an object"),
    "a number": ("5", "the file (line 1): it must be an object"),
    "empty object": ("{}", "version (line 1): it is missing"),
    "NaN": ('{"version": NaN}', "NaN is not a JSON number"),
    "infinite": ('{"version": 1e999}', "the number 1e999 is too large"),
    "huge": ('{"version": ' + "9" * 10_000 + "}", "is too large"),
    "deep": ("[" * 100_000 + "]" * 100_000, "it is nested too deeply to be read"),
    "deep, never closed": ('{"a":' * 100_000, "it is nested too deeply to be read"),
    "a key twice": ('{"version": "1", "version": "2"}', "the key 'version' twice"),
    "other version": (
        json.dumps(build_scenario() | {"version": "are_simulation_v9"}),
        "'are_simulation_v9' is not a known version",
    ),
    "id of a wrong type": (
        json.dumps(build_scenario(build_event("e") | {"event_id": 5})),
        "events[0].event_id (line 1): it must be a string",
    ),
    "time of a wrong type": (
        json.dumps(build_scenario(build_event("e", event_time="5"))),
        "events[0].event_time (line 1): it must be a number",
    ),
    "yes is no number": (json.dumps(build_scenario(duration=True)), "duration (line 1): it must be a number"),
    "events is no list": (json.dumps(build_scenario() | {"events": {}}), "events (line 1): it must be a list"),
    "an event is null": (json.dumps(build_scenario() | {"events": [None]}), "events[0] (line 1): it must be an object"),
    "no id": (
        json.dumps({"version": "are_simulation_v1", "metadata": {"definition": {}}}),
        "scenario_id (line 1): it is missing",
    ),
}


@pytest.mark.parametrize("name", _BAD)
@pytest.mark.req("004/schema-types", "004/schema-values", "004/schema-errors")
def test_a_bad_file_gives_one_clear_error(name: str) -> None:
    text, message = _BAD[name]
    with pytest.raises(InvalidScenario) as error:
        JsonScenarioImporter().import_from_json(text)
    assert message in str(error.value)
    assert len(str(error.value)) < 4_000


@pytest.mark.parametrize("missing", ["nowhere.json", "nul\0.json", "."])
def test_a_path_without_a_scenario_says_so(missing: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidScenario, match="Cannot read a scenario from"):
        load_scenario(str(tmp_path / missing))


def test_wrong_fields_in_flat_metadata_are_named_as_the_file_has_them() -> None:
    with pytest.raises(InvalidScenario, match=r"metadata\.seed \(line 4\)"):
        JsonScenarioImporter().import_from_json(_EXAMPLE.replace("12345", '"many"'))


def test_many_wrong_events_are_counted_not_listed() -> None:
    text = json.dumps(build_scenario() | {"events": [{}] * 1000})
    with pytest.raises(InvalidScenario, match=r"and \d+ more"):
        JsonScenarioImporter().import_from_json(text)


_HOSTILE = [
    "os.system",
    "__import__('os').system",
    "../../etc/passwd",
    "subprocess:Popen",
    "antigravity",
    "this.d",
    "",
    ".",
]


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_class_name_is_kept_as_text_and_imports_nothing(name: str) -> None:
    before = set(sys.modules)
    file = build_scenario(build_event("e", class_name=name))
    file["apps"] = [{"name": name, "class_name": name, "app_state": {"__class__": name}}]
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
    JsonScenarioExporter().export_to_json(scenario=imported)
    assert find_app_class(name) is None
    assert set(sys.modules) == before


@given(st.text() | st.binary())
@example('{"metadata": {"scenario_id": []}, "events": [[]], "apps": [5]}')
def test_any_text_gives_a_scenario_or_one_error(text: str | bytes) -> None:
    with pytest.raises(InvalidScenario):
        JsonScenarioImporter().import_from_json(text)


_JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["2.0", "ENV", "task"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    elif isinstance(value, list):
        children = list(enumerate(value))  # pyright: ignore[reportUnknownArgumentType]
    return [path, *(place for key, child in children for place in _places(child, (*path, key)))]


_FILES = [json.loads(_EXAMPLE), build_scenario(build_event("ask", "USER"), build_event("say", "AGENT", after=("ask",)))]


@given(st.data())
def test_a_scenario_with_junk_in_any_place_is_handled_or_refused(data: st.DataObject) -> None:
    file = json.loads(json.dumps(data.draw(st.sampled_from(_FILES))))
    *around, last = data.draw(st.sampled_from(_places(file)[1:]))
    target = file
    for key in around:
        target = target[key]
    target[last] = data.draw(_JUNK)
    with contextlib.suppress(SimulatorError):
        imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(file))
        JsonScenarioExporter().export_to_json(scenario=imported)
        assert all(str(found) for found in lint(imported, checks_are=True))
        render_text(imported)
        render_svg(imported)


_EXTREME: dict[str, dict[str, Any]] = {
    "times beyond any number": build_scenario(
        build_event("a", event_relative_time=1e308),
        build_event("b", after=("a",), event_relative_time=1e308),
        start_time=1e308,
    ),
    "integers beyond any float that is exact": build_scenario(
        build_event("a", event_relative_time=10**298), start_time=-(10**298)
    ),
    "a duration below zero": build_scenario(build_event("a"), duration=-5),
    "half a surrogate pair": build_scenario(build_event("\ud800"), scenario_id="\udfff", tags=["\ud800"]),
    "commands for a terminal": build_scenario(build_event("\x1b[2J"), scenario_id="\x1b]0;x\x07"),
    "nothing at all": build_scenario() | {"apps": []},
    "a thousand dots": build_scenario(
        build_event("a") | {"action": {"action_id": "x", "app": "." * 1000, "function": "f"}}
    ),
}


@pytest.mark.parametrize("name", _EXTREME)
def test_an_extreme_scenario_is_read_written_checked_and_shown(name: str, tmp_path: Path) -> None:
    imported, _, _ = JsonScenarioImporter().import_from_json(json.dumps(_EXTREME[name]))
    written, path = JsonScenarioExporter().export_to_json_file(scenario=imported, output_dir=tmp_path)
    assert written
    assert path is not None
    assert json.loads(Path(path).read_text(encoding="utf-8")) == _EXTREME[name]
    assert not any(find_unsafe_characters(str(found), "") for found in lint(imported, checks_are=True))
    render_text(imported).encode()
    render_svg(imported).encode()
