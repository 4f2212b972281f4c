"""The normal form in which ARE's recordings are compared with our results; `corpus/are/README.md` explains it.

Ids, random numbers and facts of the recording machine differ between runs, so they are numbered, dropped or replaced.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, cast

_ID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])")
_NEW_ID = re.compile(r"<NEW:\d+>")
_FILE_INFO_KEYS = {"islink", "ino", "type"}
_MACHINE_KEYS = {"created", "mtime", "ino", "uid", "gid", "mode", "nlink", "destination"}
_RANDOM_KEYS = {"price", "duration", "distance_km", "delay"}
_PEOPLE_KEYS = {"participant_ids", "participants"}
_TIME_KEYS = {"timestamp", "time_read", "last_updated", "time_stamp"}
_EARLIEST_WALL_CLOCK = 1_750_000_000


class IdNumbering:
    """The ids that a run generated, numbered in the order in which they occur."""

    def __init__(self, start: Any) -> None:
        self._known = set(_ID.findall(json.dumps(start)))
        self._numbers: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._group = ""
        self._group_size = 0

    def begin_group(self, name: str) -> None:
        """Number the ids that follow from one again, under a name: they do not depend on how many came before."""
        self._group, self._group_size = f"{name}.", 0

    def restore_ids(self, arguments: Any) -> Any:
        """Return the arguments of a call with our ids instead of their numbers; other ids in them are not new."""
        text = json.dumps(arguments)
        self._known.update(_ID.findall(text))
        return json.loads(_NEW_ID.sub(lambda match: self._ids.get(match[0], match[0]), text))

    def number_new_ids(self, value: Any) -> None:
        """Number the new ids in a value."""
        for each in _ID.findall(value if isinstance(value, str) else json.dumps(value)):
            if each not in self._known and each not in self._numbers:
                self._group_size += 1
                number = f"<NEW:{self._group}{self._group_size}>"
                self._numbers[each], self._ids[number] = number, each

    def is_new(self, text: object) -> bool:
        """Return whether the run generated this id."""
        return text in self._numbers

    def replace_ids(self, text: str) -> str:
        """Return a text with numbers instead of new ids."""
        return _ID.sub(lambda match: self._numbers.get(match[0], match[0]), text)


def to_json_view(value: Any) -> Any:
    """Return a value as JSON."""
    if isinstance(value, Mapping):
        return {str(key): to_json_view(held) for key, held in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, set):
        return sorted(to_json_view(each) for each in cast("set[Any]", value))
    if isinstance(value, list | tuple):
        return [to_json_view(each) for each in cast("Iterable[Any]", value)]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(value).decode()
    return value


def normalize(value: Any, ids: IdNumbering, *, answered: bool = False) -> Any:
    """Return a JSON value in normal form; in tool results, rides keep their random values."""
    if isinstance(value, dict):
        return _normalize_object(cast("dict[str, Any]", value), ids, answered=answered)
    if isinstance(value, list):
        return [normalize(each, ids, answered=answered) for each in cast("list[Any]", value)]
    if isinstance(value, str):
        return ids.replace_ids(value)
    if isinstance(value, float) and math.isfinite(value):
        rounded = round(value, 6)
        return int(rounded) if rounded == int(rounded) else rounded
    return value


def digest(value: Any) -> str:
    """Return the hash of a value in normal form."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def matches_expected(found: Any, expected: Any) -> bool:
    """Return whether two values are equal except for random values."""
    if expected == "<RAND>":
        return True
    if isinstance(expected, dict) and isinstance(found, dict):
        ours, theirs = cast("dict[str, Any]", found), cast("dict[str, Any]", expected)
        return ours.keys() == theirs.keys() and all(matches_expected(ours[key], each) for key, each in theirs.items())
    if isinstance(expected, list) and isinstance(found, list):
        ours, theirs = cast("list[Any]", found), cast("list[Any]", expected)
        return len(ours) == len(theirs) and all(map(matches_expected, ours, theirs))
    return found == expected


def _normalize_object(value: dict[str, Any], ids: IdNumbering, *, answered: bool) -> dict[str, Any]:
    dropped = {"tmpdir"}
    if value.keys() >= _FILE_INFO_KEYS:
        dropped |= _MACHINE_KEYS | ({"size"} if value["type"] == "directory" else set())
    if not answered and {"ride_id", "service_type"} <= value.keys() and ids.is_new(value["ride_id"]):
        dropped |= _RANDOM_KEYS
        value = value | {"delay_history": [{"time_stamp": each["time_stamp"]} for each in value["delay_history"]]}
    kept = {key: _normalize_by_key(key, held) for key, held in value.items() if key not in dropped}
    result = {ids.replace_ids(key): normalize(held, ids, answered=answered) for key, held in kept.items()}
    for key in _PEOPLE_KEYS & result.keys():  # after the ids, which sort differently on both sides
        result[key] = sorted(result[key], key=str) if type(result[key]) is list else result[key]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    emails: Any = result.get("emails")
    if isinstance(emails, list) and all("timestamp" in each for each in result["emails"]):
        mails: list[dict[str, Any]] = result["emails"]
        mails.sort(key=lambda each: json.dumps(each, sort_keys=True, ensure_ascii=False))
        mails.sort(key=lambda each: -each["timestamp"])
    return result


def _normalize_by_key(key: str, value: Any) -> Any:
    if key in _TIME_KEYS and isinstance(value, int | float):
        return "<WALL>" if key == "last_updated" and value > _EARLIEST_WALL_CLOCK else math.floor(value)
    if key == "order_date" and isinstance(value, str):
        return re.sub(r"\.\d+", "", value)
    # The older messaging app names a conversation after its people in the order of a set; the user is called Me.
    if key in ("title", "conversation_title") and isinstance(value, str) and "Me" in value.split(", "):
        return ", ".join(sorted(value.split(", ")))
    if key == "children":
        return sorted(cast("list[dict[str, Any]]", value), key=lambda each: each["name"])
    return value
