"""Hypothesis strategies for universes and tool calls: valid and invalid arguments of every kind, for every tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, cast

from hypothesis import strategies as st
from parity.sample_values import ALL_CHOICES, CHOICES, PATHS, PLAIN, STATE_KEYS, TEXTS, WRONG
from scenario_corpus import load_sandbox, load_universe

from adk_agent_sim.scenario.app_base.app import APP, DATA, ENV, USER, Argument, Tool
from adk_agent_sim.scenario.apps.registry import find_app_class

Draw = Callable[[st.SearchStrategy[Any]], Any]

_SKIPPED = frozenset({("SystemApp", "wait_for_notification")})
"""Tools that only make sense in a world whose time passes; the runs with an agent call them."""

_SKIPPED_OF_CLASS = frozenset(
    {
        ("MessagingApp", "send_attachment"),
        ("MessagingApp", "download_attachment"),
        ("EmailClientApp", "download_attachments"),
        ("Mail", "download_attachments"),
    }
)
"""Tools with which the package reads and writes the host's disk, whatever file system the world has."""

_SKIPPED_ARGUMENTS = {"EmailClientApp": "attachment_paths", "Mail": "attachment_paths"}
"""Arguments of which the same is true."""


@cache
def _universes() -> list[list[Any]]:
    return [load_universe(), load_sandbox()["apps"]]


@st.composite
def universes(draw: Draw, *, has_older_apps: bool = False) -> list[Any]:
    """Build a small universe: some apps of a recorded one, each with a few of its entities, some of them changed.

    Args:
        draw: Chooses a value of a strategy.
        has_older_apps: Whether there can be apps that the package has but cannot read from a scenario with events.
    """
    base = draw(st.sampled_from(_universes()))
    always = {"AgentUserInterface", "SystemApp"}
    optional = [each for each in base if each["name"] not in always]
    focus = draw(st.lists(st.sampled_from(range(len(optional))), min_size=1, max_size=3, unique=True))
    chosen = [optional[index] for index in sorted(focus)]
    # Without a file system in the world, its mail and messaging apps read and write the host's disk.
    if all(each["name"] != "Files" for each in chosen):
        chosen.append(next(each for each in optional if each["name"] == "Files"))
    apps = [each for each in base if each["name"] in always]
    return apps + [_shrink_app(draw, each, _ALIASES | (_OLDER_APPS if has_older_apps else {})) for each in chosen]


_ALIASES = {
    "ContactsApp": ["ContactsApp", "Contacts"],
    "CalendarApp": ["CalendarApp", "Calendar"],
    "ApartmentListingApp": ["ApartmentListingApp", "RentAFlat"],
    "ShoppingApp": ["ShoppingApp", "Shopping"],
    "SandboxLocalFileSystem": ["SandboxLocalFileSystem", "Files"],
    "EmailClientV2": ["EmailClientV2", "Mail"],
}

_OLDER_APPS = {
    "EmailClientV2": ["EmailClientV2", "Mail", "EmailClientApp"],
    "MessagingAppV2": ["MessagingAppV2", "MessagingApp"],
}


def _shrink_app(draw: Draw, app: Any, aliases: dict[str, list[str]]) -> Any:
    state = dict(app["app_state"] or {})
    for key, value in state.items():
        if key == "folders":
            state[key] = {name: folder | {"emails": _pick(draw, folder["emails"], 4)} for name, folder in value.items()}
        elif key in ("name_to_id", "id_to_name", "files", "d_service_config"):
            continue
        elif key == "conversations":
            state[key] = {
                name: each | {"messages": _pick(draw, each["messages"], 3)}
                for name, each in _pick(draw, value, 4).items()
            }
        elif isinstance(value, dict | list):
            state[key] = _pick(draw, value, 5)
    if "saved_apartments" in state:
        state["saved_apartments"] = [each for each in state["saved_apartments"] if each in state["apartments"]]
    if "api_call_limit" in state:
        state["api_call_limit"] = draw(st.sampled_from([0, 1, 3, 100]))
    class_name = draw(st.sampled_from(aliases.get(app["class_name"], [app["class_name"]])))
    if class_name == "MessagingApp":
        state = _use_names(state)
    return app | {"app_state": state, "class_name": class_name}


def _use_names(state: Any) -> Any:
    """Return the state of a messaging app as that of its older version, in which people have no ids."""
    names = state["id_to_name"] | {state["current_user_id"]: "Me"}
    conversations = {
        key: {
            "participants": [names.get(one, one) for one in each["participant_ids"]],
            "messages": [
                {"sender": names.get(message["sender_id"], message["sender_id"])}
                | {name: value for name, value in message.items() if name != "sender_id"}
                for message in each["messages"]
            ],
        }
        | {name: value for name, value in each.items() if name not in ("participant_ids", "messages")}
        for key, each in state["conversations"].items()
    }
    return {"conversations": conversations} | {
        key: state[key] for key in ("messages_view_limit", "conversation_view_limit")
    }


def _pick(draw: Draw, values: Any, most: int) -> Any:
    """Return some consecutive entities of a list or an object."""
    if not values:
        return values
    start = draw(st.integers(0, max(0, len(values) - 1)))
    count = draw(st.integers(0, most))
    if isinstance(values, dict):
        return dict(list(cast("dict[str, Any]", values).items())[start : start + count])
    return cast("list[Any]", values)[start : start + count]


_REMINDERS = {"name": "Reminders", "class_name": "ReminderApp", "app_state": None}


