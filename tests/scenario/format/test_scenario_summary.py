"""Summaries and SVG drawings of scenarios."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario, load_scenarios
from terminal_safety import find_unsafe_characters

from adk_agent_sim.scenario import JsonScenarioImporter, load_scenario
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.scenario_summary import render_svg, render_text, summarize_scenario


def _import_file(file: object) -> ScenarioImportedFromJson:
    return JsonScenarioImporter().import_from_json(json.dumps(file))[0]


def test_events_are_listed_by_time_and_turn_with_what_they_wait_for() -> None:
    text = render_text(_import_file(load_scenarios()["scenario_synth_s05_adapt_multi_turn"]))
    first, second = text.split("turn 2")
    assert "from 2024-10-15 07:00:00 UTC, 1000 s, seed 0" in first
    assert (
        "[3]     +2 s  AGENT  AgentUserInterface.send_message_to_user(content='I sent the proposal.')  after [2]"
        in first
    )
    assert "[4]     +3 s  ENV    Emails.reply_to_email_from_user(" in second


def test_events_in_a_cycle_are_listed_last() -> None:
    summary = summarize_scenario(
        _import_file(build_scenario(build_event("a", after=("b",)), build_event("b", after=("a",)), build_event("c")))
    )
    assert [(each.event_id, each.expected_seconds) for each in summary.events] == [("c", 1), ("a", None), ("b", None)]
    assert "never, because they depend on a cycle" in render_text(
        _import_file(build_scenario(build_event("a", after=("a",))))
    )


@pytest.mark.parametrize(
    ("value", "value_type", "shown"),
    [
        ('["ada@example.org","Zoë"]', "list[str]", '["ada@example.org", "Zoë"]'),
        ('["ada@example.org","Zoë"]', "str", """'["ada@example.org","Zoë"]'"""),
        ('{"a":[1,null]}', "dict", '{"a": [1, null]}'),
        ("7", "int", "7"),
        ("True", "bool", "true"),
        ("{{e}}", "list", "'{{e}}'"),
        ("[1,", "list", "'[1,'"),
        (None, "list", "None"),
        (json.dumps(["x" * 100]), "list", '["' + "x" * 55 + "..."),
    ],
)
def test_values_are_shown_as_what_they_are(value: str | None, value_type: str, shown: str) -> None:
    event = build_event("e")
    event["action"]["args"] = [{"name": "given", "value": value, "value_type": value_type}]
    assert f"(given={shown})" in render_text(_import_file(build_scenario(event)))


def test_what_was_adapted_is_shown() -> None:
    assert "adapted: flat metadata is written under metadata.definition" in render_text(load_scenario(SPEC_EXAMPLE))


def test_the_drawing_has_a_box_an_event_and_a_line_a_dependency() -> None:
    drawing = ElementTree.fromstring(render_svg(_import_file(load_scenarios()["scenario_synth_s05_adapt_multi_turn"])))  # noqa: S314
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawing.findall(f".//{space}rect")) == 7
    assert len(drawing.findall(f"{space}path")) == 6


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_text_of_a_file_breaks_the_drawing_or_commands_the_terminal(name: str, value: str) -> None:
    given_event = build_event("e") | {"event_id": name, "event_type": value}
    hostile = _import_file(build_scenario(given_event, scenario_id=value, tags=[name]))
    ElementTree.fromstring(render_svg(hostile).encode("utf-8", "surrogatepass"))  # noqa: S314
    assert not find_unsafe_characters(render_text(hostile))
