"""Base class of both messaging apps: their store, listing, reading and searching conversations, and participants.

A conversation is copied before its first change; adding a message costs the same however long the conversation is.
Searches find similar names, and regular expressions in bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, NoReturn

from rapidfuzz import fuzz, process

from adk_agent_sim.forms.bounded_regex import check_syntax, is_match
from adk_agent_sim.scenario.app_base.app import JSON, App
from adk_agent_sim.scenario.app_base.entity import (
    NUMBER,
    TEXT,
    Entity,
    Fields,
    ListOf,
    MapOf,
    get_list,
    get_object,
    slice_page,
)
from adk_agent_sim.scenario.app_base.time_and_random import parse_datetime
from adk_agent_sim.scenario.files.file_system import read_attachment, save_attachment


class ConversationStore:
    """Conversations by id. A conversation is copied before its first change; all others stay shared."""

    def __init__(self, state: Mapping[str, JSON]) -> None:
        """Load conversations as in scenario files."""
        self._conversations = dict(state)
        self._owned_ids: set[str] = set()

    def __len__(self) -> int:
        return len(self._conversations)

    def get(self, conversation_id: str) -> JSON | None:
        """Return the conversation with that id, or None. The caller must not modify it."""
        return self._conversations.get(conversation_id)

    def list_all(self) -> list[JSON]:
        """Return all conversations in insertion order."""
        return list(self._conversations.values())

    def add(self, conversation: JSON) -> None:
        """Add a conversation that no other world shares."""
        self._conversations[conversation["conversation_id"]] = conversation
        self._owned_ids.add(conversation["conversation_id"])

    def get_mutable(self, conversation_id: str) -> JSON:
        """Return the conversation with that id for modification."""
        conversation = self._conversations[conversation_id]
        if conversation_id not in self._owned_ids:
            conversation = self._conversations[conversation_id] = _copy_conversation(conversation)
            self._owned_ids.add(conversation_id)
        return conversation

    def add_message(self, conversation_id: str, message: JSON) -> None:
        """Append a message to a conversation and update its time."""
        conversation = self.get_mutable(conversation_id)
        conversation["messages"].append(message)
        conversation["last_updated"] = max(get_last_updated(conversation), message["timestamp"])

    def to_state(self) -> JSON:
        """Return the conversations as in scenario files. The returned objects are not modified later."""
        return {
            conversation_id: _copy_conversation(each) if conversation_id in self._owned_ids else each
            for conversation_id, each in self._conversations.items()
        }


def get_last_updated(conversation: JSON) -> float:
    """Return the time of the last update, or 0 if it is unknown."""
    return conversation.get("last_updated") or 0.0


def sort_newest_first(messages: list[JSON]) -> list[JSON]:
    """Return messages by descending time; messages of the same time keep their order."""
    return sorted(messages, key=lambda message: message["timestamp"], reverse=True)


def _copy_conversation(conversation: JSON) -> JSON:
    return conversation | {"messages": list(get_list(conversation, "messages"))}


_MIN_CREATION_TIME = 1_767_225_600.0
"""The start of 2026: the earliest `last_updated` of a conversation that is created in a run.

