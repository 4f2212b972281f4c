"""The tools that an agent is offered, and random disturbances: other names and texts, failing calls, unrelated events.

Every draw depends only on the seed and on what it decides, so the same run has the same noise. Renaming and rewording
test whether an agent reads tool descriptions or relies on names it has memorized. The other names and descriptions are
those under `augmentation` of the scenario if it has some; otherwise they depend only on the seed. The tools by which an
agent talks to the user and waits keep theirs, as in ARE.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, cast

from adk_agent_sim.scenario.app_base.app import APP, App, Tool
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.call_arguments import format_value, get_value_type
from adk_agent_sim.scenario.format.models import (
    ExportedAction,
    ExportedActionArg,
    ExportedApp,
    ExportedEvent,
    ExportedTrace,
)

_DEFAULT_DURATION = 1800.0
"""Seconds during which noise events happen in a scenario without a duration."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How much noise there is; none by default."""

    failure_probability: float = 0.0
    """The probability, from 0 to 1, that a valid call of the agent fails."""

    events_per_minute: float = 0.0
    """The average number of unrelated events per minute."""

    rename_tools: bool = False
    """Whether the tools are offered to the agent under other names."""

    reword_tools: bool = False
    """Whether the tools are offered to the agent with other descriptions."""

    events_seed: int | None = None
    """The seed of the unrelated events; None for that of the world."""

    @classmethod
    def from_options(cls, options: AugmentationOptions) -> Noise:
        """Return the noise of a run with the format's options."""
        return cls(
            failure_probability=options.tool_failure_probability,
            events_per_minute=options.env_events_per_minute,
            rename_tools=options.rename_tools,
            reword_tools=options.reword_tools,
            events_seed=options.env_events_seed,
        )


class RandomFailures:
    """Decides which calls of the agent fail, by tool and number of the call."""

    def __init__(self, noise: Noise, seed: int) -> None:
        self._probability = noise.failure_probability
        self._seed = seed
        self.call_counts: dict[str, int] = {}

    def draw_failure(self, tool_name: str) -> Exception | None:
        """Return the error of the next call of a tool, or None if it does not fail."""
        if self._probability <= 0:
            return None
        # A stream per tool: calls of other tools do not change which calls of this one fail.
        chance = WorldRandom(self._seed, f"failure/{tool_name}")
        # Setting the position makes a draw depend on the number of the call only, so a snapshot needs just the counts.
        chance.draw_count = self.call_counts[tool_name] = self.call_counts.get(tool_name, 0) + 1
        if chance.next_float() >= self._probability:
            return None
        return Exception(f"Calling {tool_name} failed with error: Internal error - Retry again later")


def generate_noise_events(noise: Noise, seed: int, trace: ExportedTrace) -> list[ExportedEvent]:
    """Return events at random times, of kinds that the scenario's apps support.

    The contents come from the apps under `augmentation` if the scenario has some, otherwise from built-in texts.
    """
    makers = list(_iter_noise_sources(trace))
    if noise.events_per_minute <= 0 or not makers:
        return []
    chance = WorldRandom(seed if noise.events_seed is None else noise.events_seed, "noise")
    definition = trace.metadata.definition
    end = _DEFAULT_DURATION if definition.duration is None else float(definition.duration)
    events: list[ExportedEvent] = []
    time = 0.0
    while True:
        # Exponentially distributed gaps make a Poisson process.
        time += -math.log(1.0 - chance.next_float()) * 60.0 / noise.events_per_minute
        if time > end:
            return events
        app, function, make = makers[int(chance.next_float() * len(makers))]
        events.append(_build_event(f"Noise-ENV-{len(events):05d}", time, app, function, make(chance)))


