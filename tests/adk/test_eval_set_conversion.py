"""Files of eval cases that can only be read become EvalSets that ADK reads, and whose cases can be edited."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from eval_case_files import EQUAL, write_adk_session, write_eval_set, write_legacy_eval_set
from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file

from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.evals.eval_set_conversion import convert_beside, convert_file
from adk_agent_sim.adk.evals.recording_replay import BadgeState
from adk_agent_sim.errors import ExportRefused, NotAnEvalSet
from adk_agent_sim.golden.eval_file import EvalFile
from adk_agent_sim.use_cases.cases import check_case


def test_an_eval_set_from_before_adk_1_becomes_one_that_can_be_edited(tmp_path: Path) -> None:
    source = write_legacy_eval_set(tmp_path / "old.evalset.json", "sum", "sum", "other")
    before = source.read_bytes()
    target = tmp_path / "new.evalset.json"

    converted = convert_file(EvalFile(source), target)

    assert (converted.path, converted.case_count, converted.omitted_turn_count) == (target, 3, 0)
    assert source.read_bytes() == before
    read = load_eval_set_from_file(str(target), "new")
    assert read.eval_set_id == "new"
    assert [case.eval_id for case in read.eval_cases] == ["sum", "sum_2", "other"]
    old = load_eval_set_from_file(str(source), "old")
    for ours, theirs in zip(read.eval_cases, old.eval_cases, strict=True):
        assert (ours.session_input, len(ours.conversation or [])) == (theirs.session_input, 1)
        for turn, expected in zip(ours.conversation or [], theirs.conversation or [], strict=True):
            assert (turn.user_content, turn.final_response) == (expected.user_content, expected.final_response)
            assert turn.intermediate_data == expected.intermediate_data
    file = EvalFile(target)
    assert file.read().is_editable
    file.editor.rename(file.read().cases[0].key, "two and two")
    assert file.read().cases[0].eval_id == "two and two"


async def test_a_session_becomes_a_case_that_replays_equal(tmp_path: Path) -> None:
    source = await write_adk_session(tmp_path / "session.json")
    target = tmp_path / "new" / "math.evalset.json"

    converted = convert_file(EvalFile(source), target)

    assert (converted.case_count, converted.omitted_turn_count) == (1, 1)
    (case,) = load_eval_set_from_file(str(target), "math").eval_cases
    assert case.eval_id == "s1"
    assert case.session_input
    assert (case.session_input.app_name, case.session_input.state) == ("math_agent", {"mood": "calm"})
    file = EvalFile(target)
    assert file.read().is_editable
    report = await check_case(math_app, file, file.read().cases[0])
    assert report.case.badge.state is BadgeState.EQUAL, report.case.badge.reason
    assert report.is_good


def test_a_file_beside_another_gets_a_name_that_is_free(tmp_path: Path) -> None:
    file = EvalFile(write_legacy_eval_set(tmp_path / "old.evalset.json", "sum"))

    names = [convert_beside(file).path.name for _ in range(3)]

    assert names == [f"old_converted{suffix}.evalset.json" for suffix in ("", "_2", "_3")]


@pytest.mark.parametrize("is_link", [False, True])
def test_a_file_that_exists_is_not_overwritten(tmp_path: Path, is_link: bool) -> None:
    file = EvalFile(write_legacy_eval_set(tmp_path / "old.evalset.json", "sum"))
    target = tmp_path / "new.evalset.json"
    if is_link:
        target.symlink_to(tmp_path / "nowhere.json")
    else:
        target.write_text("mine", "utf-8")

    with pytest.raises(ExportRefused, match="exists and was not changed"):
        convert_file(file, target)

    assert is_link or target.read_text("utf-8") == "mine"
    assert not (tmp_path / "nowhere.json").exists()


def test_a_file_that_can_be_edited_needs_no_conversion(tmp_path: Path) -> None:
    file = EvalFile(write_eval_set(tmp_path / "math.evalset.json", EQUAL))

    with pytest.raises(ExportRefused, match="there is nothing to convert"):
        convert_beside(file)


async def test_a_session_without_an_answer_is_refused(tmp_path: Path) -> None:
    file = EvalFile(await write_adk_session(tmp_path / "session.json", is_answered=False))

    with pytest.raises(ExportRefused, match="no user turn with a final response"):
        convert_beside(file)

    assert os.listdir(tmp_path) == ["session.json"]


def test_an_older_format_with_something_missing_says_what(tmp_path: Path) -> None:
    path = tmp_path / "old.evalset.json"
    path.write_text(json.dumps([{"name": "sum", "data": [{"reference": "4"}]}]), "utf-8")

    with pytest.raises(NotAnEvalSet, match="'query' is missing"):
        convert_beside(EvalFile(path, "evalset"))


def test_a_folder_that_cannot_be_written_to_is_explained(tmp_path: Path) -> None:
    file = EvalFile(write_legacy_eval_set(tmp_path / "old.evalset.json", "sum"))

    with pytest.raises(ExportRefused, match="a part of the path is a file"):
        convert_file(file, file.path / "new.evalset.json")
