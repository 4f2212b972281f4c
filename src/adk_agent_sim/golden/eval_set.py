"""Appends EvalCases to EvalSet files, without ever corrupting a file or losing a case.

    lock --> read --> append --> replace the file atomically

Processes can append at the same time. A file that is not an EvalSet is rejected and not changed, a full disk leaves the
old file in place, and fields that this version of ADK does not know are preserved.
"""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any, TypeVar

from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from pydantic import BaseModel, ValidationError

from adk_agent_sim.errors import ExportRefused, NotAnEvalSet
from adk_agent_sim.golden.golden_trace_builder import build_invocation_id
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.atomic_files import atomic_write_text, explain_write_errors, lock_folder, prepare_path
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import parse_json, parse_json_object

_ModelT = TypeVar("_ModelT", bound=BaseModel)


def parse_adk_file(text: str, model: type[_ModelT]) -> _ModelT:
    """Return the model of a file's text; raise ValueError if it is not valid."""
    # pydantic's own parser lets the last of several equal keys win.
    parse_json(text)
    return model.model_validate_json(text)


class EvalSetWriter:
    """Appends the cases of one agent to one file."""

    def __init__(self, eval_set_path: Path, agent_name: str, clock: Clock | None = None) -> None:
        self.eval_set_path = eval_set_path
        self.agent_name = agent_name
        self._clock = clock or WallClock()

    def write_eval_case(self, eval_case: EvalCase, replaces: str | None = None) -> EvalCase:
        """Append a case; creates the file and its folder if needed.

        Args:
            eval_case: The case.
            replaces: The id of a case whose place it takes, and whose id it gets; by default it is added.

        Returns:
            The case as written: if its id is taken, it gets the suffix `_2`, `_3` and so on.

        Raises:
            ExportRefused: The file has no case `replaces`.
        """
        if not eval_case.eval_id.strip():
            raise ValueError("The eval case has no eval_id. Set one that is not empty.")
        with explain_write_errors(self.eval_set_path):
            path = prepare_path(self.eval_set_path)
            with lock_folder(path.parent):
                content = _read_eval_set(path) if path.exists() else self._create_eval_set()
                if replaces is None:
                    written = _rename_case(eval_case, content)
                    content["eval_cases"].append(to_json_value(written))
                else:
                    written = eval_case.model_copy(update={"eval_id": replaces})
                    content["eval_cases"][_find_case(content, replaces, path)] = to_json_value(written)
                # UTF-8 has no encoding for half of a surrogate pair, so one of them would make the file unwritable.
                text = replace_lone_surrogates(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
                _check_readable(path, text)
                atomic_write_text(path, text)
        return written

    def preview_eval_case(self, eval_case: EvalCase, replaces: str | None = None) -> EvalCase:
        """Return the case as `write_eval_case` would write it now; nothing is written."""
        with explain_write_errors(self.eval_set_path):
            exists = self.eval_set_path.exists()
            if replaces is not None:
                _find_case(_read_eval_set(self.eval_set_path), replaces, self.eval_set_path)
                return eval_case.model_copy(update={"eval_id": replaces})
            return _rename_case(eval_case, _read_eval_set(self.eval_set_path)) if exists else eval_case

    def _create_eval_set(self) -> dict[str, Any]:
        return {
            "eval_set_id": f"{to_snake_case(self.agent_name)}_evals",
            "name": self.agent_name,
            "description": f"Golden traces of {self.agent_name}, captured with adksim",
            "eval_cases": [],
            "creation_timestamp": self._clock.now(),
        }


def count_cases(path: Path) -> int | None:
    """Return the number of cases in a file; None if it does not exist. Raise NotAnEvalSet if it is something else."""
    return len(_read_eval_set(path)["eval_cases"]) if path.exists() else None


def find_case_id(path: Path, session_id: str) -> str | None:
    """Return the eval id of the last case that was created from the session; None if there is none."""
    if not path.exists():
        return None
    first = build_invocation_id(session_id, 0)
    for case in reversed(_read_eval_set(path)["eval_cases"]):
        turns: list[dict[str, Any]] = case.get("conversation") or [{}]
        if first in (turns[0].get("invocation_id"), turns[0].get("invocationId")):
            return get_case_id(case)
    return None


def _read_eval_set(path: Path) -> dict[str, Any]:
    """Return the file's unchanged content; raise NotAnEvalSet if ADK cannot read it."""
    if path.is_dir():
        raise NotAnEvalSet(str(path), "it is a folder")
    try:
        text = path.read_text(encoding="utf-8")
        parse_adk_file(text, EvalSet)
        # Not the validated model, which would drop the fields that this version of ADK does not know.
        content = parse_json_object(text)
    except (ValidationError, ValueError) as error:
        raise NotAnEvalSet(str(path), summarize_error(error)) from error
    return content


def _check_readable(path: Path, text: str) -> None:
    """Raise ExportRefused if ADK could not read the new file: one deeply nested value makes all cases unreadable."""
    try:
        EvalSet.model_validate_json(text)
    except ValidationError as error:
        raise ExportRefused(
            f"The session was not written to {path}, which is unchanged: ADK could no longer read the file "
            f"({summarize_error(error)}). A tool result or the state of the session may be nested too deeply."
        ) from error


def summarize_error(error: Exception) -> str:
    """Return the first error of a file in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    return str(error)


def get_case_id(case: dict[str, Any]) -> str:
    """Return the id of a case; `adk web` writes it in camel case."""
    return case["eval_id"] if "eval_id" in case else case["evalId"]


def _find_case(content: dict[str, Any], eval_id: str, path: Path) -> int:
    """Return the place of a case."""
    eval_ids = [get_case_id(case) for case in content["eval_cases"]]
    if eval_id not in eval_ids:
        known = ", ".join(eval_ids) or "none"
        raise ExportRefused(f"{path} has no case {eval_id!r} to be replaced; it is unchanged. Its cases: {known}.")
    return eval_ids.index(eval_id)


def _rename_case(eval_case: EvalCase, content: dict[str, Any]) -> EvalCase:
    taken = {get_case_id(case) for case in content["eval_cases"]}
    return eval_case.model_copy(update={"eval_id": make_unique_id(eval_case.eval_id, taken)})


def make_unique_id(wanted: str, taken: Container[str]) -> str:
    """Return `wanted`, or the first of `wanted_2`, `wanted_3` and so on that is not taken."""
    free, number = wanted, 1
    while free in taken:
        number += 1
        free = f"{wanted}_{number}"
    return free
