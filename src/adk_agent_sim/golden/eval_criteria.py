"""The criteria by which `adk eval` compares a run with a golden trace, and the `test_config.json` that holds them.

A folder has one such file for all its EvalSets. What it has beyond these criteria, such as other metrics, is preserved.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adk_agent_sim.errors import InvalidCriteria
from adk_agent_sim.timeline.atomic_files import atomic_write_text, explain_write_errors, lock_folder, prepare_path
from adk_agent_sim.timeline.strict_json import parse_json_object

CONFIG_NAME = "test_config.json"
"""The file that `adk eval` reads beside an EvalSet."""

DEFAULT_JUDGE_MODEL = "gemini-2.5-flash"
"""The model that ADK asks about rubrics, unless another one is named."""

CallMatch: TypeAlias = Literal["exact", "in-order", "any-order", "off"]
"""How calls are compared: all of them in order; the expected ones in order among others; in any order; not at all."""

Score: TypeAlias = Annotated[float, Field(ge=0, le=1)]
RubricText: TypeAlias = Annotated[str, Field(min_length=1, max_length=2000)]

_CALLS = "tool_trajectory_avg_score"
_RESPONSE = "response_match_score"
_RESPONSE_RUBRICS = "rubric_based_final_response_quality_v1"
_TOOL_RUBRICS = "rubric_based_tool_use_quality_v1"
_OWN_METRICS = (_CALLS, _RESPONSE, _RESPONSE_RUBRICS, _TOOL_RUBRICS)

_SYNTAX = (
    "exact, in-order, any-order or calls=off; rouge=0.8 or rouge=off; rubric=TEXT; tool-rubric=TEXT; judge=MODEL; "
    "rubric-score=0.8"
)


class EvalCriteria(BaseModel):
    """What `adk eval` compares; the defaults are ADK's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    calls: CallMatch = "exact"
    """How the tool calls are compared."""

    rouge: Score | None = 0.8
    """How similar the final response must be, as ROUGE-1; None to not compare it."""

    rubrics: tuple[RubricText, ...] = ()
    """What a model must find true of the final response, one sentence each."""

    tool_rubrics: tuple[RubricText, ...] = ()
    """What a model must find true of the use of tools, one sentence each."""

    rubric_score: Score = 0.8
    """Which part of the rubrics must be true."""

    judge_model: str = DEFAULT_JUDGE_MODEL
    """The model that judges rubrics."""

    @property
    def needs_model(self) -> bool:
        """Whether `adk eval` has to ask a model."""
        return bool(self.rubrics or self.tool_rubrics)

    def to_config(self) -> dict[str, Any]:
        """Return the entries of `criteria` in a test_config.json."""
        entries: dict[str, Any] = {}
        if self.calls != "off":
            entries[_CALLS] = {"threshold": 1.0, "match_type": self.calls.upper().replace("-", "_")}
        if self.rouge is not None:
            entries[_RESPONSE] = self.rouge
        if self.rubrics:
            entries[_RESPONSE_RUBRICS] = self._build_rubrics(self.rubrics, "FINAL_RESPONSE_QUALITY")
        if self.tool_rubrics:
            entries[_TOOL_RUBRICS] = self._build_rubrics(self.tool_rubrics, "TOOL_USE_QUALITY")
        return entries

    def describe_needs(self) -> list[str]:
        """Return what `adk eval` needs for these criteria, beyond the agent."""
        if not self.needs_model:
            return []
        return [f"The rubrics are judged by {self.judge_model}: `adk eval` needs access to that model."]

    def _build_rubrics(self, texts: Iterable[str], kind: str) -> dict[str, Any]:
        return {
            "threshold": self.rubric_score,
            "judge_model_options": {"judge_model": self.judge_model},
            "rubrics": [
                {"rubric_id": f"rubric_{number}", "rubric_content": {"text_property": text}, "type": kind}
                for number, text in enumerate(texts, start=1)
            ],
        }


def parse_criteria(words: Iterable[str]) -> EvalCriteria:
    """Return criteria from how a person writes them, such as `in-order` and `rouge=0.7`.

    Raises:
        InvalidCriteria: A word is none of them; the message lists all.
    """
    values: dict[str, Any] = {"rubrics": [], "tool_rubrics": []}
    for word in words:
        name, has_value, value = word.partition("=")
        match name:
            case "exact" | "in-order" | "any-order" if not has_value:
                values["calls"] = name
            case "calls" if value in get_args(CallMatch):
                values["calls"] = value
            case "rouge":
                values["rouge"] = None if value == "off" else value
            case "rubric":
                values["rubrics"].append(value.strip())
            case "tool-rubric":
                values["tool_rubrics"].append(value.strip())
            case "rubric-score":
                values["rubric_score"] = value
            case "judge" if value.strip():
                values["judge_model"] = value.strip()
            case _:
                raise InvalidCriteria(f"There is no criterion {word!r}. Write {_SYNTAX}.")
    try:
        return EvalCriteria.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = str(first["loc"][0]).replace("_", "-")
        raise InvalidCriteria(f"The criterion {where} cannot be used: {first['msg']}. Write {_SYNTAX}.") from None


