"""Checks that a caller adds to single expected events, such as texts that an answer must contain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from adk_agent_sim.errors import InvalidCheckerParam
from adk_agent_sim.scenario.verdict.argument_checkers import ARE_CHECKER_NAMES, CHECKERS


@dataclass(frozen=True, kw_only=True)
class CheckerParam:
    """A check of one argument of an expected event, in addition to those of its tool."""

    argument: str

    checker: str
    """A name of `CHECKERS`, or the name of that checker in the ARE package."""

    texts: Sequence[str] = ()
    """The wanted texts of `contains_any` and `contains_all`, or the names that `attendees` does not count."""

    tool: str | None = None
    """The only tool to which it applies, such as `EmailClientV2__send_email`; None for any."""


CheckerParams: TypeAlias = Mapping[str, Sequence[CheckerParam | Mapping[str, Any]]]
"""Checks by the id of the expected event; as mappings, they have the keys of ARE's `ToolCheckerParam`."""


def read_checker_params(params: CheckerParams | None) -> dict[str, list[CheckerParam]]:
    """Return the checks with our names.

    Raises:
        InvalidCheckerParam: A check names a checker that does not exist, or lacks a key.
    """
    return {event_id: [_read_param(event_id, each) for each in given] for event_id, given in (params or {}).items()}


def _read_param(event_id: str, param: CheckerParam | Mapping[str, Any]) -> CheckerParam:
    made = param if isinstance(param, CheckerParam) else _convert_are_param(event_id, param)
    checker = ARE_CHECKER_NAMES.get(made.checker, made.checker)
    if checker not in CHECKERS:
        raise InvalidCheckerParam(event_id, f"there is no checker {made.checker!r:.80}; use {', '.join(CHECKERS)}")
    return CheckerParam(argument=made.argument, checker=checker, texts=tuple(made.texts), tool=made.tool)


def _convert_are_param(event_id: str, param: Mapping[str, Any]) -> CheckerParam:
    missing = [name for name in ("arg_name", "checker_type") if not isinstance(param.get(name), str)]
    if missing:
        raise InvalidCheckerParam(event_id, f"it lacks {' and '.join(missing)}")
    options: object = param.get("checker_args") or {}
    texts = cast("dict[str, Any]", options) if isinstance(options, dict) else {}
    return CheckerParam(
        argument=param["arg_name"],
        checker=param["checker_type"],
        texts=tuple(texts.get("targets") or texts.get("tolerance_list_str") or ()),
        tool=param.get("tool_name"),
    )
