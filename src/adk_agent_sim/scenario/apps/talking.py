"""What both messaging apps are: conversations that are listed, read, searched, and whose people come and go."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, NoReturn

from adk_agent_sim.scenario.apps.app import JSON, App
from adk_agent_sim.scenario.apps.attachment import attach, save
from adk_agent_sim.scenario.apps.conversation import Conversations, last_updated, newest_first
from adk_agent_sim.scenario.apps.moment import parsed
from adk_agent_sim.scenario.apps.paging import page
from adk_agent_sim.scenario.apps.record import Record, keyed, many

_NEWER_THAN_ALL = 1_767_225_600.0
"""When a conversation that was made in a run was last updated, until the world's own time is later than this.

ARE takes the host's clock here, so that new conversations come before all others. The start of 2026 does the same for
every scenario that plays before, and gives the same world on every host.
"""


class TalkingApp(App):
    """The base of the apps in which people talk."""

    people_key: ClassVar[str] = "participant_ids"
    """Where a conversation lists its people."""

    sender_key: ClassVar[str] = "sender_id"
    """Where a message says who wrote it."""

    plain_message: ClassVar[type[Record]] = Record
    file_message: ClassVar[type[Record]] = Record
    shown_conversation: ClassVar[type[Record]] = Record

    def load(self, state: JSON) -> None:
        """Take over the conversations."""
        super().load(state)
        self._talks = Conversations(keyed(state, "conversations"))
        self._message_limit: int = state.get("messages_view_limit", 10)
        self._view_limit: int = state.get("conversation_view_limit", 5)

    def _held(self) -> JSON:
        return {"conversations": self._talks.state()}

    def _existing(self, conversation_id: str) -> JSON:
        found = self._talks.get(conversation_id)
        if found is None:
            refuse(f"Conversation with id {conversation_id} not found")
        return found

    def _people(self, conversation_id: str) -> list[str]:
        return many(self._existing(conversation_id), self.people_key)

    def _new_conversation(self, people: list[str], title: str | None) -> str:
        people = list(dict.fromkeys(people))
        conversation: JSON = {
            self.people_key: people,
            "messages": [],
            "title": (self._usual_title(people) if title is None else title) or ", ".join(people),
            "conversation_id": self.chance.new_id(),
            "last_updated": max(self.world.now(), _NEWER_THAN_ALL),
        }
        self._talks.add(conversation)
        return conversation["conversation_id"]

    def _usual_title(self, people: list[str]) -> str:
        """The title of a conversation that was given none."""
        return ", ".join(sorted(people))

    def _known_title(self, people: list[str]) -> str:
        """The usual title when people come and go."""
        return self._usual_title(people)

    def _change_people(self, conversation_id: str, people: list[str]) -> None:
        """Change who takes part; a title that only names the people goes with them."""
        conversation = self._talks.change(conversation_id)
        if conversation.get("title") == self._known_title(many(conversation, self.people_key)):
            conversation["title"] = self._known_title(people)
        conversation[self.people_key] = people

    def _join(self, conversation_id: str, person: str) -> str:
        people = self._people(conversation_id)
        if person in people:
            refuse(f"Participant {person} already in conversation")
        self._change_people(conversation_id, [*people, person])
        return conversation_id

    def _leave(self, conversation_id: str, person: str) -> str:
        people = self._people(conversation_id)
        if person not in people:
            refuse(f"Participant {person} not in conversation")
        self._change_people(conversation_id, [each for each in people if each != person])
        return conversation_id

    def _say(self, conversation_id: str, sender: str, content: str, attached: JSON) -> str:
        """Put a message into a conversation, and return the id of the message."""
        message: JSON = {
            self.sender_key: sender,
            "message_id": self.chance.new_id(),
            "timestamp": self.world.now(),
            "content": content,
        }
        self._talks.say(conversation_id, message | attached)
        return message["message_id"]

    def _attached(self, path: str | None) -> JSON:
        if path is None:
            return {}
        name, content = attach(self, path, f"File {path} does not exist")
        return {"attachment": content, "attachment_name": name}

    def _saved(self, conversation_id: str, message_id: str, folder: str) -> str:
        messages: list[JSON] = many(self._existing(conversation_id), "messages")
        message = next((each for each in messages if each["message_id"] == message_id), None)
        if message is None:
            refuse("No attachment found in the specified message")
        if "attachment" not in message:
            raise AttributeError(f"{self.plain_message.__name__!r} object has no attribute 'attachment'")
        return save(self, folder, message["attachment_name"], message["attachment"])

    def _shown_message(self, message: JSON) -> Record:
        return self.file_message(message) if "attachment" in message else self.plain_message(message)

    def _check_page(self, offset: int, limit: int, most: int) -> None:
        if limit > most:
            advice = "Please use a smaller limit and use offset to navigate"
            raise ValueError(f"Limit must be smaller than the view limit of {most} - {advice}")
        if offset < 0:
            raise ValueError("Offset must be non-negative")

    def _recent(self) -> list[JSON]:
        return sorted(self._talks.all(), key=last_updated, reverse=True)

    def _of_person(self, person: str) -> list[JSON]:
        return [each for each in self._talks.all() if any(person in other for other in many(each, self.people_key))]

    def _shown(self, found: list[JSON], place: tuple[int, int], of_messages: tuple[int, int]) -> list[Record]:
        """A page of conversations with a page of their newest messages each; a page is offset and limit."""
        offset, limit = of_messages
        self._check_page(offset, limit, self._message_limit)
        shown: list[Record] = []
        for each in found[place[0] : sum(place)]:
            messages = newest_first(many(each, "messages"))[offset : offset + limit]
            title = each.get("title") or ", ".join(many(each, self.people_key))
            said = [*map(self._shown_message, messages)]
            shown.append(self.shown_conversation(each | {"messages": said, "title": title}))
        return shown

    def _read(self, conversation_id: str, place: tuple[int, int], dates: tuple[str | None, str | None]) -> JSON:
        """A page of the messages of a conversation."""
        conversation = self._talks.get(conversation_id)
        if conversation is None:
            raise ValueError(f"Conversation with id {conversation_id} not found")
        if place[0] < 0:
            raise ValueError("Offset must be positive")
        first, last = _bounds(dates)
        said: list[JSON] = many(conversation, "messages")
        found = newest_first([each for each in said if first <= each["timestamp"] <= last])
        if place[0] > len(found):
            raise ValueError("Offset is larger than the number of messages")
        shown, places = page(found, *place)
        return {
            "messages": [*map(self._shown_message, shown)],
            "metadata": {
                "message_range": places,
                "conversation_length": len(found),
                "conversation_id": conversation_id,
                "conversation_title": conversation.get("title"),
            },
        }

    def _with_text(self, wanted: Callable[[str], bool], dates: tuple[str | None, str | None]) -> list[str]:
        """The conversations with a title, a person's id, or a message between two dates, that is wanted.

        Dates are looked at where there is a message to compare them with, and not before.
        """
        bounds = cache(lambda: _bounds(dates))

        def within(message: Any) -> bool:
            first, last = bounds()
            return first <= message["timestamp"] <= last and wanted(message.get("content") or "")

        return [
            each["conversation_id"]
            for each in self._talks.all()
            if wanted(each.get("title") or "")
            or any(map(wanted, many(each, self.people_key)))
            or any(map(within, many(each, "messages")))
        ]


def refuse(reason: str) -> NoReturn:
    """Raise the bare exception that agents have always been told of."""
    raise Exception(reason)


def _bounds(dates: tuple[str | None, str | None]) -> tuple[float, float]:
    first, last = dates
    return float("-inf") if first is None else parsed(first), float("inf") if last is None else parsed(last)
