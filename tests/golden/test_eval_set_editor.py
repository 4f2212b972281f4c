"""Edits of the cases of an EvalSet file, alone and beside other writers."""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from golden.test_eval_set import _appender  # pyright: ignore[reportPrivateUsage]
from polling import MAX_WAIT_SECONDS

from adk_agent_sim.errors import EditConflict, EditRefused, NotAnEvalSet, NotFound
from adk_agent_sim.golden.case_changes import list_fields
from adk_agent_sim.golden.eval_set_editor import MAX_EVAL_FILE_BYTES, EvalSetEditor, StoredCase

ANSWER = "conversation/0/final_response/parts/0/text"


def _build_case(eval_id: str, answer: str = "4") -> dict[str, Any]:
    return {
        "eval_id": eval_id,
        "conversation": [
            {
                "user_content": {"role": "user", "parts": [{"text": "2+2?"}]},
                "intermediate_data": {
                    "tool_uses": [{"id": "c1", "name": "add", "args": {"a": 2, "b": 2}}],
                    "tool_responses": [{"id": "c1", "name": "add", "response": {"result": 4}}],
                },
                "final_response": {"role": "model", "parts": [{"text": answer}]},
            }
        ],
        "x-owner": {"team": "ünï", "big": 2**70},
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "math.evalset.json"
    cases = [_build_case(name) for name in ("a", "b", "c")]
    file.write_text(
        json.dumps({"eval_set_id": "math", "eval_cases": cases, "x": 1}, indent=4, ensure_ascii=False) + "\n", "utf-8"
    )
    return file


def _read(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text("utf-8"))["eval_cases"]


def _ids(path: Path) -> list[str]:
    return [case["eval_id"] for case in _read(path)]


def _find(editor: EvalSetEditor, eval_id: str) -> StoredCase:
    return next(case for case in editor.read().cases if case.eval_id == eval_id)


def _change_answer(path: Path, eval_id: str, answer: str) -> None:
    """Change a case as another program does: without our lock."""
    content = json.loads(path.read_text("utf-8"))
    for case in content["eval_cases"]:
        if case["eval_id"] == eval_id:
            case["conversation"][0]["final_response"]["parts"][0]["text"] = answer
    path.write_text(json.dumps(content), "utf-8")


def test_edits_can_be_undone_and_redone(path: Path) -> None:
    before = path.read_bytes()
    editor = EvalSetEditor(path)
    editor.rename(_find(editor, "a").key, "first")
    editor.duplicate(_find(editor, "b").key)
    editor.move(_find(editor, "c").key, None)
    case = _find(editor, "b")
    editor.delete(case.key, case.fingerprint)
    case = _find(editor, "b_2")
    editor.correct(case.key, case.fingerprint, {ANSWER: "four"})
    after = path.read_bytes()

    assert _ids(path) == ["c", "first", "b_2"]
    assert [editor.undo() for _ in range(5)] == ["correct b_2", "delete b", "move c", "duplicate b", "rename a"]
    assert path.read_bytes() == before
    with pytest.raises(EditRefused, match="nothing to undo"):
        editor.undo()

    labels = [editor.redo() for _ in range(5)]
    assert labels[0] == "rename a"
    assert path.read_bytes() == after
    with pytest.raises(EditRefused, match="nothing to redo"):
        editor.redo()


def test_what_adk_does_not_know_and_the_formatting_stay(path: Path) -> None:
    path.chmod(0o640)
    text = path.read_text("utf-8")
    editor = EvalSetEditor(path)
    editor.rename(_find(editor, "b").key, "better")

    assert path.read_text("utf-8") == text.replace('"eval_id": "b"', '"eval_id": "better"')
    assert path.stat().st_mode & 0o777 == 0o640
    assert [left.name for left in path.parent.iterdir()] == [path.name]


def test_a_file_in_one_line_and_in_camel_case_keeps_its_form(path: Path) -> None:
    text = json.dumps({"eval_set_id": "x", "eval_cases": [{**_build_case("a"), "evalId": "a"}]}).replace(
        '"eval_id"', '"x-id"'
    )
    path.write_text(text, "utf-8")
    editor = EvalSetEditor(path)
    editor.rename(_find(editor, "a").key, "z")

    assert path.read_text("utf-8") == text.replace('"evalId": "a"', '"evalId": "z"')


@pytest.mark.parametrize("eval_id", ["", "  ", "x" * 301, "two\nlines", "b"])
def test_an_id_that_is_taken_or_none_is_refused(path: Path, eval_id: str) -> None:
    before = path.read_bytes()
    editor = EvalSetEditor(path)

    with pytest.raises(EditRefused, match="Choose another"):
        editor.rename(_find(editor, "a").key, eval_id)
    assert path.read_bytes() == before


def test_changes_of_other_cases_by_other_writers_stay(path: Path) -> None:
    editor = EvalSetEditor(path)
    case = editor.open_case(_find(editor, "a").key)
    _change_answer(path, "b", "theirs")
    editor.correct(case.key, case.fingerprint, {ANSWER: "mine"})
    editor.undo()
    editor.redo()

    answers = [each["conversation"][0]["final_response"]["parts"][0]["text"] for each in _read(path)]
    assert answers == ["mine", "theirs", "4"]


def test_a_case_that_another_writer_changed_is_not_overwritten_or_deleted(path: Path) -> None:
    editor = EvalSetEditor(path)
    case = editor.open_case(_find(editor, "a").key)
    _change_answer(path, "a", "theirs")
    theirs = path.read_bytes()

    with pytest.raises(EditConflict, match="'a' was changed by another writer since you opened it"):
        editor.correct(case.key, case.fingerprint, {ANSWER: "mine"})
    with pytest.raises(EditConflict):
        editor.delete(case.key, case.fingerprint)
    assert path.read_bytes() == theirs

    assert editor.correct(case.key, case.fingerprint, {ANSWER: "mine"}, keep_both=True)[1]
    assert _ids(path) == ["a", "a_2", "b", "c"]
    assert [each["conversation"][0]["final_response"]["parts"][0]["text"] for each in _read(path)][:2] == [
        "theirs",
        "mine",
    ]


def test_both_are_kept_with_all_that_the_correction_was_based_on(path: Path) -> None:
    editor = EvalSetEditor(path)
    case = editor.open_case(_find(editor, "a").key)
    _change_answer(path, "a", "theirs")
    question = "conversation/0/user_content/parts/0/text"
    editor.correct(case.key, case.fingerprint, {question: "two and two?"}, keep_both=True)

    assert {field.path: field.value for field in list_fields(_read(path)[1])}[ANSWER] == "4"


def test_a_rename_fits_what_another_writer_made_of_the_case(path: Path) -> None:
    editor = EvalSetEditor(path)
    key = editor.rename(_find(editor, "a").key, "first")
    _change_answer(path, "first", "theirs")
    editor.undo()

    assert _ids(path) == ["a", "b", "c"]
    assert _find(editor, "a").content["conversation"][0]["final_response"]["parts"][0]["text"] == "theirs"
    with pytest.raises(NotFound):
        editor.open_case(key)


def test_an_undo_that_would_lose_the_work_of_others_is_refused_and_the_ones_before_it_are_not(path: Path) -> None:
    editor = EvalSetEditor(path)
    editor.move(_find(editor, "c").key, None)
    copy = editor.duplicate(_find(editor, "a").key)
    _change_answer(path, "a_2", "theirs")

    with pytest.raises(EditConflict, match="'a_2' was changed by another writer"):
        editor.undo()
    assert editor.open_case(copy).eval_id == "a_2"
    assert editor.undo() == "move c"
    assert _ids(path) == ["a", "a_2", "b", "c"]


def test_a_deleted_case_comes_back_beside_a_new_one_with_its_id(path: Path) -> None:
    editor = EvalSetEditor(path)
    case = _find(editor, "b")
    editor.delete(case.key, case.fingerprint)
    content = json.loads(path.read_text("utf-8"))
    content["eval_cases"].append(_build_case("b", "theirs"))
    path.write_text(json.dumps(content), "utf-8")
    editor.undo()

    assert _ids(path) == ["a", "b_2", "c", "b"]


class _WriteMeanwhile(Mapping[str, str]):
    """Values of a correction; when they are read, another program writes the file, as `adk web` does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_done = False

    def __getitem__(self, key: str) -> str:
        return "mine"

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        if not self._is_done:
            self._is_done = True
            _change_answer(self._path, "b", "theirs")
        yield ANSWER


def test_what_a_program_without_our_lock_writes_during_an_edit_is_not_lost(path: Path) -> None:
    editor = EvalSetEditor(path)
    case = _find(editor, "a")
    editor.correct(case.key, case.fingerprint, _WriteMeanwhile(path))

    answers = [each["conversation"][0]["final_response"]["parts"][0]["text"] for each in _read(path)]
    assert answers == ["mine", "theirs", "4"]


@pytest.mark.process
def test_edits_beside_a_process_that_appends_lose_nothing(path: Path) -> None:
    other = _appender(path, "new", 8)
    assert other.stdout.readline() == "ready\n"
    other.stdin.write("go\n")
    other.stdin.flush()
    editors = [EvalSetEditor(path), EvalSetEditor(path)]

    def copy_often(editor: EvalSetEditor, eval_id: str) -> None:
        for _ in range(8):
            editor.duplicate(_find(editor, eval_id).key)

    threads = [threading.Thread(target=copy_often, args=each) for each in zip(editors, ("a", "b"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(MAX_WAIT_SECONDS)
    other.communicate(MAX_WAIT_SECONDS)

    assert other.returncode == 0
    copies = [f"{name}_{number}" for name in ("a", "b") for number in range(2, 10)]
    assert sorted(_ids(path)) == sorted(["a", "b", "c", *copies, *(f"new_{number}" for number in range(8))])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({ANSWER: 4}, "final response must be a string"),
        ({"conversation/0/intermediate_data/tool_uses/0/args": []}, "arguments of add must be a JSON object"),
    ],
)
def test_a_value_of_another_type_is_refused(path: Path, values: dict[str, Any], reason: str) -> None:
    editor = EvalSetEditor(path)
    case = _find(editor, "a")

    with pytest.raises(EditRefused, match=reason):
        editor.correct(case.key, case.fingerprint, values)


@pytest.mark.parametrize("field", ["eval_id", "conversation/9/final_response/parts/0/text", "../x", ""])
def test_only_the_fields_of_the_case_can_be_corrected(path: Path, field: str) -> None:
    editor = EvalSetEditor(path)
    case = _find(editor, "a")

    with pytest.raises(NotFound, match="has no field"):
        editor.correct(case.key, case.fingerprint, {field: "x"})


def test_a_value_that_adk_cannot_read_leaves_the_file_unchanged(path: Path) -> None:
    deep: Any = 4
    for _ in range(240):
        deep = [deep]
    before = path.read_bytes()
    editor = EvalSetEditor(path)
    case = _find(editor, "a")

    with pytest.raises(EditRefused, match="ADK could not read the case"):
        editor.correct(case.key, case.fingerprint, {"conversation/0/intermediate_data/tool_uses/0/args": {"x": deep}})
    assert path.read_bytes() == before


def test_the_fields_of_a_case_are_in_the_order_of_the_conversation() -> None:
    case = _build_case("a")
    case["session_input"] = {"app_name": "x", "user_id": "u", "state": {"mood": "calm"}}
    case["conversation"].append(
        {
            "userContent": {"parts": [{"text": "and now?"}]},
            "intermediateData": {
                "invocationEvents": [
                    {"author": "root", "content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}},
                    {"author": "root", "content": {"parts": [{"text": "One moment"}]}},
                ]
            },
            "finalResponse": {"parts": [{"text": "Done"}]},
        }
    )

    assert [(field.turn, field.label, field.value) for field in list_fields(case)] == [
        (0, "state at the start", {"mood": "calm"}),
        (1, "user message", "2+2?"),
        (1, "arguments of add", {"a": 2, "b": 2}),
        (1, "result of add", {"result": 4}),
        (1, "final response", "4"),
        (2, "user message", "and now?"),
        (2, "arguments of f", {}),
        (2, "text of root", "One moment"),
        (2, "final response", "Done"),
    ]


def test_cases_with_the_same_id_are_told_apart(path: Path) -> None:
    content = {"eval_set_id": "x", "eval_cases": [_build_case("a", "1"), _build_case("a", "2")]}
    path.write_text(json.dumps(content), "utf-8")
    editor = EvalSetEditor(path)
    second = editor.read().cases[1]
    editor.rename(second.key, "b")

    assert [case["conversation"][0]["final_response"]["parts"][0]["text"] for case in _read(path)] == ["1", "2"]
    assert _ids(path) == ["a", "b"]


def test_an_older_format_is_shown_and_not_changed(path: Path) -> None:
    path.write_text(json.dumps([{"query": "2+2?", "expected_tool_use": [], "reference": "4"}]), "utf-8")
    before = path.read_bytes()
    editor = EvalSetEditor(path)
    content = editor.read()

    assert not content.is_editable
    with pytest.raises(EditRefused, match=r"format of ADK before 1\.0"):
        editor.duplicate(content.cases[0].key)
    assert path.read_bytes() == before


def test_a_file_that_is_gone_too_large_or_something_else_is_refused(path: Path) -> None:
    editor = EvalSetEditor(path)
    path.write_text("{", "utf-8")
    with pytest.raises(NotAnEvalSet):
        editor.read()
    with path.open("wb") as file:
        file.truncate(MAX_EVAL_FILE_BYTES + 1)
    with pytest.raises(NotAnEvalSet, match="larger than 64 MB"):
        editor.read()
    path.unlink()
    with pytest.raises(NotFound, match="no longer exists"):
        editor.read()