ARE takes the host's clock here, with the effect that new conversations come before all others. This constant has the
same effect for every scenario set before 2026, and gives the same world on every host.
"""


class BaseMessagingApp(App):
    """Base of the messaging apps."""

    participants_key: ClassVar[str] = "participant_ids"
    """The key of a conversation's participants."""

    sender_key: ClassVar[str] = "sender_id"
    """The key of a message's sender."""

    message_class: ClassVar[type[Entity]] = Entity
    file_message_class: ClassVar[type[Entity]] = Entity
    conversation_class: ClassVar[type[Entity]] = Entity

    has_whole_seconds: ClassVar[bool] = True
    """Whether fractions of a second are left out when a message's time is compared with dates."""

    state_shape = Fields(
        {
            "conversations": MapOf(
                Fields(
                    {
                        "conversation_id": TEXT, "title": TEXT, "last_updated": NUMBER, "participants": ListOf(TEXT),
                        "participant_ids": ListOf(TEXT),
                        "messages": ListOf(
                            Fields(
                                {"message_id": TEXT, "sender": TEXT, "sender_id": TEXT, "content": TEXT,
                                 "timestamp": NUMBER, "attachment": TEXT, "attachment_name": TEXT},
                                required=("message_id", "timestamp"),
                            )
                        ),
                    },
                    required=("conversation_id",),
                )
            ),
            "messages_view_limit": NUMBER, "conversation_view_limit": NUMBER,
            "mode": TEXT, "name_to_id": MapOf(TEXT), "id_to_name": MapOf(TEXT), "current_user_id": TEXT,
            "current_user_name": TEXT,
        }
    )  # fmt: skip

    def load(self, state: JSON) -> None:
        """Load the conversations."""
        super().load(state)
        self._conversations = ConversationStore(get_object(state, "conversations"))
        self._message_limit: int = state.get("messages_view_limit", 10)
        self._conversation_limit: int = state.get("conversation_view_limit", 5)

    def _mutable_state(self) -> JSON:
        return {"conversations": self._conversations.to_state()}

    def _get_conversation(self, conversation_id: str) -> JSON:
        found = self._conversations.get(conversation_id)
        if found is None:
            raise_exception(f"Conversation with id {conversation_id} not found")
        return found

    def _get_participants(self, conversation_id: str) -> list[str]:
        return get_list(self._get_conversation(conversation_id), self.participants_key)

    def _create_conversation(self, participants: list[str], title: str | None) -> str:
        # ARE lists a set here; a dict also keeps the order in which people joined.
        participants = list(dict.fromkeys(participants))
        conversation: JSON = {
            self.participants_key: participants,
            "messages": [],
            "title": (self._build_default_title(participants) if title is None else title) or ", ".join(participants),
            "conversation_id": self.random.new_id(),
            "last_updated": max(self.context.now(), _MIN_CREATION_TIME),
        }
        self._conversations.add(conversation)
        return conversation["conversation_id"]

    def _build_default_title(self, participants: list[str]) -> str:
        """Return the title of a conversation that was given none."""
        return ", ".join(sorted(participants))

    def _set_participants(self, conversation_id: str, participants: list[str]) -> None:
        """Set the participants, and update the title if it is the default one.

        As in ARE, the participants are set first: they stay if no title can be built, because one of them is no text.
        """
        conversation = self._conversations.get_mutable(conversation_id)
        before = self._build_default_title(get_list(conversation, self.participants_key))
        conversation[self.participants_key] = participants
        if conversation.get("title") == before:
            conversation["title"] = self._build_default_title(participants)

    def _add_participant(self, conversation_id: str, participant: str) -> str:
        people = self._get_participants(conversation_id)
        if participant in people:
            raise_exception(f"Participant {participant} already in conversation")
        self._set_participants(conversation_id, [*people, participant])
        return conversation_id

    def _remove_participant(self, conversation_id: str, participant: str) -> str:
        people = self._get_participants(conversation_id)
        if participant not in people:
            raise_exception(f"Participant {participant} not in conversation")
        place = people.index(participant)
        self._set_participants(conversation_id, [*people[:place], *people[place + 1 :]])
        return conversation_id

    def _add_message(
        self, conversation_id: str, sender: str, content: str, attachment: JSON, *, sent_at: float | None = None
    ) -> str:
        """Add a message to a conversation and return its id. It is sent now if no time is given."""
        message: JSON = {
            self.sender_key: sender,
            "message_id": self.random.new_id(),
            "timestamp": self.context.now() if sent_at is None else sent_at,
            "content": content,
        }
        self._conversations.add_message(conversation_id, message | attachment)
        return message["message_id"]

    def _read_attachment(self, path: str | None) -> JSON:
        if path is None:
            return {}
        name, content = read_attachment(self, path, f"File {path} does not exist")
        return {"attachment": content, "attachment_name": name}

    def _save_attachment(self, conversation_id: str, message_id: str, folder: str) -> str:
        messages: list[JSON] = get_list(self._get_conversation(conversation_id), "messages")
        message = next((each for each in messages if each["message_id"] == message_id), None)
        if message is None:
            raise_exception("No attachment found in the specified message")
        if "attachment" not in message:
            # ARE accesses the attribute without checking, and agents see Python's error.
            raise AttributeError(f"{self.message_class.__name__!r} object has no attribute 'attachment'")
        if not message["attachment"]:
            raise_exception("No attachment found in the specified message")
        return save_attachment(self, folder, message["attachment_name"], message["attachment"])

    def _build_message(self, message: JSON) -> Entity:
        return self.file_message_class(message) if "attachment" in message else self.message_class(message)

    def _check_page_bounds(self, offset: int, limit: int, max_limit: int) -> None:
        if limit > max_limit:
            advice = "Please use a smaller limit and use offset to navigate"
            raise ValueError(f"Limit must be smaller than the view limit of {max_limit} - {advice}")
        if offset < 0:
            raise ValueError("Offset must be non-negative")

    def _check_conversation_bounds(self, offset: int, limit: int) -> None:
        self._check_page_bounds(offset, limit, self._conversation_limit)
        if offset > len(self._conversations):
            raise ValueError("Offset is larger than the number of conversations")

    def _list_recent(self) -> list[JSON]:
        return sorted(self._conversations.list_all(), key=get_last_updated, reverse=True)

    def _list_by_participant(self, participant: str) -> list[JSON]:
        return [
            each
            for each in self._conversations.list_all()
            if any(participant in other for other in get_list(each, self.participants_key))
        ]

    def _build_conversations(
        self, conversations: list[JSON], page_range: tuple[int, int], message_page_range: tuple[int, int]
    ) -> list[Entity]:
        """Return a page of conversations, each with a page of its newest messages. A page is (offset, limit)."""
        offset, limit = message_page_range
        self._check_page_bounds(offset, limit, self._message_limit)
        shown: list[Entity] = []
        for each in conversations[page_range[0] : sum(page_range)]:
            messages = sort_newest_first(get_list(each, "messages"))[offset : offset + limit]
            title = each.get("title") or ", ".join(get_list(each, self.participants_key))
            entities = [*map(self._build_message, messages)]
            shown.append(self.conversation_class(each | {"messages": entities, "title": title}))
        return shown

    def _read_messages(
        self, conversation_id: str, page_range: tuple[int, int], dates: tuple[str | None, str | None]
    ) -> JSON:
        """Return a page of the messages of a conversation."""
        conversation = self._conversations.get(conversation_id)
        if conversation is None:
            raise ValueError(f"Conversation with id {conversation_id} not found")
        if page_range[0] < 0:
            raise ValueError("Offset must be positive")
        first, last = _parse_bounds(dates)
        messages: list[JSON] = get_list(conversation, "messages")
        found = sort_newest_first([each for each in messages if first <= int(each["timestamp"]) <= last])
        if page_range[0] > len(found):
            raise ValueError("Offset is larger than the number of messages")
        shown, places = slice_page(found, *page_range)
        return {
            "messages": [*map(self._build_message, shown)],
            "metadata": {
                "message_range": places,
                "conversation_length": len(found),
                "conversation_id": conversation_id,
                "conversation_title": conversation.get("title"),
            },
        }

    def _search_conversations(
        self, is_wanted: Callable[[str], bool], dates: tuple[str | None, str | None]
    ) -> list[str]:
        """Return the conversations whose participants, title, or a message between two dates match.

        Dates are parsed only when participants and title do not match, as in ARE: an invalid date is no error before.
        """

        def has_matching_message(conversation: JSON) -> bool:
            first, last = _parse_bounds(dates)
            messages: list[JSON] = get_list(conversation, "messages")
            in_time = [each for each in messages if first <= self._get_comparable_time(each) <= last]
            return any(is_wanted(each.get("content") or "") for each in in_time)

        return [
            each["conversation_id"]
            for each in self._conversations.list_all()
            if any(is_wanted(person.lower()) for person in get_list(each, self.participants_key))
            or (each.get("title") is not None and is_wanted(each["title"].lower()))
            or has_matching_message(each)
        ]

    def _get_comparable_time(self, message: JSON) -> float:
        return int(message["timestamp"]) if self.has_whole_seconds else message["timestamp"]