def get_config_path(eval_set_path: Path) -> Path:
    """Return the file that `adk eval` reads the criteria from, for an EvalSet."""
    return eval_set_path.parent / CONFIG_NAME


def build_eval_command(adk: str, folder: str, eval_set_path: Path, config_path: Path | None = None) -> str:
    """Return the command that evaluates an agent.

    Args:
        adk: How ADK's command is called.
        folder: The agent's folder, quoted.
        eval_set_path: The EvalSet.
        config_path: The criteria; None for those that ADK finds by itself.
    """
    command = f"{adk} eval {folder} {shlex.quote(str(eval_set_path))}"
    return f"{command} --config_file_path {shlex.quote(str(config_path))}" if config_path else command


def check_config(eval_set_path: Path, criteria: EvalCriteria) -> None:
    """Raise InvalidCriteria if the criteria cannot be written for an EvalSet's folder: before anything else is.

    They cannot if the file is no JSON, or if nothing would be compared, so that every model would pass.
    """
    if not _merge_entries(read_config(get_config_path(eval_set_path)), criteria):
        raise InvalidCriteria(
            "Nothing was written: `adk eval` would compare nothing, and every model would pass. The calls and the "
            "response are both off. Leave one of them on, or add a rubric."
        )


def write_criteria(eval_set_path: Path, criteria: EvalCriteria) -> Path:
    """Write the criteria for the EvalSets of a folder, and return the file; what else it has is preserved.

    Raises:
        InvalidCriteria: The file exists and is something else; it is unchanged.
    """
    path = get_config_path(eval_set_path)
    with explain_write_errors(path):
        prepared = prepare_path(path)
        with lock_folder(prepared.parent):
            content = read_config(prepared)
            content["criteria"] = _merge_entries(content, criteria)
            atomic_write_text(prepared, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return path


def read_criteria(eval_set_path: Path) -> EvalCriteria | None:
    """Return the criteria that the EvalSets of a folder have now; None if there is no file, or it says other things."""
    try:
        path = get_config_path(eval_set_path)
        return _parse_entries(_get_entries(read_config(path))) if path.exists() else None
    except (InvalidCriteria, ValidationError, OSError):
        return None


def read_config(path: Path) -> dict[str, Any]:
    """Return the content of a test_config.json, empty without one; raise InvalidCriteria if it is no JSON object."""
    if not path.exists():
        return {}
    try:
        return parse_json_object(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidCriteria(
            f"{path} cannot be read as the criteria of `adk eval`, and was not changed: {error}. Fix or remove it."
        ) from error


def _merge_entries(content: Mapping[str, Any], criteria: EvalCriteria) -> dict[str, Any]:
    """Return the criteria that a file has once these are written; metrics that are not ours are preserved."""
    others = {name: entry for name, entry in _get_entries(content).items() if name not in _OWN_METRICS}
    return {**criteria.to_config(), **others}


def _get_entries(content: Mapping[str, Any]) -> dict[str, Any]:
    entries: Any = content.get("criteria")
    return cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}


def _parse_entries(entries: Mapping[str, Any]) -> EvalCriteria:
    calls: Any = entries.get(_CALLS)
    response: Any = entries.get(_RESPONSE)
    match_type = str(_get_field(calls, "match_type", "matchType") or "EXACT")
    values: dict[str, Any] = {
        "calls": "off" if calls is None else match_type.strip().lower().replace("_", "-"),
        "rouge": _get_threshold(response),
    }
    for name, metric in (("rubrics", _RESPONSE_RUBRICS), ("tool_rubrics", _TOOL_RUBRICS)):
        entry = entries.get(metric)
        if entry is None:
            continue
        rubrics: list[Any] = _get_field(entry, "rubrics") or []
        contents = [_get_field(rubric, "rubric_content", "rubricContent") for rubric in rubrics]
        values[name] = [_get_field(content, "text_property", "textProperty") or "" for content in contents]
        values["rubric_score"] = _get_field(entry, "threshold")
        judge = _get_field(entry, "judge_model_options", "judgeModelOptions")
        values["judge_model"] = _get_field(judge, "judge_model", "judgeModel") or DEFAULT_JUDGE_MODEL
    return EvalCriteria.model_validate(values)


def _get_threshold(entry: object) -> Any:
    """Return the threshold of a criterion, which may be written as a number alone."""
    return entry if entry is None or isinstance(entry, int | float) else _get_field(entry, "threshold")


def _get_field(entry: object, *names: str) -> Any:
    """Return a field by the first of its names that there is; ADK reads snake case and camel case."""
    fields = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    return next((fields[name] for name in names if name in fields), None)
