"""Converts ADK's requests and responses to the form of a model cassette, and responses back.

    LlmRequest --> blocks --> only what a model reads --> ids of the cassette --> without secrets --> CassetteRequest

Calls have an id of the cassette (`call-1`, or `adk-call-1` if ADK made the id, which no model gets to read) and another
one in every session, because ADK needs unique ones. A response that was streamed keeps the lengths of its pieces.

    "It ", "is ", "4.", then the response "It is 4."   <-->   the response and the lengths (3, 3, 2)

The pieces are not kept: their texts are in the response, where a secret that is spread over several pieces
is found and masked, and where a person may edit them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast
from uuid import uuid4

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import ValidationError

from adk_agent_sim.adk.seats.request_blocks import RequestEncoder
from adk_agent_sim.golden.cassette import CassetteBlock, CassetteRequest, list_calls
from adk_agent_sim.golden.cassette_matching import UUID_PATTERN
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.events import AgentPath
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.strict_json import dump_json

_CLIENT_PREFIX = "adk-"
"""How ADK begins the ids that it makes itself."""

_UNREAD_SETTINGS = frozenset({"http_options", "cached_content"})
"""How a request is sent and stored, which changes nothing for the model."""

_LONG_ID = re.compile(r"[\w-]{16,}")
"""A text in which an id is found; shorter ids are only replaced where they are ids."""


class CallIds:
    """The ids of calls in a session, and in the cassette."""

    def __init__(self, known_ids: Iterable[str] = ()) -> None:
        """Count from the ids that the cassette has already."""
        self._suffix = uuid4().hex
        self._recorded_ids: dict[str, str] = {}
        self._session_ids: dict[str, str] = {}
        self._earlier_count = 0
        numbers = [int(number) for each in known_ids if (number := each.rpartition("-")[2]).isdecimal()]
        self._call_count = max(numbers, default=0)

    def name_call(self, session_id: str, recorded_id: str = "") -> str:
        """Return the id in the cassette of a new call; the given one, if it was recorded before."""
        if not recorded_id:
            self._call_count += 1
            prefix = _CLIENT_PREFIX if session_id.startswith(_CLIENT_PREFIX) else ""
            recorded_id = f"{prefix}call-{self._call_count}"
        self._recorded_ids[session_id] = recorded_id
        self._session_ids[recorded_id] = session_id
        return recorded_id

    def restore_call(self, recorded_id: str) -> str:
        """Return the id in the session of a call from the cassette."""
        if recorded_id not in self._session_ids:
            # The recorded id comes first, because ADK hides ids that begin with `adk-` from models.
            self.name_call(f"{recorded_id}-{self._suffix}", recorded_id)
        return self._session_ids[recorded_id]

    def get_recorded_id(self, session_id: str) -> str:
        """Return the id in the cassette of any call; one that this session did not see before gets a new one."""
        if session_id and session_id not in self._recorded_ids:
            self._earlier_count += 1
            self._recorded_ids[session_id] = f"earlier-{self._earlier_count}"
        return self._recorded_ids.get(session_id, session_id)

    def replace_in_text(self, text: str) -> str:
        """Return a text with the ids of the cassette."""
        return _LONG_ID.sub(lambda found: self._recorded_ids.get(found[0], found[0]), text)

    def convert_path(self, path: AgentPath) -> AgentPath:
        """Return the path of an agent with the ids of the cassette."""
        branch = ".".join(
            "@".join(self._recorded_ids.get(word, word) for word in step.split("@")) for step in path.branch.split(".")
        )
        return AgentPath(branch=branch, parent_call_id=self._recorded_ids.get(path.parent_call_id, path.parent_call_id))


class CassetteConverter:
    """Converts what one session sends and gets."""

    def __init__(self, call_ids: CallIds, redactor: Redactor) -> None:
        self.call_ids = call_ids
        self._redactor = redactor
        self._encoder = RequestEncoder()
        self.uuids: dict[str, str] = {}
        """What this session has in place of recorded UUIDs, such as those that a tool makes."""
        self._blocks: dict[str, CassetteBlock] = {}
        """The blocks of the cassette by the ids of those of the timeline."""

    @property
    def secret_count(self) -> int:
        """How many secrets are known; what was converted before a new one may contain it."""
        return self._redactor.known_count

    def convert_request(self, agent_name: str, request: LlmRequest) -> CassetteRequest:
        """Return a request as it is recorded and compared."""
        blocks = self._encoder.encode(agent_name, request)
        return CassetteRequest(
            instruction=self._convert_block(blocks.instruction, self.convert_value),
            tools=self._convert_block(blocks.tools, lambda tools: self.convert_value(_split_tools(tools))),
            config=self._convert_block(blocks.config, lambda config: self.convert_value(_select_settings(config))),
            contents=tuple(self._convert_block(block, self._convert_content_json) for block in blocks.contents),
        )

    def convert_message(self, message: types.Content) -> CassetteBlock:
        """Return a message of the user."""
        return CassetteBlock.from_value(self._convert_content_json(to_json_value(message)))

    def convert_value(self, value: Json) -> Json:
        """Return a JSON value with the ids of the cassette and without secrets."""
        replaced = _replace_texts(value, self.call_ids.replace_in_text)
        # Learned from the whole value first: a secret may be recognized in one place and repeated in another.
        self._redactor.learn_secrets(replaced)
        return self._redactor.redact_value(replaced)

    def redact_block(self, block: CassetteBlock) -> CassetteBlock:
        """Return a block without the secrets that are known by now."""
        value = block.value
        redact = self._redactor.redact_value
        clean: Json = _convert_without_bytes(value, redact) if _is_content(value) else redact(value)
        return block if clean == value else CassetteBlock.from_value(clean)

    def redact_response(self, block: CassetteBlock) -> CassetteBlock:
        """Return a response without the secrets that are known by now."""
        clean = self._redact_response(block.value)
        return block if clean == block.value else CassetteBlock.from_value(clean)

    def convert_response(self, response: LlmResponse, earlier_ids: Mapping[str, list[str]]) -> CassetteBlock:
        """Return a response of the agent's own model, whose calls all have ids.

        Args:
            response: The response.
            earlier_ids: The ids in the cassette of the calls that these replace, by tool; those used are removed.
        """
        value: dict[str, Json] = to_json_value(response)
        for call in list_calls(value):
            names = earlier_ids.get(call.get("name") or "")
            # A call of the same tool keeps its old id, so that later recorded requests that contain it still match.
            cast("dict[str, Json]", call)["id"] = self.call_ids.name_call(call["id"], names.pop(0) if names else "")
        content = value.get("content")
        self._redactor.learn_secrets({**value, "content": _remove_bytes(content)} if content else value)
        return CassetteBlock.from_value(self._redact_response(value))

    def restore_response(self, block: CassetteBlock) -> LlmResponse:
        """Return a recorded response with the ids of this session."""
        # As JSON, not as a value: only there are bytes base64.
        text = UUID_PATTERN.sub(lambda found: self.uuids.get(found[0], found[0]), dump_json(block.value))
        value: dict[str, Json] = decode_json(text.encode())
        for call in list_calls(value):
            if call.get("id"):
                cast("dict[str, Json]", call)["id"] = self.call_ids.restore_call(call["id"])
        return LlmResponse.model_validate_json(dump_json(value))

    def _redact_response(self, value: dict[str, Json]) -> dict[str, Json]:
        content = value.get("content")
        clean = cast("dict[str, Json]", self._redactor.redact_value({**value, "content": None}))
        del clean["content"]
        if content is not None:
            clean["content"] = _convert_without_bytes(content, self._redactor.redact_value)
        try:
            LlmResponse.model_validate_json(dump_json(clean))
        except ValidationError:
            # A mask took the place of a number, such as one of the ids of tokens beside the probabilities.
            return {name: inner for name, inner in clean.items() if name == "content" or inner == value.get(name)}
        return clean

    def _convert_content_json(self, content: Json) -> Json:
        for part in cast("Sequence[Mapping[str, Json]]", content.get("parts") or ()):
            for kind in ("function_call", "function_response"):
                if kind in part and part[kind].get("id"):
                    # In place, because the value was decoded for this conversion only.
                    part[kind]["id"] = self.call_ids.get_recorded_id(part[kind]["id"])
        return _convert_without_bytes(content, self.convert_value)

    def _convert_block(self, block: Block, convert: Callable[[Json], Json]) -> CassetteBlock:
        # Every request repeats the conversation, and blocks of the timeline are named by their content.
        known = self._blocks.get(block.block_id)
        if known is None:
            known = CassetteBlock.from_value(convert(decode_json(block.data)))
            self._blocks[block.block_id] = known
        return known


def assign_call_ids(response: LlmResponse) -> LlmResponse:
    """Return a response whose calls all have ids; ADK would give them later, when nobody can tell which is whose."""
    parts = (response.content.parts if response.content else None) or ()
    if all(part.function_call is None or part.function_call.id for part in parts):
        return response
    copy = response.model_copy(deep=True)
    for part in (copy.content.parts if copy.content else None) or ():
        if part.function_call is not None and not part.function_call.id:
            part.function_call.id = f"{_CLIENT_PREFIX}{uuid4()}"  # as ADK would make it
    return copy


def _split_tools(tools: Sequence[Mapping[str, Json]]) -> list[Json]:
    """Return each function, and each other tool, as a declaration of its own."""
    split: list[Json] = []
    for tool in tools:
        split += [{"function": function} for function in tool.get("function_declarations") or ()]
        split += [{name: value} for name, value in tool.items() if name != "function_declarations"]
    return split


def _select_settings(config: Mapping[str, Json]) -> dict[str, Json]:
    settings = cast("Mapping[str, Json]", config["config"])
    # The schema of the response tool's arguments is beside them; no model receives it.
    selected = {name: config[name] for name in ("model", "service_tier") if config.get(name) is not None}
    selected |= {name: value for name, value in settings.items() if name not in _UNREAD_SETTINGS}
    return selected


def _replace_texts(value: Json, replace: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Json]", value)
        return {key: _replace_texts(inner, replace) for key, inner in entries.items()}
    if isinstance(value, list):
        return [_replace_texts(inner, replace) for inner in cast("list[Json]", value)]
    return value


def _convert_without_bytes(content: Mapping[str, Json], convert: Callable[[Json], Json]) -> Json:
    """Convert a content, but not the bytes in it, such as images and signatures of thoughts, which look random."""
    converted: dict[str, Any] = convert(_remove_bytes(content))
    for before, after in zip(content.get("parts") or (), converted.get("parts") or (), strict=True):
        if "thought_signature" in before:
            after["thought_signature"] = before["thought_signature"]
        if "data" in (before.get("inline_data") or {}):
            after["inline_data"]["data"] = before["inline_data"]["data"]
    return converted


def _is_content(value: Json) -> bool:
    parts = cast("Mapping[str, Json]", value).get("parts") if isinstance(value, Mapping) else None
    return isinstance(parts, list) and all(isinstance(part, Mapping) for part in cast("list[Json]", parts))


def _remove_bytes(content: Mapping[str, Json]) -> Json:
    parts: list[dict[str, Any]] = []
    for part in cast("Sequence[Mapping[str, Json]]", content.get("parts") or ()):
        kept = {name: value for name, value in part.items() if name != "thought_signature"}
        if isinstance(kept.get("inline_data"), Mapping):
            kept["inline_data"] = {name: value for name, value in kept["inline_data"].items() if name != "data"}
        parts.append(kept)
    return {**content, "parts": parts} if "parts" in content else dict(content)


def measure_pieces(pieces: Sequence[LlmResponse], response: LlmResponse) -> tuple[int, ...]:
    """Return the lengths of the pieces of a response; none if their texts are not those of the response, in order."""
    texts = [_join_texts(piece) for piece in pieces]
    return tuple(len(text) for text in texts if text) if "".join(texts) == _join_texts(response) else ()


def split_response(response: LlmResponse, lengths: Sequence[int]) -> Iterator[LlmResponse]:
    """Yield the pieces of a response; the last one has what remains, if the text has become longer."""
    remaining = [part for part in _get_parts(response) if part.text]
    for place, length in enumerate(lengths, start=1):
        parts, remaining = _cut_parts(remaining, length if place < len(lengths) else len(_join_texts(response)))
        if parts:
            role = response.content.role if response.content else None
            yield LlmResponse(
                content=types.Content(role=role, parts=parts), partial=True, model_version=response.model_version
            )


def _cut_parts(parts: Sequence[types.Part], length: int) -> tuple[list[types.Part], list[types.Part]]:
    """Return parts with the first `length` characters, and parts with the others; a piece may end a thought."""
    taken: list[types.Part] = []
    remaining: list[types.Part] = []
    for part in parts:
        text = part.text or ""
        if text[:length]:
            taken.append(types.Part(text=text[:length], thought=part.thought))
        if text[length:]:
            remaining.append(types.Part(text=text[length:], thought=part.thought))
        length = max(0, length - len(text))
    return taken, remaining


def _join_texts(response: LlmResponse) -> str:
    return "".join(part.text or "" for part in _get_parts(response))


def _get_parts(response: LlmResponse) -> Sequence[types.Part]:
    return (response.content.parts if response.content else None) or ()