def _iter_noise_sources(trace: ExportedTrace) -> Iterator[tuple[str, str, Callable[[WorldRandom], Mapping[str, Any]]]]:
    """Yield the name, the tool and the argument generator of each app that can have noise."""
    stored = _read_augmentation(trace)
    for app in trace.apps:
        class_name = (app.class_name or "").rpartition(".")[2]
        own, other = app.app_state or {}, stored.get(class_name, {})
        if class_name in ("EmailClientV2", "EmailClientApp", "Mail"):
            mails = _extract_mails(other) or _MAILS
            yield app.name, "send_email_to_user_only", lambda chance, mails=mails: _pick(mails, chance)
        elif class_name == "MessagingAppV2" and (places := _find_conversations(own)):
            texts = _extract_texts(other) or _TEXTS
            yield (
                app.name,
                "create_and_add_message",
                lambda chance, places=places, texts=texts: {
                    **_pick(places, chance),
                    "content": _pick(texts, chance),
                },
            )
        elif class_name in ("ShoppingApp", "Shopping"):
            names = [str(each.get("name", "")) for each in _extract_objects(other.get("products"))] or _PRODUCTS
            yield app.name, "add_product", lambda chance, names=names: {"name": _pick(names, chance)}


def _pick(options: list[Any], chance: WorldRandom) -> Any:
    return options[int(chance.next_float() * len(options))]


def _read_augmentation(trace: ExportedTrace) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for each in _extract_objects((trace.augmentation or {}).get("apps")):
        try:
            app = ExportedApp.model_validate(each)
        # The format leaves the content of `augmentation` open, so an entry that is no app is not an error.
        except ValueError:
            continue
        found[(app.class_name or app.name).rpartition(".")[2]] = app.app_state or {}
    return found


def _extract_objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list or object of objects, skipping anything else."""
    values = list(cast("dict[str, Any]", value).values()) if isinstance(value, dict) else value
    found = cast("list[Any]", values) if isinstance(values, list) else []
    return [each for each in found if isinstance(each, dict)]


def _extract_mails(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    folders = _extract_objects(state.get("folders"))
    mails = [mail for folder in folders for mail in _extract_objects(folder.get("emails"))]
    return [{key: str(mail.get(key, "")) for key in ("sender", "subject", "content")} for mail in mails]


def _find_conversations(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the conversations that have a participant other than the user, with that participant."""
    found: list[Mapping[str, Any]] = []
    for each in _extract_objects(state.get("conversations")):
        others = [person for person in each.get("participant_ids", ()) if person != state.get("current_user_id")]
        if others and "conversation_id" in each:
            found.append({"conversation_id": each["conversation_id"], "sender_id": others[0]})
    return found


def _extract_texts(state: Mapping[str, Any]) -> list[str]:
    messages = [
        message
        for conversation in _extract_objects(state.get("conversations"))
        for message in _extract_objects(conversation.get("messages"))
    ]
    return [str(each["content"]) for each in messages if each.get("content")]


def _build_event(event_id: str, time: float, app: str, function: str, arguments: Mapping[str, Any]) -> ExportedEvent:
    args = [
        ExportedActionArg(name=name, value=format_value(value), value_type=get_value_type(value))
        for name, value in arguments.items()
    ]
    action = ExportedAction(action_id=event_id, app=app, function=function, operation_type=None, args=args)
    return ExportedEvent(
        class_name="Event",
        event_type="ENV",
        event_time=None,
        event_id=event_id,
        dependencies=[],
        event_relative_time=round(time, 3),
        action=action,
    )


_MAILS: list[Mapping[str, Any]] = [
    {"sender": "news@example.org", "subject": "This week in short", "content": "Five things worth a look."},
    {"sender": "lottery@example.org", "subject": "A parcel is waiting", "content": "Collect it within seven days."},
    {"sender": "office@example.org", "subject": "Lift out of order", "content": "The lift is out of order until noon."},
    {"sender": "survey@example.org", "subject": "Two minutes of your time", "content": "How did you like your stay?"},
]

_TEXTS = [
    "Did you see the match?",
    "lol",
    "Back in ten minutes",
    "Wrong chat, sorry",
    "Happy birthday to whoever has one",
]

_PRODUCTS = ["Desk lamp", "Rain jacket", "Steel bottle", "Notebook, squared", "Bicycle bell"]


