"""Finds EvalSet files by their names, and reads their cases in every format that ADK still reads.

{"eval_cases": [...]}                             written since ADK 1.0
[{"name": ..., "data": [{"query": ...}]}]         older EvalSets
[{"query": ..., "expected_tool_use": [...]}]      older `.test.json` files: one conversation
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from google.adk.evaluation.eval_case import EvalCase
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.local_eval_sets_manager import convert_eval_set_to_pydantic_schema

from adk_agent_sim.errors import ImportRefused, ReplayImpossible
from adk_agent_sim.golden.eval_set import parse_adk_file, summarize_error
from adk_agent_sim.timeline.strict_json import parse_json

EVAL_FILE_SUFFIXES = (".evalset.json", ".test.json")
"""How the names of the files end that `adk web` and ADK's AgentEvaluator look for."""

MAX_EVAL_FILES = 200
"""How many files are listed for one agent."""

_MAX_DEPTH = 3
"""How many folders deep it looks, such as eval/data in ADK's samples."""

_MAX_VISITED = 20_000
"""How many names it looks at: the folder may be anything."""

_NOT_OWN = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})


def find_eval_files(folder: Path) -> Sequence[Path]:
    """Return the EvalSet files in a folder and the folders in it, sorted.

    Hidden files and links are left out: a link could lead to any file of the machine.
    """
    found: list[Path] = []
    for visited, path in enumerate(_walk(folder, _MAX_DEPTH)):
        if path.name.endswith(EVAL_FILE_SUFFIXES):
            found.append(path)
        if visited >= _MAX_VISITED or len(found) >= MAX_EVAL_FILES:
            break
    return sorted(found)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """Return the files of a folder before those of the folders in it; one that cannot be read has none."""
    try:
        children = sorted(child for child in folder.iterdir() if not child.name.startswith("."))
    except OSError:
        return
    folders: list[Path] = []
    for child in children:
        try:
            if child.is_symlink():
                continue
            if child.is_dir():
                folders.append(child)
            elif child.is_file():
                yield child
        except OSError:
            continue
    if depth > 0:
        for each in folders:
            if each.name not in _NOT_OWN:
                yield from _walk(each, depth - 1)


EVAL_SET_LABEL = "an EvalSet"


def read_eval_cases(path: Path, eval_id: str | None = None) -> Sequence[EvalCase]:
    """Return the cases of an EvalSet file, or only the one with the given id.

    Raises:
        ImportRefused: There is no such file, or it is no EvalSet.
        ReplayImpossible: It has no case with the id.
    """
    try:
        cases = parse_eval_cases(path.read_text(encoding="utf-8"), path.name.partition(".")[0])
    except FileNotFoundError:
        raise ImportRefused(str(path), EVAL_SET_LABEL, "there is no such file") from None
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), EVAL_SET_LABEL, summarize_error(error)) from error
    matching = [case for case in cases if eval_id in (None, case.eval_id)]
    if eval_id is not None and not matching:
        raise ReplayImpossible(f"{path} has no case {eval_id!r}; it has: {', '.join(case.eval_id for case in cases)}")
    return matching


def parse_eval_cases(text: str, name: str) -> Sequence[EvalCase]:
    """Return the cases in the text of a file.

    Args:
        text: The content of the file.
        name: The id of the case if the format has none.

    Raises:
        ValueError: The text is not an EvalSet; pydantic's ValidationError is one.
    """
    value = parse_json(text)
    if not isinstance(value, list) or not value:
        return parse_adk_file(text, EvalSet).eval_cases
    items = cast("list[dict[str, Any]]", value)
    if items and "query" in items[0]:
        items = [{"name": name, "data": items}]
    try:
        return convert_eval_set_to_pydantic_schema(name, items).eval_cases
    except KeyError as error:
        raise ValueError(f"it looks like an EvalSet of an older format, but {error.args[0]!r} is missing") from error
    except (AttributeError, TypeError) as error:
        raise ValueError("it looks like an EvalSet of an older format, but a value has another type") from error
