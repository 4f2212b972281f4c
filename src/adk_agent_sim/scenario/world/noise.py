"""Random disturbances: failing calls, renamed and reworded tools, and unrelated events.

Every draw depends only on the seed and on what it decides, so the same run has the same noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.scenario.app_base.world_random import WorldRandom
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.scenario.format.models import (
    ExportedAction,
    ExportedActionArg,
    ExportedApp,
    ExportedEvent,
    ExportedTrace,
)
from adk_agent_sim.scenario.format.values import format_value, get_value_type

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
