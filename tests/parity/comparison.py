"""Compares what calls did on both sides, in normal form; listed differences are recognized one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from are_normal_form import IdNumbering, normalize
from parity.listed_differences import find_listed, is_compressed_write

FOLDER = re.compile(r"/tmp/are_simulation_sandbox_\w+/are_simulation_fs_sandbox_\w+")  # noqa: S108
"""Where the package stores a scenario's files."""

_PACKAGES = re.compile(r"/[^\"\\\s]*/site-packages/")
"""Where the package is installed, which tracebacks contain."""

_CAPITAL_ID = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-F]{32}|[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12})")


@dataclass(frozen=True, kw_only=True)
class CallDifference:
    """One aspect in which a call differs: its result, text, log, notifications or the changed states."""

    index: int
    call: Mapping[str, Any]
    aspect: str
    ours: Any
    theirs: Any

    @property
    def group(self) -> str:
        """What the difference is about, for counting."""
        return f"{self.call['app']}__{self.call['fn']} via {self.call['via']}: {self.aspect}"

    def __str__(self) -> str:
        return (
            f"{self.group} of call {self.index}, {json.dumps(self.call['args'])[:600]}\n"
            f"    ours   {json.dumps(self.ours)[:1500]}\n"
            f"    theirs {json.dumps(self.theirs)[:1500]}"
        )


def compare_answers(case: Mapping[str, Any], ours: list[Any], theirs: list[Any]) -> Iterator[CallDifference]:
    """Yield the differences of a case that are not listed in `docs/are-differences.md`.

    After a listed difference that makes the states of an app diverge, the app is not compared any more, nor are apps
    that are given its results.
    """
    given = [case["apps"], case["calls"]]
    our_ids, their_ids = IdNumbering(given), IdNumbering(given)
    diverged: set[str] = set()
    unknown_results: set[int] = set()
    for index, (call, mine, other) in enumerate(zip(case["calls"], ours, theirs, strict=True)):
        views = [_normalize_answer(index, mine, our_ids), _normalize_answer(index, other, their_ids)]
        uses_files = "Files" in diverged and any("path" in name for name in call["args"])
        if uses_files or unknown_results & set(_find_references(call["args"])):
            diverged.add(call["app"])
        for aspect, one, two in _pair_aspects(*views):
            if one == two or call["app"] in diverged or aspect.removeprefix("state of ") in diverged:
                continue
            listed = find_listed(call, aspect, one, two)
            if listed is None:
                yield CallDifference(index=index, call=call, aspect=aspect, ours=one, theirs=two)
            elif listed.diverges:
                diverged.add(call["app"])
            elif listed.reorders and aspect == "result":
                unknown_results.add(index)
        if is_compressed_write(call):
            diverged.add(call["app"])
        # The people of a conversation are listed in another order, also where the result is passed on.
        if call["app"] in diverged or _has_people(mine.get("value")):
            unknown_results.add(index)


def _has_people(value: Any) -> bool:
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        return bool({"participants", "participant_ids"} & given.keys()) or any(map(_has_people, given.values()))
    return isinstance(value, list) and any(map(_has_people, cast("list[Any]", value)))


def _find_references(value: Any) -> Iterator[int]:
    """Yield the numbers of the calls whose results an argument refers to."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        if "$result" in given:
            yield given["$result"]
        for each in given.values():
            yield from _find_references(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _find_references(each)


def simplify(value: Any) -> Any:
    """Return a JSON value with the names of the package's folders and ids in capitals replaced."""
    text = _PACKAGES.sub("<PACKAGES>/", FOLDER.sub("<FSROOT>", json.dumps(value)))
    return json.loads(_CAPITAL_ID.sub(lambda match: match[0].lower(), text))


def sort_titles_with_new_ids(value: Any) -> Any:
    """Return a state in which the default titles of conversations do not depend on the value of a new id.

    Both sides sort the names in it, and a participant without a name is sorted by the id.
    """
    if isinstance(value, list):
        return [sort_titles_with_new_ids(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = {key: sort_titles_with_new_ids(each) for key, each in cast("dict[str, Any]", value).items()}
    if "<NEW:" in str(items.get("title")):
        items["title"] = ", ".join(sorted(items["title"].split(", ")))
    return items


def _normalize_answer(index: int, given: Mapping[str, Any], ids: IdNumbering) -> dict[str, Any]:
    answer = simplify(given)
    ids.begin_group(str(index))  # so that a listed difference in the number of new ids does not change later ones
    for key in ("value", "error", "told", "log", "changed"):
        ids.number_new_ids(answer.get(key))
    found = {key: normalize(answer.get(key), ids) for key in ("error", "type", "value", "text", "told", "log")}
    changed: dict[str, Any] = answer["changed"]
    return found | {"changed": sort_titles_with_new_ids(normalize(changed, ids)), "died": answer.get("died")}


def _pair_aspects(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    result = ("error", "type", "value")
    yield "result", {key: ours[key] for key in result}, {key: theirs[key] for key in result}
    yield "text", ours["text"], theirs["text"]
    yield "log", ours["log"], theirs["log"]
    yield "told", ours["told"], theirs["told"] + ([f"died: {theirs['died']}"] if theirs["died"] else [])
    for app in sorted({*ours["changed"], *theirs["changed"]}):
        yield f"state of {app}", ours["changed"].get(app), theirs["changed"].get(app)