def raise_exception(reason: str) -> NoReturn:
    """Raise a bare `Exception`, the class that agents see in ARE."""
    raise Exception(reason)


def _parse_bounds(dates: tuple[str | None, str | None]) -> tuple[float, float]:
    first, last = dates
    return float("-inf") if first is None else parse_datetime(first), float("inf") if last is None else parse_datetime(
        last
    )


_MAX_LENGTH_RATIO = 8.0
"""How many times longer one text must be than the other to find nothing.

From there on, rapidfuzz 3.12, which ARE pins, scores at most 60. Later releases score up to 90 at exactly this ratio,
so that a single letter would find names of eight letters.
"""


_MIN_SCORE = 80
"""The score that ARE asks for."""


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """Return the similar names, best first, ignoring case and whitespace around the given name."""
    query = name.lower().strip()
    candidates = [each for each in names if _is_comparable(query, each.lower())]
    # pyrefly: ignore[no-matching-overload] - it cannot solve the type parameters of scorer and processor
    matches = process.extract(
        query, candidates, scorer=fuzz.WRatio, processor=str.lower, limit=None, score_cutoff=_MIN_SCORE
    )
    return [each for each, _, _ in matches]


def _is_comparable(one: str, other: str) -> bool:
    return max(len(one), len(other)) < _MAX_LENGTH_RATIO * min(len(one), len(other))


class error(re.error):  # noqa: N801 - agents see this name; Python 3.13 renamed it to PatternError
    """The text is not a valid regular expression."""


class SafeRegex:
    """A case-insensitive regular expression that is matched in bounded time."""

    def __init__(self, pattern: str) -> None:
        """Check the pattern.

        Raises:
            error: It is not a valid regular expression.
            TypeError: It is not a text: an expected action can pass what another event returned.
        """
        if not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            is_container = isinstance(pattern, list | dict)
            unhashable = f"unhashable type: '{type(pattern).__name__}'"
            raise TypeError(unhashable if is_container else "first argument must be string or compiled pattern")
        try:
            check_syntax(pattern)
        except ValueError as invalid:
            raise error(str(invalid)) from None
        self._pattern = f"(?i){pattern}"

    def has_match(self, text: str) -> bool:
        """Return whether a text contains a match. A pattern that would take too long has none."""
        return is_match(self._pattern, text, if_unchecked=False)
