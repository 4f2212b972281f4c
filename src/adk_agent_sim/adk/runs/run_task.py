"""The task in which a run works on a user message: started, stopped, and asked how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from adk_agent_sim.errors import SimulatorError
from adk_agent_sim.text.escaped_logging import get_logger

_STOP_TIMEOUT = 3.0
"""Seconds to wait for a run to end when it is stopped; an agent's code may ignore the cancellation."""

_log = get_logger(__name__)


class RunTask:
    """The task of the last message that an agent was sent."""

    def __init__(self, agent_name: str, on_done: Callable[[], None]) -> None:
        self._agent_name = agent_name
        self._on_done = on_done
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the agent is working on a message."""
        return self._task is not None and not self._task.done()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start to work on a message; the last task has ended."""
        self._task = asyncio.create_task(work, name=f"adksim-run-{self._agent_name}")
        self._task.add_done_callback(self._handle_done)
        return self._task

    async def stop(self) -> bool:
        """Cancel the work. Work that ignores the cancellation is abandoned after some seconds, with a warning.

        Returns:
            False if nothing is running.
        """
        if self._task is None or self._task.done():
            return False
        self._task.cancel()
        # Not `wait_for`, which would go on waiting for a task that ignores its cancellation.
        _, unfinished = await asyncio.wait({self._task}, timeout=_STOP_TIMEOUT)
        if unfinished:
            _log.warning("A run of %r was stopped but continues: its code ignores the cancellation.", self._agent_name)
        return True

    def get_failure(self) -> BaseException | None:
        """Return the exception that ended the last run; None if it is running or ended normally."""
        if self._task is None or not self._task.done():
            return None
        if self._task.cancelled():
            # `exception()` would raise the cancellation here, as if the caller had been cancelled.
            return asyncio.CancelledError("the run was cancelled")
        return self._task.exception()

    async def wait_for(self, other: asyncio.Future[Any]) -> None:
        """Wait until the task or another future is done; if that is cancelled, so is the other future."""
        assert self._task is not None  # noqa: S101 - started
        try:
            await asyncio.wait({other, self._task}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            other.cancel()
            raise

    def _handle_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            task.exception()  # it is on the timeline; unless it is read here, asyncio logs it as never retrieved
        self._on_done()


def unwrap_failure(failure: BaseException) -> BaseException:
    """Return our own error if ADK has wrapped one, as it does with everything that a plugin raises."""
    return failure.__cause__ if isinstance(failure.__cause__, SimulatorError) else failure
