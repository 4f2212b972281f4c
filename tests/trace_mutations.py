"""Mutations of traces, each of one kind: mistakes that a judge must notice, and changes that must not matter to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias

TraceEvents: TypeAlias = list[dict[str, Any]]
"""Completed events as in files."""

Mutation: TypeAlias = Callable[[TraceEvents, Random], "TraceEvents | None"]
"""Changes a copy of a trace; None if the trace has nothing that it could change."""

DELAYS = (0.5, 5.0, 9.5, 10.0, 10.5, 20.0, 25.0, 25.5, 40.0, 300.0)


def _list_writes(events: TraceEvents, *, messages: bool = False) -> list[int]:
    return [
        position
        for position, each in enumerate(events)
        if each["event_type"] == "AGENT"
        and each["action"]["operation_type"] == "WRITE"
        and (messages or each["action"]["function"] != "send_message_to_user")
    ]


def _pick_write(events: TraceEvents, random: Random, *, messages: bool = False) -> dict[str, Any] | None:
    found = _list_writes(events, messages=messages)
    return events[random.choice(found)] if found else None


def drop_write(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent does not do something."""
    event = _pick_write(events, random)
    return None if event is None else [each for each in events if each is not event]


def drop_message(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent does not answer the user."""
    found = [each for each in events if each["action"]["function"] == "send_message_to_user"]
    if not found:
        return None
    event = random.choice(found)
    return [each for each in events if each is not event]


def repeat_write(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent does something twice."""
    event = _pick_write(events, random)
    return None if event is None else _insert_after(events, event, _copy_event(event, random))


def add_message(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent sends the user another message, at any time."""
    event = random.choice(events)
    return _insert_after(events, event, _build_message(event["event_time"], random))


def add_last_message(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent sends the user another message at the end."""
    return [*events, _build_message(events[-1]["event_time"] + 1, random)]


def fail_write(events: TraceEvents, random: Random) -> TraceEvents | None:
    """A call of the agent fails."""
    event = _pick_write(events, random, messages=True)
    if event is None:
        return None
    event["metadata"] |= {"exception": "boom", "return_value": None, "return_value_type": None}
    return events


def change_argument(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent gives another argument."""
    event = _pick_write(events, random, messages=True)
    given = [each for each in event["action"]["args"] if each["value"] is not None] if event else []
    if not given:
        return None
    argument = random.choice(given)
    argument["value"] = random.choice(_CHANGES.get(argument["value_type"], _CHANGES["str"]))(argument["value"])
    return events if argument["value"] != "" else None


def drop_argument(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent's call lacks an argument in the log."""
    event = _pick_write(events, random)
    if event is None or not event["action"]["args"]:
        return None
    event["action"]["args"].remove(random.choice(event["action"]["args"]))
    return events


def clear_argument(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent gives None."""
    event = _pick_write(events, random, messages=True)
    if event is None or not event["action"]["args"]:
        return None
    random.choice(event["action"]["args"]).update({"value": None, "value_type": None})
    return events


def restyle_argument(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent writes an argument differently, which means the same to some checkers."""
    event = _pick_write(events, random, messages=True)
    given = [each for each in event["action"]["args"] if each["value"]] if event else []
    if not given:
        return None
    argument = random.choice(given)
    styles = _LIST_STYLES if argument["value_type"] == "list" else _TEXT_STYLES
    argument["value"] = random.choice(styles)(argument["value"])
    return events if argument["value"] else None


def delay_write(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent does something later or earlier."""
    event = _pick_write(events, random, messages=True)
    if event is None:
        return None
    event["event_time"] += random.choice(DELAYS) * random.choice((1, 1, -1))
    return _sort_sometimes(events, random)


def delay_rest(events: TraceEvents, random: Random) -> TraceEvents | None:
    """Everything from some action on happens later."""
    start, delay = random.choice(events)["event_time"], random.choice(DELAYS)
    for each in events:
        each["event_time"] += delay if each["event_time"] >= start else 0
    return events


def delay_agent(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent does everything later, and nothing else is later."""
    delay = random.choice(DELAYS)
    for each in events:
        each["event_time"] += delay if each["event_type"] == "AGENT" else 0
    return _sort_sometimes(events, random)


def swap_times(events: TraceEvents, random: Random) -> TraceEvents | None:
    """Two events happen in the other order."""
    if len(events) < 2:
        return None
    one, other = random.sample(events, 2)
    one["event_time"], other["event_time"] = other["event_time"], one["event_time"]
    return _sort_sometimes(events, random)


def equalize_times(events: TraceEvents, random: Random) -> TraceEvents | None:
    """Several events happen at the same time, in any order of the file."""
    chosen = random.sample(events, min(len(events), random.randint(2, 5)))
    for each in chosen:
        each["event_time"] = chosen[0]["event_time"]
    random.shuffle(events)
    return events


def change_event_id(events: TraceEvents, random: Random) -> TraceEvents | None:
    """An event of the user or the environment has another id."""
    found = [each for each in events if each["event_type"] != "AGENT"]
    if not found:
        return None
    random.choice(found)["event_id"] += "-other"
    return events


def share_event_id(events: TraceEvents, random: Random) -> TraceEvents | None:
    """Two events have the same id."""
    one, other = random.choice(events), random.choice(events)
    one["event_id"] = other["event_id"]
    return events if one is not other else None


def switch_app(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent uses another app of the same class, or of another one."""
    names = {"Messages": "Chats", "Chats": "Messages", "Emails": "Emails", "Calendar": "Calendar"}
    found = [each for each in events if each["action"]["app"] in ("Messages", "Chats")]
    if not found:
        return None
    action = random.choice(found)["action"]
    action["app"] = names[action["app"]]
    return events


def mark_as_read(events: TraceEvents, random: Random) -> TraceEvents | None:
    """A call is logged as one that changes nothing."""
    event = _pick_write(events, random, messages=True)
    if event is None:
        return None
    event["action"]["operation_type"] = "READ"
    return events


def change_result(events: TraceEvents, random: Random) -> TraceEvents | None:
    """A call returns something else, such as another id; what uses it may follow or not."""
    found = [each for each in events if each["metadata"]["return_value"] is not None]
    if not found:
        return None
    event = random.choice(found)
    before, after = event["metadata"]["return_value"], f"new-{random.randint(0, 99)}"
    event["metadata"]["return_value"] = after
    if random.random() < 0.5:
        for argument in (argument for each in events for argument in each["action"]["args"]):
            argument["value"] = after if argument["value"] == before else argument["value"]
    return events


def add_environment_event(events: TraceEvents, random: Random) -> TraceEvents | None:
    """Something happens that the scenario does not plan; noise of the package is marked in its id."""
    found = [each for each in events if each["event_type"] != "AGENT"]
    if not found:
        return None
    copy = _copy_event(random.choice(found), random)
    copy["event_id"] = random.choice(("env_expansion_1", "other-1", copy["event_id"]))
    copy["event_type"] = random.choice(("ENV", "USER"))
    return _insert_after(events, random.choice(events), copy)


def add_special_call(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent calls one of the tools that the reference treats in a special way."""
    event = random.choice(events)
    app, function, arguments = random.choice(
        (("Cabs", "get_quotation", {"start_location": "a"}), ("Emails", "add_email", {"folder_name": "INBOX"}))
    )
    args = [{"name": name, "value": value, "value_type": "str"} for name, value in arguments.items()]
    copy = _copy_event(event, random, "AGENT")
    copy["action"] |= {"app": app, "function": function, "operation_type": "WRITE", "args": args}
    return _insert_after(events, event, copy)


def add_read(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent looks something up."""
    event = random.choice(events)
    copy = _copy_event(event, random, "AGENT")
    args = [{"name": "folder_name", "value": "INBOX", "value_type": "str"}]
    copy["action"] |= {"app": "Emails", "function": "list_emails", "operation_type": "READ", "args": args}
    return _insert_after(events, event, copy)


def rename_agent_ids(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent's events have ids of their own."""
    for number, each in enumerate(events):
        each["event_id"] = f"AGENT-{number}" if each["event_type"] == "AGENT" else each["event_id"]
    return events


def add_failed_write(events: TraceEvents, random: Random) -> TraceEvents | None:
    """The agent tries something that fails, and does it properly afterwards."""
    event = _pick_write(events, random)
    if event is None:
        return None
    copy = _copy_event(event, random)
    copy["metadata"] |= {"exception": "boom", "return_value": None, "return_value_type": None}
    position = next(index for index, each in enumerate(events) if each is event)
    return [*events[:position], copy, *events[position:]]


def _insert_after(events: TraceEvents, event: dict[str, Any], added: dict[str, Any]) -> TraceEvents:
    position = next(index for index, each in enumerate(events) if each is event) + 1
    return [*events[:position], added, *events[position:]]


def _copy_event(event: dict[str, Any], random: Random, kind: str | None = None) -> dict[str, Any]:
    copy = deepcopy(event)
    copy["event_id"], copy["event_type"] = f"copy-{random.randint(0, 10**9)}", kind or event["event_type"]
    return copy


def _build_message(time: float, random: Random) -> dict[str, Any]:
    args = [{"name": "content", "value": "By the way.", "value_type": "str"}]
    return {
        "class_name": "CompletedEvent",
        "event_type": "AGENT",
        "event_time": time,
        "event_id": f"message-{random.randint(0, 10**9)}",
        "dependencies": [],
        "event_relative_time": None,
        "action": {
            "action_id": "message",
            "app": "AgentUserInterface",
            "function": "send_message_to_user",
            "operation_type": "WRITE",
            "args": args,
        },
        "metadata": {"return_value": None, "return_value_type": None, "exception": None, "exception_stack_trace": None},
    }


def _sort_sometimes(events: TraceEvents, random: Random) -> TraceEvents:
    return events if random.random() < 0.3 else sorted(events, key=lambda each: each["event_time"])


def _edit_list(edit: Callable[[list[Any]], list[Any]]) -> Callable[[str], str]:
    return lambda text: json.dumps(edit(json.loads(text)))


_CHANGES: Mapping[str, list[Callable[[str], str]]] = {
    "str": [
        lambda text: f"{text} else",
        lambda text: "another",
        lambda text: text[:-1],
        lambda text: "2024-10-17 09:30:00",
        lambda text: f"{text}\nBest regards,\nYour Name",
        lambda text: f"[User] {text}",
    ],
    "int": [lambda text: str(int(text) + 1), lambda text: "0"],
    "float": [lambda text: str(float(text) + 1)],
    "bool": [lambda text: "False" if text == "True" else "True"],
    "list": [
        _edit_list(lambda items: [*items, "another"]),
        _edit_list(lambda items: items[1:]),
        _edit_list(lambda items: ["another"]),
    ],
    "dict": [lambda text: json.dumps({**json.loads(text), "other": "1"}), lambda text: "{}"],
}

_TEXT_STYLES: list[Callable[[str], str]] = [
    str.upper,
    lambda text: f" {text} ",
    lambda text: f"{text}!",
    lambda text: f"/{text}",
    lambda text: f"./{text}",
    lambda text: f"{text}/",
    lambda text: text.replace("e", "é"),
    lambda text: text.replace("-0", "-"),
    lambda text: text.replace(" ", ""),
    lambda text: text.replace("+", "00"),
]

_LIST_STYLES: list[Callable[[str], str]] = [
    _edit_list(lambda items: items[::-1]),
    _edit_list(lambda items: items + items[:1]),
    _edit_list(lambda items: [each.upper() if isinstance(each, str) else each for each in items]),
    _edit_list(lambda items: [f"/{each}" for each in items]),
    _edit_list(lambda items: []),
]

MUTATIONS: Mapping[str, Mutation] = {
    each.__name__: each
    for each in (
        drop_write, drop_message, repeat_write, add_message, add_last_message, fail_write, change_argument,
        drop_argument, clear_argument, restyle_argument, delay_write, delay_rest, delay_agent, swap_times,
        equalize_times, change_event_id, share_event_id, switch_app, mark_as_read, change_result,
        add_environment_event, add_special_call, add_read, rename_agent_ids, add_failed_write,
    )
}  # fmt: skip
"""All mutations by name."""

HARMLESS = ("add_read", "rename_agent_ids", "add_failed_write")
"""Mutations that never change a verdict."""


def mutate(events: TraceEvents, name: str, random: Random) -> TraceEvents | None:
    """Return a mutated copy of a trace, or None if the mutation does not apply to it."""
    return MUTATIONS[name](deepcopy(events), random)
