"""The intentional differences of `docs/are-differences.md`, each as a function that settles exactly that difference.

A row is given both sides of one aspect of a call and returns them without the difference that it describes; everything
else stays and is compared. Rows can therefore occur together, and none exempts a call as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

Settle = Callable[[Mapping[str, Any], str, Any, Any], tuple[Any, Any]]
"""Takes call, aspect, our and their value; returns both values without the listed difference."""


@dataclass(frozen=True, kw_only=True)
class ListedDifference:
    """A row of the document."""

    row: str
    """The start of the row's text."""

    settle: Settle

    diverges: bool = False
    """Whether the app's states differ from then on."""

    reorders: bool = False
    """Whether the result has another order, so that a call to which it is passed on is another one."""


def find_listed(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> ListedDifference | None:
    """Return the last of the rows that make two values equal; None if they differ in other ways too."""
    for each in LISTED:
        ours, theirs = each.settle(call, aspect, ours, theirs)
        if ours == theirs:
            return each
    return None


_RIDES = ("get_quotation", "list_rides", "order_ride", "get_ride", "get_ride_history", "get_current_ride_status")
_TITLED_CONVERSATIONS = (
    "add_participant_to_conversation",
    "remove_participant_from_conversation",
    "create_conversation",
    "create_group_conversation",
)
_TIMES = re.compile(r"'(created|mtime|ino|mode|uid|gid|nlink)': [\d.]+")
_DIRECTORY_SIZE = re.compile(r"'size': \d+, 'type': 'directory'")
_JSON_TIMES = re.compile(r'"(created|mtime|ino|mode|uid|gid|nlink)": [\d.]+')
_JSON_DIRECTORY_SIZE = re.compile(r'"size": \d+, "type": "directory"')
FALSY = ("b''", "", "[]", "{}", "0", "0.0", "False", "()")


def _settle_random_rides(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if aspect not in ("text", "log") or ("ride_id" not in str(ours) and call["fn"] not in _RIDES):
        return ours, theirs
    return tuple(_map_texts(each, _drop_ride_numbers) for each in (ours, theirs))  # pyright: ignore[reportReturnType]


def _drop_ride_numbers(text: str) -> str:
    text = re.sub(r"(price|duration|distance_km|delay)=[\d.e-]+", r"\1=N", text)
    text = re.sub(r"(['\"])(price|duration|distance_km|delay)\1: [\d.e-]+", r"\2: N", text)
    return re.sub(r"(Distance|Price|Duration|Delay): \$?[\d.e-]+", r"\1: N", text)


def is_unordered(call: Mapping[str, Any]) -> bool:
    """Return whether the package gives the result of a call in another order each time."""
    return call["fn"] in ("get_all_tags", "ls")


def _settle_unordered_lists(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if not is_unordered(call):
        return ours, theirs
    return _sort_list(ours, aspect), _sort_list(theirs, aspect)


def _sort_list(value: Any, aspect: str) -> Any:
    if aspect == "result" and isinstance(value["value"], list):
        return value | {"value": sorted(value["value"], key=str)}
    if aspect == "text" and isinstance(value, str):
        return sorted(value)
    if aspect == "log":
        return [each | {"value": sorted(str(each["value"]))} for each in value]
    return value


def _settle_falsy_values(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if aspect != "log":
        return ours, theirs
    rows = [each | {"value": [None, None]} if each["value"][0] in FALSY else each for each in ours]
    return rows, theirs


def _settle_disk(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Drop what depends on the host's disk: times and numbers of its files, and the path of the sandbox.

    To attach a file, the package first looks on the host's disk, and does not ask its file system if it finds it there.
    """
    if aspect == "log" and call["args"].get("attachment_path") in ("/", ".", "..") and len(ours) > len(theirs):
        ours = [each for each in ours if each["call"][1] != "exists"]
    return _map_texts(ours, _drop_disk_facts), _map_texts(theirs, _drop_disk_facts)


def _drop_disk_facts(text: str) -> str:
    text = re.sub(r"(?<=Operation not allowed outside sandbox: ).*", "", text, flags=re.DOTALL)
    text = _DIRECTORY_SIZE.sub("'type': 'directory'", _TIMES.sub(r"'\1': N", text))
    return _JSON_DIRECTORY_SIZE.sub('"type": "directory"', _JSON_TIMES.sub(r'"\1": N', text))


def is_compressed_write(call: Mapping[str, Any]) -> bool:
    """Return whether a call writes a file that the package compresses, so that its content differs from then on."""
    mode = call["args"].get("mode")
    return call["fn"] == "open" and bool(call["args"].get("compression")) and bool(set(str(mode)) & set("wax+"))


def _settle_compression(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Accept our file object where the package's compresses."""
    if call["fn"] != "open" or not call["args"].get("compression"):
        return ours, theirs
    return ours, _map_texts(theirs, _drop_compression)


def _drop_compression(text: str) -> str:
    text = re.sub(r"<gzip (fsspec[\w.]+ object)( at)? 0x[0-9a-f]+ 0x[0-9a-f]+>", r"<\1>", text)
    return "LocalFileOpener" if text == "GzipFile" else text


def _settle_open_files(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if call["fn"] != "open":
        return ours, theirs
    if aspect == "result" and ours["error"] is None and theirs["error"] is None:
        return ours | {"value": None}, theirs | {"value": None}
    return ours, _map_texts(theirs, lambda text: re.sub(r" at 0x[0-9a-f]+", "", text))


def _settle_participants(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Sort the people of conversations, and drop the time of a new one, which is the host's.

    Which two of them cannot be compared for a title also depends on their order.
    """
    if call["fn"] in _TITLED_CONVERSATIONS:
        ours, theirs = (_map_texts(each, _sort_compared_types) for each in (ours, theirs))
    return _map_texts(ours, _sort_participants), _map_texts(theirs, _sort_participants)


def _sort_compared_types(text: str) -> str:
    return re.sub(
        r"(?<=^'<' not supported between instances of )'(\w+)' and '(\w+)'$",
        lambda match: str(sorted(match.groups())),
        text,
    )


def _sort_participants(text: str) -> str:
    text = re.sub(r"participant_ids=\[(.*?)\]", lambda match: str(sorted(match[1].split(", "))), text)
    text = re.sub(r'"participant_ids": \[(.*?)\]', lambda match: str(sorted(match[1].split(", "))), text)
    text = re.sub(r"participants['\"]?[=:] ?\[(.*?)\]", lambda match: str(sorted(match[1].split(", "))), text)
    # A conversation is named after its people: in the older app among them the user, who is called Me, and in both
    # also after those that have no name but an id of the run.
    text = re.sub(r"(?<=title=')(?:[^'\\]*, )?(?:Me|<NEW:\d+>)(?:, [^'\\]*)?(?=')", _sort_names, text)
    text = re.sub(r"(?<=title': ')(?:[^'\\]*, )?(?:Me|<NEW:\d+>)(?:, [^'\\]*)?(?=')", _sort_names, text)
    text = re.sub(r'(?<=title": ")(?:[^"\\]*, )?(?:Me|<NEW:\d+>)(?:, [^"\\]*)?(?=")', _sort_names, text)
    return re.sub(r"last_updated(=|\": )1(767|8)\d{6,8}\.\d+", "last_updated=<WALL>", text)


def _sort_names(match: re.Match[str]) -> str:
    return ", ".join(sorted(match[0].split(", ")))


def _settle_missing_argument(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Accept our notification where the package's event loop ends because the event has no such argument."""
    died = aspect == "told" and len(theirs) == 1 and re.fullmatch(r"died: KeyError: '(\w+)'", str(theirs[0]))
    return (ours, ours) if died and died[1] not in call["args"] and len(ours) == 1 else (ours, theirs)


def _settle_added_order(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    failed = aspect == "result" and call["fn"] == "add_order" and theirs["error"] is not None
    text = "CartItem.__init__() got an unexpected keyword argument 'name'"
    is_listed = (
        failed and theirs["error"][1] == text and (ours["error"] is None) == _is_date(call["args"]["order_date"])
    )
    return (ours, ours) if is_listed else (ours, theirs)


def _is_date(timestamp: float) -> bool:
    """Return whether a time can be the date of an order."""
    try:
        datetime.fromtimestamp(timestamp, UTC)
    except (OverflowError, TypeError, ValueError):
        return False
    return True


def is_removed_root(call: Mapping[str, Any], our_error: str | None, their_error: str | None) -> bool:
    """Return whether a call removes the root of a file system there, and is refused here."""
    is_refused = our_error == "[Errno 1] Operation not permitted: '<FSROOT>'"
    return call["fn"] in ("rm", "rmdir") and is_refused and their_error is None


def _settle_removed_root(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if aspect != "result" or (ours["error"] or [""])[0] != "PermissionError":
        return ours, theirs
    return (ours, ours) if is_removed_root(call, ours["error"][1], theirs["error"]) else (ours, theirs)


def _settle_default_mail_time(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if call["fn"] != "create_and_add_email_with_time" or call["args"].get("email_time"):
        return ours, theirs
    is_refused = aspect == "result" and "Invalid datetime format for the email time" in str(theirs["error"])
    return (ours, ours) if is_refused or aspect.startswith("state of ") else (ours, theirs)


def _settle_base64_attachments(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    is_given = "base64_utf8_encoded_attachment_contents" in call["args"]
    is_refused = is_given and aspect == "result" and (theirs["error"] or [""])[0] == "ValidationError"
    return (ours, ours) if is_refused else (ours, theirs)


def _settle_unread_documents(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    if call["fn"] != "read_document":
        return ours, theirs
    return _map_texts(ours, _drop_traceback), _map_texts(theirs, _drop_traceback)


def _drop_traceback(text: str) -> str:
    return re.sub(r"(?<=\n)Traceback \(most recent call last\):.*", "", text, flags=re.DOTALL)


def _settle_python_attributes(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Drop the error texts where a contact has such a Python attribute, which is not one of its fields."""
    names: list[str] = list(call["args"].get("updates") or ()) if call["fn"] == "edit_contact" else []
    if not set(names) & {"__class__", "summary"} and "__class__" not in str(ours):
        return ours, theirs
    return _map_texts(ours, _drop_attribute_error), _map_texts(theirs, _drop_attribute_error)


def _drop_attribute_error(text: str) -> str:
    refusals = (
        r"(__class__|summary) is not a valid attribute of Contact\.|__class__ must be set to a class, not 'int' object"
        r"|property 'summary' of 'Contact' object has no setter"
    )
    return "refused" if text in ("AttributeError", "TypeError") else re.sub(refusals, "refused", text)


def _settle_dotted_letters(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Accept what a pattern finds if it contains a letter whose case the two engines fold differently."""
    is_meant = call["fn"] == "regex_search" and set(str(call["args"].get("query"))) & set("\u0130\u0131")
    return (ours, ours) if is_meant and aspect in ("result", "text", "log") else (ours, theirs)


def _settle_class_modules(call: Mapping[str, Any], aspect: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Drop the modules of classes in errors about arguments."""
    if aspect not in ("result", "log"):
        return ours, theirs
    return (
        _map_texts(ours, lambda text: re.sub(r"(?<=got <class ')adk_agent_sim\.scenario\.[\w.]+\.(?=\w+'>)", "", text)),
        _map_texts(theirs, lambda text: re.sub(r"(?<=got <class ')are\.simulation\.[\w.]+\.(?=\w+'>)", "", text)),
    )


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_map_texts(each, change) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _map_texts(each, change) for key, each in cast("dict[str, Any]", value).items()}
    return value


LISTED = (
    ListedDifference(row="Return values like `[]`, `0` and `False` are recorded", settle=_settle_falsy_values),
    ListedDifference(row="Ids, prices and delays come from a stream", settle=_settle_random_rides),
    ListedDifference(row="Both file systems are in memory", settle=_settle_disk),
    ListedDifference(row="Tags are sorted", settle=_settle_unordered_lists, reorders=True),
    ListedDifference(row="Tags are sorted", settle=_settle_participants),
    ListedDifference(row="Options that ARE passes to its file library", settle=_settle_compression),
    ListedDifference(row="`open` creates, empties or checks the file", settle=_settle_open_files),
    ListedDifference(row="`read_document` reads text and web pages", settle=_settle_unread_documents),
    ListedDifference(row="A notification template that names", settle=_settle_missing_argument),
    ListedDifference(row="`add_order` adds the order", settle=_settle_added_order, diverges=True),
    ListedDifference(row="The root of a file system cannot be removed", settle=_settle_removed_root, diverges=True),
    ListedDifference(
        row="`create_and_add_email_with_time` without a time", settle=_settle_default_mail_time, diverges=True
    ),
    ListedDifference(row="`edit_contact` changes only the fields", settle=_settle_python_attributes),
    ListedDifference(row="Errors about arguments name", settle=_settle_class_modules),
    ListedDifference(row="A regular expression that would take too long", settle=_settle_dotted_letters),
    ListedDifference(row="Base64 attachments", settle=_settle_base64_attachments, diverges=True),
)
