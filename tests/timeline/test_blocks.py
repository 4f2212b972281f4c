from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from adk_agent_sim.timeline.blocks import FAN_OUT, Block, PackedIds, pack_ids, unpack_ids


class Shelf:
    """Stores blocks and counts the new bytes."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def keep(self, block: Block) -> None:
        self.data[block.block_id] = block.data

    async def read(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        return {one: self.data[one] for one in ids}


def _ids(count: int) -> list[str]:
    return [Block.from_data(str(number).encode()).block_id for number in range(count)]


@given(st.lists(st.integers(0, 50), max_size=FAN_OUT**2 * 3))
async def test_any_list_of_ids_comes_back_as_it_was(numbers: list[int]) -> None:
    shelf = Shelf()
    ids = [Block.from_data(str(number).encode()).block_id for number in numbers]

    packed = pack_ids(ids, shelf.keep)

    assert await unpack_ids(packed, shelf.read) == ids


def test_one_more_id_costs_a_bounded_number_of_bytes_however_long_the_list() -> None:
    def cost(count: int) -> int:
        shelf = Shelf()
        pack_ids(_ids(count), shelf.keep)
        before = sum(map(len, shelf.data.values()))
        longer = pack_ids(_ids(count + 1), shelf.keep)
        return sum(map(len, shelf.data.values())) - before + _size(longer)

    highest = max(cost(count) for count in range(3_000, 3_000 + 2 * FAN_OUT))

    assert highest <= 4 * FAN_OUT * 2 * 16


def _size(packed: PackedIds) -> int:
    return sum(len(one) // 2 for level in packed for one in level)


def test_equal_data_is_one_block() -> None:
    assert Block.from_data(b"same").block_id == Block.from_data(b"same").block_id != Block.from_data(b"other").block_id
