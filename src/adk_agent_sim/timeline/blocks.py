"""Content-addressed pieces of model requests: a conversation is stored once however often it is sent.

Every model request repeats the whole conversation. Its contents become blocks, and the list of their ids is packed into
a tree of which consecutive requests share all but the last few leaves:

    ids      a b c d e f g h i j            (fan-out 4 here)
    level 1  [abcd] [efgh]          each full group is a block of its own
    packed   ((i, j), ([abcd], [efgh]))     the rest of each level stays with the request

so a request costs a bounded number of bytes beyond what is new in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

FAN_OUT = 16
"""How many ids make a group."""

_ID_BYTES = 16

PackedIds = tuple[tuple[str, ...], ...]
"""A list of block ids, from the ungrouped rest at level 0 up."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a request with its address."""

    block_id: str
    """The hash of the data, in hex."""

    data: bytes
    """What is stored."""

    @classmethod
    def from_data(cls, data: bytes) -> Block:
        """The block of `data`."""
        return cls(blake2b(data, digest_size=_ID_BYTES).hexdigest(), data)


def pack_ids(block_ids: Sequence[str], on_group: Callable[[Block], object]) -> PackedIds:
    """Group ids level by level; every group made is handed to `keep`."""
    levels: list[tuple[str, ...]] = []
    ids = list(block_ids)
    while True:
        full = len(ids) - len(ids) % FAN_OUT
        levels.append(tuple(ids[full:]))
        if not full:
            return tuple(levels)
        groups = [
            Block.from_data(b"".join(map(bytes.fromhex, ids[start : start + FAN_OUT])))
            for start in range(0, full, FAN_OUT)
        ]
        for group in groups:
            on_group(group)
        ids = [group.block_id for group in groups]


async def unpack_ids(
    packed: PackedIds, read_blocks: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
) -> list[str]:
    """The ids that were packed; `read` gives the data of a level's groups at once."""
    ids: list[str] = []
    for level in reversed(packed):
        groups: Mapping[str, bytes] = await read_blocks(ids) if ids else {}
        ids = [one for group in ids for one in _split_ids(groups[group])]
        ids.extend(level)
    return ids


def _split_ids(group: bytes) -> list[str]:
    return [group[start : start + _ID_BYTES].hex() for start in range(0, len(group), _ID_BYTES)]
