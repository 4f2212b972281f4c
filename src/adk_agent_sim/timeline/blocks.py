"""Content-addressed blocks: a conversation is stored once, no matter how many model requests repeat it.

Every model request repeats the whole conversation. Each content becomes a block, and the list of block ids is packed
into a tree, of which consecutive requests share all but the last few leaves:

    ids      a b c d e f g h i j            (fan-out 4 here)
    level 1  [abcd] [efgh]          each full group is a block itself
    packed   ((i, j), ([abcd], [efgh]))     the incomplete group of each level stays in the request

so the size of a request is its new content plus a bounded number of ids.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

FAN_OUT = 16
"""The number of ids in a group."""

_ID_BYTES = 16

PackedIds = tuple[tuple[str, ...], ...]
"""A packed list of block ids: the incomplete group of each level, from level 0 up."""

BlockReader = Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
"""Returns the data of blocks by id."""


@dataclass(frozen=True, slots=True)
class Block:
    """Data and its content address."""

    block_id: str
    """The hash of the data, in hex."""

    data: bytes
    """The content."""

    @classmethod
    def from_data(cls, data: bytes) -> Block:
        """Build the block of `data`."""
        return cls(blake2b(data, digest_size=_ID_BYTES).hexdigest(), data)


def pack_ids(block_ids: Sequence[str], on_group: Callable[[Block], object]) -> PackedIds:
    """Pack a list of ids; calls `on_group` with the block of every full group."""
    levels: list[tuple[str, ...]] = []
    ids = list(block_ids)
    while True:
        full = len(ids) - len(ids) % FAN_OUT
        levels.append(tuple(ids[full:]))
        if not full:
            return tuple(levels)
        groups = [_build_group(tuple(ids[start : start + FAN_OUT])) for start in range(0, full, FAN_OUT)]
        for group in groups:
            on_group(group)
        ids = [group.block_id for group in groups]


# The next request of a session has the same groups and at most one more in each level.
@lru_cache(maxsize=4_096)
def _build_group(block_ids: tuple[str, ...]) -> Block:
    return Block.from_data(b"".join(map(bytes.fromhex, block_ids)))


async def unpack_ids(packed: PackedIds, read_blocks: BlockReader) -> list[str]:
    """Return the ids that were packed; `read_blocks` is called once per level."""
    ids: list[str] = []
    # From the top level down: the groups of a level come before the ids that did not fill a group.
    for level in reversed(packed):
        groups: Mapping[str, bytes] = await read_blocks(ids) if ids else {}
        ids = [block_id for group in ids for block_id in split_ids(groups[group])]
        ids.extend(level)
    return ids


def split_ids(group: bytes) -> list[str]:
    """Return the ids in a group."""
    return [group[start : start + _ID_BYTES].hex() for start in range(0, len(group), _ID_BYTES)]
