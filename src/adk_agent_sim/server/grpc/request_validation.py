"""Validation of gRPC request fields and of the blocks of model requests, which readers do not check again.

Every function raises `InvalidField`, which names the field.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence

from adk_agent_sim.errors import BlocksMissing, InvalidField
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.persistence.row_codec import OPTIONAL_JSON_FIELDS, from_event_message
from adk_agent_sim.timeline import event_validation
from adk_agent_sim.timeline.blocks import Block, split_ids
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.event_shapes import RequestPart
from adk_agent_sim.timeline.event_validation import KIND_NAMES
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentJoined,
    ArtifactSaved,
    CancelAsked,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.shape_checks import MAX_JSON_DEPTH
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)

MAX_DESCRIPTION_LENGTH = 500
MAX_NAME_LENGTH = 100
MAX_PAGE_SIZE = 1_000
_DEFAULT_PAGE_SIZE = 50
_OUTCOME_NUMBERS = frozenset(
    number for number in v1.RunEnded.Outcome.values() if number != v1.RunEnded.OUTCOME_UNSPECIFIED
)

_UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)

_CLASS_NAME = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{0,{MAX_NAME_LENGTH - 1}}}")

CLIENT_EVENT_KINDS = frozenset(
    KIND_NAMES[payload_class]
    for payload_class in (
        AgentJoined,
        UserSpoke,
        TurnWithdrawn,
        CancelAsked,
        EnvironmentDecided,
        ToolStarted,
        ToolFinished,
        ToolFailed,
        ToolAsked,
        WorldStarted,
        WorldEventHappened,
        NotificationDelivered,
        WorldTimeChanged,
        VerdictReached,
        AgentEvent,
        ArtifactSaved,
        RunEnded,
    )
)
"""The event kinds that a client may append with AppendEvents; the others have RPCs of their own, or are no client's."""


def require_uuid4(field: str, value: str) -> None:
    """Check that `value` is a UUID of version 4."""
    if not _UUID4.fullmatch(value):
        raise InvalidField(field, f"must be a UUID of version 4, and is {_quote_value(value)}")


def require_agent_name(value: str) -> None:
    """Check that `value` is an agent name of 1 to 100 characters, of which one is visible."""
    if not value:
        raise InvalidField("agent_name", "must not be empty")
    event_validation.check_agent_name(value, "agent_name")
    if len(value) > MAX_NAME_LENGTH:
        raise InvalidField("agent_name", f"must have at most {MAX_NAME_LENGTH} characters, and has {len(value)}")


def require_session_id(value: str) -> None:
    """Check that `value` can be the id of a session."""
    event_validation.check_identifier(value, "session_id")


def require_after_seq(value: int) -> None:
    """Check that a stream can start after it."""
    if value < 0:
        raise InvalidField("after_seq", f"must not be negative, and is {value}")


def parse_exact_response(text: str) -> Mapping[str, Json]:
    """Return the `LlmResponse` of a canonical JSON text."""
    value = parse_json_field("exact_json", text)
    event_validation.validate_response(value, "exact_json")
    return value


def parse_exact_request(text: str) -> Mapping[str, Json]:
    """Return the `LlmRequest` of a canonical JSON text."""
    value = parse_json_field("exact_json", text)
    event_validation.validate_model_request(value, "exact_json")
    return value


def check_tool_response(request: v1.SubmitToolResponseRequest) -> None:
    """Check that a request answers a tool call with a result or with an exception."""
    event_validation.check_identifier(request.request_id, "request_id")
    if request.result_json and request.error_type:
        raise InvalidField("error_type", "must be empty if there is result_json: a tool returns or raises")
    if request.error_type and not _CLASS_NAME.fullmatch(request.error_type):
        raise InvalidField(
            "error_type",
            f"must be a class name, such as TimeoutError, and is {_quote_value(request.error_type)}",
        )
    if not request.result_json and not request.error_type:
        raise InvalidField("result_json", "is missing: send it, or error_type if the tool raises; null is a result")


def parse_client_event(index: int, message: v1.SessionEvent) -> Event:
    """Return the event of a client's message."""
    try:
        return from_event_message(message)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        _check_json_fields(index, message)
        raise InvalidField(f"events[{index}]", f"cannot be read: {error}") from error


def _check_json_fields(index: int, message: v1.SessionEvent) -> None:
    """Name the JSON field that cannot be read, if it is one."""
    kind = message.WhichOneof("payload") or ""
    if message.texts_json:
        parse_json_field(f"events[{index}].texts_json", message.texts_json)
    payload = getattr(message, kind)
    for name in payload.DESCRIPTOR.fields_by_name:
        if name.endswith("_json"):
            text = getattr(payload, name)
            if text or name.removesuffix("_json") not in OPTIONAL_JSON_FIELDS:
                parse_json_field(f"events[{index}].{kind}.{name}", text)


