"""Compares runs of event graphs on both sides; listed differences are recognized one by one."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Any

from are_normal_form import IdNumbering, normalize
from parity.comparison import simplify, sort_titles_with_new_ids
from parity.listed_differences import FALSY, find_listed, is_compressed_write, is_removed_root, is_unordered
from parity.our_calls import GRAPH_DURATION
from state_changes import diff_values

WRONG_ARGUMENTS = "Wrong arguments and unknown apps or tools fail their event."
FAILED_VALIDATION = "A failed validation is recorded and the run goes on."
TIMED_OUT_CONDITION = "Dependents of a condition that timed out happen nevertheless"
LATER_VALUE = "A completed event has the value that was returned"
RAW_PLACEHOLDER = "A notification does not show a placeholder that cannot be resolved"
UNLOGGED_CALL = "A call of `get_all_discount_codes` that is expected of the agent is made"
CHECKED_TWICE = "A condition that does not hold when it is checked again"
_PLACEHOLDER = re.compile(r"\{\{\w+(\.\w+)*\}\}")
LISTED_OF_RUNS = (
    WRONG_ARGUMENTS,
    CHECKED_TWICE,
    FAILED_VALIDATION,
    LATER_VALUE,
    RAW_PLACEHOLDER,
    UNLOGGED_CALL,
    TIMED_OUT_CONDITION,
)
"""The rows of the document that make runs differ; a predicate of this module recognizes each of them."""


def compare_graphs(case: Mapping[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    """Yield the differences of a run that are not listed in `docs/are-differences.md`."""
    if theirs["status"] == "FAILED" and ours["log_of_failure"]:
        # The package's run ended there. What happens later can change the order of earlier events of equal time.
        ours = ours | {"log": ours["log_of_failure"]}
    shared = _find_shared_events(ours, theirs)
    one = _normalize_run(case, simplify(ours), shared)
    two = _normalize_run(case, simplify(theirs), shared, {row["id"]: row["t"] for row in one["conditions"]})
    if has_died(theirs):
        yield from _compare_until_death(
            one["log"],
            two["log"],
            was_refused=not (_has_checked_twice(case, theirs) or _has_died_of_unlogged_call(case, ours, theirs)),
        )
        return
    if _has_failed_in_time(two["t"], one, has_failed=theirs["status"] == "FAILED") != any(
        _has_failed_in_time(row["t"], one, has_failed=not row["value"]) for row in one["validations"]
    ):
        yield f"validations\n    ours   {one['validations']}\n    theirs {theirs['status']}"
        return
    ends = [
        _find_end_of_comparison(one, two),
        _find_call_with_other_value(case, one, two, theirs),
        _find_diverging_call(one, two),
    ]
    end = min((each for each in ends if each is not None), default=None)
    if end is not None:
        # An event of an absolute time can come later than that, if it depends on a condition that timed out.
        late = set(ours["ids_after_time_out"])
        one["log"], two["log"] = (
            [row for row in each["log"] if row["t"] < end and row["id"] not in late] for each in (one, two)
        )
    yield from _compare_logs(one["log"], two["log"])
    if end is None:
        # With a validation, the package's clock goes on in steps until the validation is over.
        # The package's clock also goes on to the first check after the end.
        keys = ["states", "status", *([] if one["validations"] or two["t"] > GRAPH_DURATION else ["t"])]
        if one["t"] != two["t"]:
            one, two = _drop_stop(one), _drop_stop(two)
        yield from _compare_ends(one, two, [*keys, "told"])


def compare_exported_apps(ours: str, theirs: str) -> Iterator[str]:
    """Yield the differences of the apps in two exports of a run."""
    one, two = (
        {each["name"]: [each["class_name"], each["app_state"]] for each in simplify(json.loads(text))["apps"]}
        for text in (ours, theirs)
    )
    yield from _compare_ends({"exported apps": one}, {"exported apps": two}, ["exported apps"])


def _find_shared_events(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> set[str] | None:
    """Return the calls that were made on both sides, or None if all were."""
    one, two = ({row["id"] for row in run["log"] if "call" in row} for run in (ours, theirs))
    return one & two if one != two or theirs["status"] != "STOPPED" else None


def _compare_logs(ours: list[Any], theirs: list[Any]) -> Iterator[str]:
    order = [row["id"] for row in ours], [row["id"] for row in theirs]
    if order[0] != order[1]:
        yield f"order\n    ours   {order[0]}\n    theirs {order[1]}"
        return
    for mine, other in zip(ours, theirs, strict=True):
        if not _is_same_row(mine, other):
            yield f"event {mine['id']}\n    ours   {json.dumps(mine)}\n    theirs {json.dumps(other)}"


def _compare_ends(ours: Mapping[str, Any], theirs: Mapping[str, Any], keys: list[str]) -> Iterator[str]:
    for key in keys:
        for change in diff_values(ours[key], theirs[key]):
            where = ".".join(map(str, (key, *change.path)))
            yield f"{where}: {change.op}\n    ours   {change.old!r:.400}\n    theirs {change.new!r:.400}"


def _drop_stop(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return a run that ended at another time, which changes the order of notifications of the same time."""
    return {**run, "told": sorted((each for each in run["told"] if "ENVIRONMENT_STOP" not in each), key=str)}