_VERB_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "get": ("fetch", "retrieve"), "list": ("enumerate", "show"), "search": ("find", "look_up"),
    "add": ("create", "insert"), "delete": ("remove", "erase"), "send": ("dispatch", "transmit"),
    "edit": ("change", "modify"), "create": ("make", "set_up"), "remove": ("take_out", "drop"),
    "read": ("load", "view"), "update": ("revise", "change"), "cancel": ("call_off", "revoke"),
    "order": ("book", "request"), "save": ("keep", "bookmark"), "reply": ("respond", "answer"),
}  # fmt: skip

_DESCRIPTION_PREFIXES = ("Use this to do the following. ", "What it does: ", "Purpose: ", "In short: ")


_KEPT_CLASSES = ("AgentUserInterface", "SystemApp")
"""The apps whose tools are never renamed or reworded."""

_VALID_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Names that models can call."""


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool as it is offered to the agent."""

    name: str
    """The name under which the agent calls it."""

    description: str

    app: str

    tool: Tool


def build_agent_tools(
    apps: Mapping[str, App], noise: Noise, seed: int, augmentation: Mapping[str, Any] | None = None
) -> dict[str, OfferedTool]:
    """Return the tools that the agent can call, by the names under which it calls them.

    Args:
        apps: The apps by name.
        noise: Whether tools are renamed and reworded.
        seed: Decides the names and descriptions, if the scenario has none.
        augmentation: What the scenario has under `augmentation`.
    """
    found: dict[str, OfferedTool] = {}
    names, descriptions = (
        _read_texts(augmentation, "tool_names_mapping"),
        _read_texts(augmentation, "tool_descriptions_mapping"),
    )
    for name, app in apps.items():
        app_noise = Noise() if type(app).__name__ in _KEPT_CLASSES else noise
        for tool in app.tools().values():
            if APP in tool.kinds:
                each = _build_tool(name, tool, app_noise, seed, names, descriptions)
                # Two renamed tools may get the same name; the later one keeps its own, with a number if need be.
                own_names = chain((each.name, f"{name}__{tool.name}"), (f"{name}__{tool.name}_{n}" for n in count(2)))
                free_name = next(other for other in own_names if other not in found)
                found[free_name] = replace(each, name=free_name)
    return found


def _build_tool(
    app: str,
    tool: Tool,
    noise: Noise,
    seed: int,
    names: Mapping[str, str] | None,
    descriptions: Mapping[str, str] | None,
) -> OfferedTool:
    plain_name, description = f"{app}__{tool.name}", tool.description
    name = plain_name
    chance = WorldRandom(seed, f"offered/{plain_name}")
    verb, _, rest = tool.name.partition("_")
    words = _VERB_SYNONYMS.get(verb, (verb,))
    # Both are drawn in any case, so that switching one kind of noise on does not change what the other one gives.
    other = words[int(chance.next_float() * len(words))]
    opening = _DESCRIPTION_PREFIXES[int(chance.next_float() * len(_DESCRIPTION_PREFIXES))]
    if noise.rename_tools:
        name = f"{app}__{'_'.join(filter(None, (other, rest)))}" if names is None else names.get(plain_name, plain_name)
    if noise.reword_tools:
        description = opening + description if descriptions is None else descriptions.get(plain_name, description)
    is_callable = name == plain_name or _VALID_NAME.fullmatch(name) is not None or names is None
    return OfferedTool(name=name if is_callable else plain_name, description=description, app=app, tool=tool)


def _read_texts(augmentation: Mapping[str, Any] | None, key: str) -> Mapping[str, str] | None:
    """Return the texts of a mapping by the plain names of tools; None if the scenario has no such mapping."""
    given = (augmentation or {}).get(key)
    if not isinstance(given, Mapping) or not given:
        return None
    texts = cast("Mapping[Any, Any]", given).items()
    return {name: text for name, text in texts if isinstance(name, str) and isinstance(text, str) and text}