@st.composite
def call_cases(draw: Draw, calls: int = 20) -> dict[str, Any]:
    """Build a universe and calls in it."""
    apps = [*draw(universes(has_older_apps=True)), *draw(st.sampled_from([[], [_REMINDERS]]))]
    known: dict[str, list[Any]] = {}
    for app in apps:
        collect_values(app["app_state"], known)
    tools = list_tools(apps)
    made: list[dict[str, Any]] = []
    t = 0.0
    for _ in range(calls):
        if not draw(st.integers(0, 9)):  # shrinking leaves out calls
            continue
        number = len(made)
        t += draw(st.sampled_from([0, 0.25, 1, 60, 2000]))
        app, tool, via = draw(st.sampled_from(tools))
        arguments = build_arguments(draw, tool, known, number)
        made.append({"t": t, "via": via, "app": app, "fn": tool.name, "args": arguments})
    return {"apps": apps, "calls": made}


def list_tools(apps: list[Any]) -> list[tuple[str, Tool, str]]:
    """Return every tool of these apps, with each way in which it can be called."""
    found: list[tuple[str, Tool, str]] = []
    for app in apps:
        made = find_app_class(app["class_name"])
        assert made is not None
        for tool in made.tools().values():
            if (app["name"], tool.name) in _SKIPPED or (app["class_name"], tool.name) in _SKIPPED_OF_CLASS:
                continue
            skipped = _SKIPPED_ARGUMENTS.get(app["class_name"])
            usable = replace(tool, arguments=tuple(each for each in tool.arguments if each.name != skipped))
            if APP in tool.kinds:
                found.append((app["name"], usable, "agent"))
            if tool.kinds & {ENV, USER}:
                found.append((app["name"], usable, "user" if USER in tool.kinds else "env"))
            if tool.kinds <= {DATA}:
                found.append((app["name"], usable, "data"))
    return found


def build_arguments(
    draw: Draw, tool: Tool, known: dict[str, list[Any]], number: int, *, care: int = 9
) -> dict[str, Any]:
    """Build the arguments of a call, which can refer to the results of so many calls before it.

    One in `care` + 1 calls has missing, unknown and wrong arguments.
    """
    given: dict[str, Any] = {}
    careless = draw(st.integers(0, care)) == care
    for each in tool.arguments:
        if each.variadic:
            if draw(st.integers(0, 19)) == 0:
                given["extra"] = draw(st.sampled_from([1, "x", None]))
            continue
        if not each.required and draw(st.booleans()):
            continue
        if careless and draw(st.integers(0, 5)) == 0:
            continue
        given[each.name] = _value(draw, each, known, number, careless=careless)
    if careless and draw(st.integers(0, 9)) == 0:
        given["nonsense"] = 1
    return given


def _value(draw: Draw, argument: Argument, known: dict[str, list[Any]], number: int, *, careless: bool) -> Any:
    base = argument.annotation.partition(" | ")[0].partition("[")[0]
    if careless and draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(WRONG))
    # An id of the run as the name of a file would sort differently on both sides.
    if (
        number
        and base in ("str", "list")
        and argument.name != "mode"
        and "path" not in argument.name
        and draw(st.integers(0, 5)) == 0
    ):
        reference = {"$result": draw(st.integers(0, number - 1))}
        return reference if base == "str" else [reference]
    pool = _pool(argument, base, known)
    if base != "list":
        return _vary(draw, draw(st.sampled_from(pool)))
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(PLAIN["list"]))
    return [draw(st.sampled_from(pool)) for _ in range(draw(st.integers(0, 3)))]


def _pool(argument: Argument, base: str, known: dict[str, list[Any]]) -> list[Any]:
    """Return values for an argument, those that exist in the world first."""
    if "path" in argument.name:
        return PATHS
    if argument.name == "discount_code" and base == "dict":
        return CHOICES["$discounts"]
    if argument.name in ALL_CHOICES:
        return ALL_CHOICES[argument.name]
    keys = (argument.name, *STATE_KEYS.get(argument.name, ()))
    wanted = {"str": str, "int": int, "float": float, "bool": bool, "list": str, "dict": dict}.get(base, str)
    found = [value for key in keys for value in known.get(key, ()) if type(value) is wanted]
    special = CHOICES.get(argument.name, [])
    plain = TEXTS if base == "list" else PLAIN.get(base, TEXTS)
    return (
        [*found[:12] * (1 + 40 // max(1, len(found[:12]))), *special * 2, *plain] if found else [*special * 4, *plain]
    )


def _vary(draw: Draw, value: Any) -> Any:
    """Return a text, or a slightly different one."""
    if not isinstance(value, str) or not value or draw(st.integers(0, 7)):
        return value
    changes = [value.upper(), value.lower(), value.strip(), value.title(), f" {value} ", value[:3], value + "x"]
    return draw(st.sampled_from(changes))


def collect_values(value: Any, found: dict[str, list[Any]]) -> None:
    """Collect every value in a state by its key."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        for key, held in given.items():
            for each in cast("list[Any]", held) if isinstance(held, list) else [held]:
                if isinstance(each, str | int | float | bool):
                    found.setdefault(key, []).append(each)
            collect_values(held, found)
        for key, target in (("name_to_id", "$names"), ("crime_data", "$zip_codes")):
            found.setdefault(target, []).extend(given.get(key) or ())
        for codes in cast("dict[str, Any]", given.get("discount_codes") or {}).values():
            found.setdefault("$codes", []).extend(codes)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            collect_values(each, found)
