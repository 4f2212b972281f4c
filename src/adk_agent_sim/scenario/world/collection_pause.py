"""Pauses Python's cyclic garbage collector while very many objects are created that all stay.

Each full collection visits all objects, also those of the libraries, and finds nothing. Objects without cycles are
freed as ever.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def pause_garbage_collection() -> Generator[None]:
    """Pause the collector for the block. Keep the block short of waiting: the pause is that of the whole process."""
    # Somebody else has paused it, and it is theirs to resume.
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
