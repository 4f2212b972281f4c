"""How long a replay may wait for something that does not happen, and who is told meanwhile what it waits for.

Who asks for a fork, an undo or a redo sets it around that: `with watch_replays(on_wait=print_line): ...`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from adk_agent_sim.text.escaped_logging import get_logger

LIMIT_VARIABLE = "ADK_SIM_REPLAY_LIMIT"
"""The environment variable with the limit in seconds."""

DEFAULT_LIMIT = 20.0
_REPORT_AFTER = 2.0

_log = get_logger(__name__)


def _log_wait(waits_for: str) -> None:
    if waits_for:
        _log.warning("The replay is waiting for %s.", waits_for)


@dataclass(frozen=True, kw_only=True)
class ReplayWatch:
    """Watches a replay."""

    on_wait: Callable[[str], object] = _log_wait
    """Called with what the replay waits for, if nothing happens for a while, and with an empty text when it goes on."""

    report_after: float = _REPORT_AFTER
    """How many seconds nothing happens before `on_wait` is called."""

    limit: float = field(default_factory=lambda: _read_limit())  # noqa: PLW0108 - defined below
    """How many seconds it waits for something that was recorded, while nothing happens, before it has failed."""


_REPLAY_WATCH: ContextVar[ReplayWatch | None] = ContextVar("adksim_replay_watch", default=None)


def get_replay_watch() -> ReplayWatch:
    """Return who watches the replays of the current task."""
    return _REPLAY_WATCH.get() or ReplayWatch()


@contextmanager
def watch_replays(
    *, on_wait: Callable[[str], object] | None = None, report_after: float | None = None, limit: float | None = None
) -> Generator[None]:
    """Watch the replays that begin inside; the arguments are the fields of `ReplayWatch`."""
    watch = get_replay_watch()
    token = _REPLAY_WATCH.set(
        replace(
            watch,
            on_wait=on_wait or watch.on_wait,
            report_after=watch.report_after if report_after is None else report_after,
            limit=watch.limit if limit is None else limit,
        )
    )
    try:
        yield
    finally:
        _REPLAY_WATCH.reset(token)


def _read_limit() -> float:
    text = os.environ.get(LIMIT_VARIABLE, "")
    try:
        seconds = float(text or DEFAULT_LIMIT)
    except ValueError:
        seconds = 0.0
    if seconds > 0:
        return seconds
    _log.warning("%s is %r and not a number of seconds, so %g are used.", LIMIT_VARIABLE, text, DEFAULT_LIMIT)
    return DEFAULT_LIMIT