def parse_json_field(field: str, text: str) -> Json:
    """Return the value of a field that is JSON text."""
    try:
        data = text.encode("ascii")
    except UnicodeEncodeError as error:
        raise InvalidField(field, f"must be JSON text in ASCII, and is not: {error}") from error
    return _decode_json_field(field, data)


def _decode_json_field(field: str, data: bytes) -> Json:
    try:
        return decode_json(data)
    except RecursionError:
        raise InvalidField(field, f"must have at most {MAX_JSON_DEPTH} nesting levels, and has more") from None
    except ValueError as error:
        raise InvalidField(field, f"must be JSON text in ASCII, and is not: {error}") from error


def check_client_event(index: int, event: v1.SessionEvent) -> None:
    """Check that a client may append this event."""
    kind = event.WhichOneof("payload")
    field = f"events[{index}].payload"
    if kind is None:
        raise InvalidField(field, "is missing")
    if kind not in CLIENT_EVENT_KINDS:
        raise InvalidField(field, f"is {kind}, which cannot be appended: it has an RPC of its own")
    if event.run_ended.outcome not in _OUTCOME_NUMBERS and kind == "run_ended":
        raise InvalidField(f"events[{index}].run_ended.outcome", "must be done, failed or cancelled")
    if event.agent_name and len(event.agent_name) > MAX_NAME_LENGTH:
        raise InvalidField(f"events[{index}].agent_name", f"must have at most {MAX_NAME_LENGTH} characters")


def resolve_page_size(value: int) -> int:
    """Return how many sessions a page has; 0 means the default."""
    if value < 0:
        raise InvalidField("page_size", f"must not be negative, and is {value}")
    return min(value or _DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def _quote_value(value: str) -> str:
    return repr(value if len(value) <= MAX_NAME_LENGTH else f"{value[:MAX_NAME_LENGTH]}...")


MAX_REMEMBERED = 20_000
"""How many valid blocks are remembered, so that a conversation is not validated again with each of its requests."""

_GROUP = "group"


class RequestBlockValidator:
    """Checks every block of a request once, whether it came with this request or with an earlier one."""

    def __init__(self, read_blocks: Callable[[str, Sequence[str]], Awaitable[Mapping[str, bytes]]]) -> None:
        """Read blocks that were sent before with `read_blocks`, of a session and by their ids."""
        self._read_blocks = read_blocks
        # The id of a block is a hash of its data, so a block that is valid as a tool list is so in every session.
        self._valid: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def validate(self, session_id: str, asked: TurnAsked, sent_blocks: Sequence[Block]) -> None:
        """Check the blocks that a request refers to.

        Raises:
            InvalidField: A block is not what the request uses it for.
            BlocksMissing: A block was neither sent nor stored.
        """
        data = {block.block_id: block.data for block in sent_blocks}
        group_ids, content_ids = await self._unpack_contents(session_id, asked, data)
        uses: list[tuple[RequestPart, str]] = [
            ("tools", asked.tools),
            ("instruction", asked.instruction),
            ("config", asked.config),
            *(("content", block_id) for block_id in content_ids),
        ]
        unchecked = [use for use in uses if use not in self._valid]
        await self._load_blocks(session_id, [block_id for _, block_id in unchecked], data)
        for part, block_id in unchecked:
            field = f"asked.{part}"
            event_validation.validate_request_part(part, _decode_json_field(field, data[block_id]), field)
        # A group is remembered only now that all of its contents are known to be valid.
        self._remember([*unchecked, *((_GROUP, block_id) for block_id in group_ids)])

    async def _unpack_contents(
        self, session_id: str, asked: TurnAsked, data: dict[str, bytes]
    ) -> tuple[list[str], list[str]]:
        """Return the ids of the groups that were not validated before, and of the contents to validate."""
        group_ids: list[str] = []
        ids: list[str] = []
        for level in reversed(asked.contents):
            # A group that is known to be valid is not opened again, so a request costs what is new in it.
            new_groups = [block_id for block_id in ids if (_GROUP, block_id) not in self._valid]
            await self._load_blocks(session_id, new_groups, data)
            group_ids += new_groups
            ids = [block_id for group in new_groups for block_id in split_ids(data[group])]
            ids += level
        return group_ids, ids

    async def _load_blocks(self, session_id: str, block_ids: Sequence[str], data: dict[str, bytes]) -> None:
        """Add blocks that were not sent with this request to `data`."""
        earlier_ids = list({block_id for block_id in block_ids if block_id not in data})
        if earlier_ids:
            stored = await self._read_blocks(session_id, earlier_ids)
            data.update(stored)
            if len(stored) < len(earlier_ids):
                raise BlocksMissing(session_id, len(earlier_ids) - len(stored))

    def _remember(self, uses: Sequence[tuple[str, str]]) -> None:
        self._valid.update(dict.fromkeys(uses))
        while len(self._valid) > MAX_REMEMBERED:
            self._valid.popitem(last=False)
