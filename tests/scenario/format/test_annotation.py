"""Annotations written into files: nothing else in the file changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_corpus import SPEC_EXAMPLE, build_event, build_scenario

from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.scenario import load_scenario, load_scenarios
from adk_agent_sim.scenario.format.scenario_files import annotate_file, set_member

FIELDS = {"validation_decision": "valid", "comment": 'so "good"\nü'}
ANNOTATION = {**FIELDS, "date": 5.0}


def _annotate(tmp_path: Path, content: bytes, name: str = "scenario.json", **options: Any) -> bytes:
    file = tmp_path / name
    file.write_bytes(content)
    annotate_file(file, FIELDS, now=5.0, **options)
    return file.read_bytes()


@pytest.mark.parametrize("indent", [None, 1, 2, 4, "\t"])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_dialect_the_indentation_and_the_end_of_a_file_stay(tmp_path: Path, indent: Any, ending: str) -> None:
    described = json.loads(SPEC_EXAMPLE.read_text())
    described = {"version": described.pop("version"), **described}
    text = json.dumps(described, indent=indent) + ending
    written = _annotate(tmp_path, text.encode()).decode()
    described["metadata"]["annotation"] = ANNOTATION
    assert written == json.dumps(described, indent=indent) + ending
    assert load_scenario(tmp_path / "scenario.json").annotation.comment == FIELDS["comment"]


def test_line_ends_numbers_escapes_and_the_byte_order_mark_stay(tmp_path: Path) -> None:
    text = json.dumps(build_scenario(build_event("a"), start_time=5), indent=3).replace("\n", "\r\n")
    text = text.replace('"start_time": 5', '"start_time": 5.00').replace('"a"', '"\\u0061"', 1)
    written = _annotate(tmp_path, b"\xef\xbb\xbf" + text.encode())
    before, _, after = written.decode().partition('"annotation"')
    assert written.startswith(b"\xef\xbb\xbf")
    assert "\n" not in written.decode().replace("\r\n", "")
    removed = before.rstrip()[1:].removesuffix(",") + after[after.index("}") + 1 :]
    assert json.loads(removed) == json.loads(text)
    assert "5.00" in removed
    assert "\\u0061" in removed


def test_what_else_an_annotation_holds_stays_in_its_place(tmp_path: Path) -> None:
    file = build_scenario()
    file["metadata"]["annotation"] = {"x-score": 1, "comment": "old", "annotator": "Ada"}
    file["metadata"]["simulation"] = None
    written = json.loads(_annotate(tmp_path, json.dumps(file).encode()))
    assert list(written["metadata"]) == list(file["metadata"])
    assert list(written["metadata"]["annotation"].items()) == [
        ("x-score", 1), ("comment", FIELDS["comment"]), ("annotator", "Ada"), ("validation_decision", "valid"),
        ("date", 5.0),
    ]  # fmt: skip


def _build_lines() -> list[bytes]:
    one, two = (build_scenario(build_event("a"), scenario_id=name) for name in ("one", "two"))
    row = {"id": 1, "data": json.dumps(two, indent=1), "split": "ü"}
    return [
        json.dumps(one, separators=(",", ":")).encode() + b"\r\n",
        b"\n",
        b"{broken\n",
        json.dumps(row, ensure_ascii=False).encode(),
    ]


def test_of_a_file_with_several_scenarios_only_one_line_changes(tmp_path: Path) -> None:
    lines = _build_lines()
    written = _annotate(tmp_path, b"".join(lines), "many.jsonl", scenario_id="one").splitlines(keepends=True)
    assert written[1:] == lines[1:]
    assert written[0].endswith(b"}\r\n")
    assert b'"annotation":{"validation_decision":"valid",' in written[0]
    assert json.loads(written[0])["metadata"]["annotation"] == ANNOTATION


def test_a_scenario_in_a_row_of_a_dataset_is_annotated_in_its_text(tmp_path: Path) -> None:
    lines = _build_lines()
    written = _annotate(tmp_path, b"".join(lines), "many.jsonl", scenario_id="two").splitlines(keepends=True)
    assert written[:3] == lines[:3]
    row, before = json.loads(written[3]), json.loads(lines[3])
    inner = json.loads(before["data"])
    inner["metadata"]["annotation"] = ANNOTATION
    assert row == before | {"data": json.dumps(inner, indent=1)}
    assert "ü".encode() in written[3]


def test_an_ambiguous_file_is_not_changed(tmp_path: Path) -> None:
    lines = [_build_lines()[0], _build_lines()[0]]
    file = tmp_path / "many.jsonl"
    for options in ({}, {"scenario_id": "one"}, {"scenario_id": "three"}):
        with pytest.raises(InvalidScenario, match="exactly one can be annotated"):
            _annotate(tmp_path, b"".join(lines), "many.jsonl", **options)
        assert file.read_bytes() == b"".join(lines)
    assert len(list(load_scenarios(file))) == 2


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=3), _VALUES, max_size=4),
    st.text(max_size=3),
    _VALUES,
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_setting_a_member_equals_writing_the_changed_object(
    held: dict[str, Any], key: str, value: Any, indent: Any, escapes: bool
) -> None:
    outer: dict[str, Any] = {"before": [1, {"inner": {}}], "inner": held, "after": "}"}
    text = json.dumps(outer, indent=indent, ensure_ascii=escapes)
    written = set_member(text, ("inner", key), value)
    outer["inner"] = held | {key: value}
    assert json.loads(written) == outer
    if held and escapes:
        assert written == json.dumps(outer, indent=indent)