def _find_end_of_comparison(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> float | None:
    """Return when the runs part ways in a listed way, or None if they do not.

    A failed validation stops the package's run. What depends on a condition that timed out never happens there.
    """
    ends = [row["t"] for row in ours["conditions"] if _has_timed_out(row)]
    return min([*ends, *([theirs["t"]] if theirs["status"] == "FAILED" else [])], default=None)


def _find_call_with_other_value(
    case: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any], raw: Mapping[str, Any]
) -> float | None:
    """Return when a call first differs whose argument is the value of another event, which may be another one there.

    Later calls have changed the value, or it is a list that has no order there.
    """
    mine = {row["id"]: row for row in ours["log"]}
    changed = {row["id"] for row in raw["log"] if "later" in row}
    changed |= {
        row["id"]
        for row in theirs["log"]
        if row["id"] in mine and row["value"] != mine[row["id"]]["value"] and is_unordered(_read_call(row))
    }
    users = {
        each["event_id"]
        for each in case["events"]
        if changed & set(re.findall(r"\{\{(\w+)", json.dumps(each["action"])))
    }
    other = [row for row in theirs["log"] if row["id"] in users and row["id"] in mine]
    return min((row["t"] for row in other if not _is_same_row(mine[row["id"]], row)), default=None)


def _find_diverging_call(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> float | None:
    """Return when the files first differ in a listed way: the package compresses one, or removes the root."""
    mine = {row["id"]: row for row in ours["log"] if "call" in row}
    ends = [
        row["t"]
        for row in theirs["log"]
        if row["id"] in mine
        and (
            is_compressed_write(_read_call(row))
            or is_removed_root(_read_call(row), mine[row["id"]]["error"], row["error"])
        )
    ]
    return min(ends, default=None)


def _has_timed_out(condition: Mapping[str, Any]) -> bool:
    return not condition["value"]


def _has_failed_in_time(time: float, ours: Mapping[str, Any], *, has_failed: bool) -> bool:
    """Return whether a validation failed before a condition timed out, whose dependents only happen here."""
    return has_failed and all(time < row["t"] for row in ours["conditions"] if _has_timed_out(row))


def _has_failed_validation(run: Mapping[str, Any]) -> bool:
    return any(not row["value"] for row in run["validations"])


def compare_agents(case: Mapping[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    """Yield the differences of a run with an agent.

    Ids of the agent's own events are random, and events of equal time are listed in the order they happened here.
    """
    one, two = _normalize_run(case, simplify(ours)), _normalize_run(case, simplify(theirs))
    logs = [sorted(map(_format_agent_row, each["log"])) for each in (one, two)]
    shown = [
        {"log": log} | {key: each[key] for key in ("told", "times", "states")}
        for log, each in zip(logs, (one, two), strict=True)
    ]
    for change in diff_values(shown[0], shown[1]):
        where = ".".join(map(str, change.path))
        yield f"{where}: {change.op}\n    ours   {change.old!r:.400}\n    theirs {change.new!r:.400}"


def _format_agent_row(row: Mapping[str, Any]) -> list[Any]:
    value = None if row["value"][0] in FALSY else row["value"]
    shown = [row["type"], "" if row["type"] == "AGENT" else row["id"], row["call"], row["args"], value, row["error"]]
    return [row["t"], json.dumps(shown)]


def has_died(run: Mapping[str, Any]) -> bool:
    """Return whether the package's event loop ended with an exception, which leaves the run in this state."""
    return run["status"] == "RUNNING"


def find_listed_rows(case: Mapping[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> set[str]:
    """Return the rows of `docs/are-differences.md` that make two runs differ, by the start of their texts."""
    run = _normalize_run(case, simplify(ours))
    return {
        row
        for row, is_met in {
            WRONG_ARGUMENTS: has_died(theirs)
            and not (_has_checked_twice(case, theirs) or _has_died_of_unlogged_call(case, ours, theirs)),
            UNLOGGED_CALL: has_died(theirs) and _has_died_of_unlogged_call(case, ours, theirs),
            CHECKED_TWICE: has_died(theirs) and _has_checked_twice(case, theirs),
            FAILED_VALIDATION: not has_died(theirs) and _has_failed_validation(run),
            RAW_PLACEHOLDER: any(map(_has_placeholder, theirs["told"])),
            LATER_VALUE: any("later" in row for row in theirs["log"]),
            TIMED_OUT_CONDITION: any(map(_has_timed_out, run["conditions"])),
        }.items()
        if is_met
    }


def _has_checked_twice(case: Mapping[str, Any], run: Mapping[str, Any]) -> bool:
    """Return whether the package made the same check of a condition twice, and there are events that depend on it.

    The second check ends its event loop, and is not always the last row: it is listed at the time of the first one.
    """
    checks = Counter(row["id"] for row in run["log"] if row["type"] == "CONDITION" and row["value"] is False)
    twice = {_strip_check_number(each) for each, count in checks.items() if count > 1}
    return any(twice.intersection(each["dependencies"]) for each in case["events"])


def _has_died_of_unlogged_call(case: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Return whether the package's log ends where a call of the one tool that neither side logs was made here."""
    if ours["ids_before_unlogged_call"] is None:
        return False
    planned = {each["event_id"] for each in case["events"] if each["action"] is not None}
    return planned.intersection(ours["ids_before_unlogged_call"]) == planned.intersection(
        row["id"] for row in theirs["log"]
    )


def _compare_until_death(ours: list[Any], theirs: list[Any], *, was_refused: bool) -> Iterator[str]:
    """Yield the differences of the events before the one that ended the package's event loop.

    That one has failed here if the package refused it: its arguments cannot be passed.
    """
    rows = {row["id"]: row for row in ours}
    for other in theirs:
        mine = rows.pop(other["id"], None)
        if mine is None or not _is_same_row(mine, other):
            yield f"event {other['id']}\n    ours   {json.dumps(mine)}\n    theirs {json.dumps(other)}"
    refused = [row for row in [*rows.values(), *theirs] if "argument" in str(row.get("error"))]
    if was_refused and not refused:
        yield f"the package's event loop ended\n    ours   {json.dumps(list(rows.values()))}\n    theirs nothing"


def _is_same_row(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    return (
        ours == theirs
        or ours["type"] == theirs["type"] == "CONDITION"
        or find_listed(_read_call(ours), "log", [ours], [theirs]) is not None
    )


def _read_call(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the call of a row in the form of the calls that are compared one by one."""
    arguments = {name: _read_argument(value, type_name) for name, value, type_name in row.get("args") or ()}
    return {"fn": (row.get("call") or ["", ""])[1], "args": arguments, "via": "env"}


def _read_argument(value: Any, type_name: str | None) -> Any:
    try:
        return json.loads(value) if type_name in ("list", "dict") else value
    except ValueError:  # it contains an object of an app
        return value


def _normalize_run(
    case: Mapping[str, Any],
    run: dict[str, Any],
    shared_events: Container[str] | None = None,
    condition_times: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return a run in normal form, with its conditions and validations apart from the other events.

    The log of the package has every check of them, ours has their outcomes. If its run ended early, only what
    happened on both sides can number the ids: the states and other events are only here.
    """
    ids = IdNumbering([case["apps"], case["events"]])
    if shared_events is None:
        # The states come first: both sides list them alike, while events of equal time can be in another order.
        ids.number_new_ids(run["states"])

    def get_order(row: dict[str, Any]) -> tuple[Any, ...]:
        return shared_events is not None and row["id"] not in shared_events, row["t"], row["type"], row["id"]

    for row in sorted(run["log"], key=get_order):
        ids.number_new_ids([row.get(key) for key in ("args", "value", "error")])
    kinds = {kind: [row for row in run["log"] if row["type"] == kind] for kind in ("CONDITION", "VALIDATION")}
    log = [_drop_unique_parts(row) for row in run["log"] if row["type"] != "VALIDATION" and row["value"] is not False]
    # The package logs a condition once more for each check in which it holds.
    wanted = {row["id"]: place for place, row in reversed(list(enumerate(log)))}
    for place, row in reversed(list(enumerate(log))):
        if row["t"] == (condition_times or {}).get(row["id"]):
            wanted[row["id"]] = place
    log = [row for place, row in enumerate(log) if row["type"] != "CONDITION" or wanted[row["id"]] == place]
    # When the run ends is compared by its time.
    told = [[None, *each[1:]] if "ENVIRONMENT_STOP" in each else _drop_placeholder(each) for each in run["told"]]
    apart = {"told": told, "conditions": kinds["CONDITION"], "validations": kinds["VALIDATION"]}
    normal = normalize(run | {"log": log} | apart, ids)
    return normal | {"states": sort_titles_with_new_ids(normal["states"])}


def _has_placeholder(notification: list[Any]) -> bool:
    # Runs with an agent have a list of notifications for each step instead.
    return "ENVIRONMENT_NOTIFICATION" in notification and bool(_PLACEHOLDER.search(notification[2]))


def _drop_placeholder(notification: list[Any]) -> list[Any]:
    if not _has_placeholder(notification):
        return notification
    return [*notification[:2], _PLACEHOLDER.sub("", str(notification[2]))]


def _drop_unique_parts(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what only the package has: the numbers of checks, and what values became later."""
    row = {key: value for key, value in row.items() if key != "later"}
    return row | {"id": _strip_check_number(row["id"])} if row["type"] == "CONDITION" else row


def _strip_check_number(event_id: str) -> str:
    return re.sub(r"-CHECK_\d+$", "", event_id)
