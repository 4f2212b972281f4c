"""Validates the blocks of a client's model request: readers decode them without checking them again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence

from adk_agent_sim.errors import BlocksMissing
from adk_agent_sim.server.grpc.request_validation import check_request_part
from adk_agent_sim.timeline.blocks import Block, split_ids
from adk_agent_sim.timeline.event_shapes import RequestPart
from adk_agent_sim.timeline.events import TurnAsked

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
            check_request_part(part, data[block_id], f"asked.{part}")
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
