"""Appends EvalCases to EvalSet files, without ever tearing a file or losing a case.

    lock --> read --> append --> replace the file in one step

Two processes that append at once both land. A file that is not an EvalSet is refused untouched, a full disk leaves the
old file, and fields that this version of ADK does not know survive.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from filelock import FileLock
from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from pydantic import ValidationError

from adk_agent_sim.errors import ExportRefused, NotAnEvalSet
from adk_agent_sim.golden.golden_trace_builder import build_invocation_id, to_snake_case
from adk_agent_sim.timeline.atomic_files import atomic_write_text, prepare_path, replace_lone_surrogates
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.json_conversion import to_json_value


class EvalSetWriter:
    """Writes the cases of one agent into one file."""

    def __init__(self, eval_set_path: Path, agent_name: str, clock: Clock | None = None) -> None:
        self.eval_set_path = eval_set_path
        self.agent_name = agent_name
        self._clock = clock or WallClock()

    def write_eval_case(self, eval_case: EvalCase) -> EvalCase:
        """Append a case, making the file and its folder if there are none.

        Returns:
            The case as written: an id that is taken gets `_2`, `_3` and so on.
        """
        if not eval_case.eval_id.strip():
            raise ValueError("The eval case has no eval_id: give it one that is not empty.")
        path = prepare_path(self.eval_set_path)
        with FileLock(path.with_name(f".{path.name}.lock")):
            content = _read_eval_set(path) if path.exists() else self._create_eval_set()
            taken = {_get_case_id(case) for case in content["eval_cases"]}
            written = eval_case.model_copy(update={"eval_id": _make_unique_id(eval_case.eval_id, taken)})
            content["eval_cases"].append(to_json_value(written))
            text = replace_lone_surrogates(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
            _check_readable(path, text)
            atomic_write_text(path, text)
        return written

    def _create_eval_set(self) -> dict[str, Any]:
        return {
            "eval_set_id": f"{to_snake_case(self.agent_name)}_evals",
            "name": self.agent_name,
            "description": f"Golden traces of {self.agent_name}, captured with adk-agent-sim",
            "eval_cases": [],
            "creation_timestamp": self._clock.now(),
        }


def count_cases(path: Path) -> int | None:
    """How many cases a file holds; None if there is no file. NotAnEvalSet if it is something else."""
    return len(_read_eval_set(path)["eval_cases"]) if path.exists() else None


def find_case_id(path: Path, session_id: str) -> str | None:
    """The newest case of a file that was made from the session, by its eval id; None if there is none."""
    if not path.exists():
        return None
    first = build_invocation_id(session_id, 0)
    for case in reversed(_read_eval_set(path)["eval_cases"]):
        turns: list[dict[str, Any]] = case.get("conversation") or [{}]
        if first in (turns[0].get("invocation_id"), turns[0].get("invocationId")):
            return _get_case_id(case)
    return None


def _read_eval_set(path: Path) -> dict[str, Any]:
    """The file's content as it is, after making sure that ADK can read it."""
    if path.is_dir():
        raise NotAnEvalSet(str(path), "it is a folder")
    try:
        text = path.read_text(encoding="utf-8")
        EvalSet.model_validate_json(text)
        content = cast("dict[str, Any]", json.loads(text))
    except (ValidationError, ValueError) as error:
        raise NotAnEvalSet(str(path), summarize_error(error)) from error
    return content


def _check_readable(path: Path, text: str) -> None:
    """Refuse a case that would cost the whole file: ADK reads a set as one, and values nested too deep not at all."""
    try:
        EvalSet.model_validate_json(text)
    except ValidationError as error:
        raise ExportRefused(
            f"The session was not written to {path}, which is as it was: ADK could not read the file any more "
            f"({summarize_error(error)}). A tool result or the state of the session may be nested too deep for it."
        ) from error


def summarize_error(error: Exception) -> str:
    """What is wrong with a file, in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    return str(error)


def _get_case_id(case: dict[str, Any]) -> str:
    """The id of a case, which `adk web` writes in camel case."""
    return case["eval_id"] if "eval_id" in case else case["evalId"]


def _make_unique_id(wanted: str, taken: set[str]) -> str:
    free, number = wanted, 1
    while free in taken:
        number += 1
        free = f"{wanted}_{number}"
    return free
