"""Paging of lists: the items of a page and the range of positions that agents see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

PageItem = TypeVar("PageItem")


def slice_page(items: Sequence[PageItem], offset: int, limit: int) -> tuple[list[PageItem], tuple[int, int]]:
    """Return the items of a page, and the positions of its first item and after its last item, as shown to agents."""
    return list(items[offset : offset + limit]), (offset, min(offset + limit, len(items)))
