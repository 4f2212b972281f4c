"""Converts files of eval cases that can only be read to new EvalSet files, whose cases can be edited.

EvalSet of ADK before 1.0 --(ADK's own conversion)--> cases --.
session file of ADK -------(ADK's own conversion)--> one case --> a file that did not exist before
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from google.adk.evaluation.eval_case import EvalCase, SessionInput

from adk_agent_sim.adk.evals.case_metrics import convert_events
from adk_agent_sim.errors import ExportRefused
from adk_agent_sim.golden.eval_file import EvalFile, OpenedCase
from adk_agent_sim.golden.eval_set import make_unique_id
from adk_agent_sim.timeline.atomic_files import atomic_write_text, explain_write_errors, prepare_path
from adk_agent_sim.timeline.clock import WallClock
from adk_agent_sim.timeline.events import AgentJoined
from adk_agent_sim.timeline.file_names import to_snake_case
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.private_files import create_private_file


@dataclass(frozen=True, kw_only=True)
class ConvertedFile:
    """What was written."""

    path: Path
    case_count: int
    omitted_turn_count: int
    """How many user turns of a session nobody answered; a case has only turns with a final response."""


def convert_file(file: EvalFile, target: Path) -> ConvertedFile:
    """Write the cases of a file to a new EvalSet of the format that ADK writes now.

    Args:
        file: An EvalSet of ADK before 1.0, or a session file.
        target: The file to write.

    Raises:
        ExportRefused: The file needs no conversion, has nothing to convert, or the target exists or cannot be written.
        NotAnEvalSet: The file cannot be read.
    """
    cases, omitted_turn_count = _build_cases(file)
    name = _get_stem(target)
    content = {
        "eval_set_id": to_snake_case(name) or "converted",
        "name": name,
        "description": f"Converted from {file.path.name} with adksim",
        "eval_cases": cases,
        "creation_timestamp": WallClock().now(),
    }
    _write_new_file(target, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return ConvertedFile(path=target, case_count=len(cases), omitted_turn_count=omitted_turn_count)


def convert_beside(file: EvalFile) -> ConvertedFile:
    """Write the cases of a file to a new EvalSet in the same folder; raise as `convert_file`."""
    stem = _get_stem(file.path)
    names = (f"{stem}_converted{suffix}.evalset.json" for suffix in chain([""], (f"_{n}" for n in count(2))))
    targets = (file.path.with_name(name) for name in names)
    return convert_file(file, next(target for target in targets if not os.path.lexists(target)))


def _get_stem(path: Path) -> str:
    return path.name.partition(".")[0] or "converted"


def _build_cases(file: EvalFile) -> tuple[Sequence[dict[str, Any]], int]:
    content = file.read()
    if content.is_editable:
        raise ExportRefused(f"{file.path} has the format that ADK writes now, so there is nothing to convert.")
    if file.kind == "session":
        return _convert_session(file.path, content.cases[0])
    taken: set[str] = set()
    cases: list[dict[str, Any]] = []
    for case in content.cases:
        # Two cases of one id cannot be told apart by `adk eval`, which takes the last.
        taken.add(eval_id := make_unique_id(case.eval_id, taken))
        cases.append({**(case.content or {}), "eval_id": eval_id})
    return cases, 0


def _convert_session(path: Path, case: OpenedCase) -> tuple[Sequence[dict[str, Any]], int]:
    session = case.adk_session
    turns = convert_events(session.events) if session is not None else []
    answered = [turn for turn in turns if turn.final_response is not None]
    if session is None or not answered:
        raise ExportRefused(
            f"{path} has no user turn with a final response, so there is nothing to convert. "
            "Continue the session until the agent has answered."
        )
    joined = case.build_events()[0].payload
    state = dict(joined.state) if isinstance(joined, AgentJoined) else {}
    converted = EvalCase(
        eval_id=session.id,
        conversation=answered,
        session_input=SessionInput(app_name=session.app_name, user_id=session.user_id, state=state),
        final_session_state=session.state,
        creation_timestamp=session.events[0].timestamp,
    )
    return [to_json_value(converted)], len(turns) - len(answered)


def _write_new_file(target: Path, text: str) -> None:
    if os.path.lexists(target):
        raise _build_exists_error(target)
    with explain_write_errors(target):
        path = prepare_path(target)
        try:
            # The empty file claims the name: the atomic write below would replace a file of another program.
            os.close(create_private_file(path))
        except FileExistsError:  # another program was faster
            raise _build_exists_error(target) from None
        try:
            atomic_write_text(path, text)
        except BaseException:
            # The empty file must not stay behind, where it would be taken for an EvalSet.
            path.unlink(missing_ok=True)
            raise


def _build_exists_error(target: Path) -> ExportRefused:
    return ExportRefused(f"{target} exists and was not changed. Choose a path at which there is no file yet.")
