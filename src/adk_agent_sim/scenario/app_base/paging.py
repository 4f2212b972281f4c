"""A page of a list: the items from an offset on, and which places of the whole they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

PageItem = TypeVar("PageItem")


def slice_page(items: Sequence[PageItem], offset: int, limit: int) -> tuple[list[PageItem], tuple[int, int]]:
    """The items of a page, and the places of the first and of the one after the last, as agents are told them."""
    return list(items[offset : offset + limit]), (offset, min(offset + limit, len(items)))
