"""Runs the import of an agent in a thread of its own, which neither the server nor its end waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from types import FrameType
from typing import Generic, TypeVar

from adk_agent_sim.adk.compat import get_thread_frame

_Result = TypeVar("_Result")


class ImportThread(Generic[_Result]):
    """One call of a function in a daemon thread.

    Not an executor's thread: an import that never ends would keep one of its few workers, and the end of the process
    would wait for it.
    """

    def __init__(self, function: Callable[[], _Result], name: str) -> None:
        """Start the thread; call this in the event loop that waits for the result."""
        self._loop = asyncio.get_running_loop()
        self._function = function
        self.result: asyncio.Future[_Result | BaseException] = self._loop.create_future()
        """What the function returned or raised. An exit of the code is a value here, and does not end the server."""
        self._thread = Thread(target=self._run, name=f"adksim-import-{name}", daemon=True)
        self._thread.start()

    def find_frame(self) -> FrameType | None:
        """Return where the thread is; None if it has ended."""
        return get_thread_frame(self._thread)

    def _run(self) -> None:
        # Code that asks for the event loop while it is imported finds one, as it does in the main thread.
        own_loop = asyncio.new_event_loop()
        asyncio.set_event_loop(own_loop)
        outcome: _Result | BaseException
        try:
            outcome = self._function()
        except BaseException as error:  # noqa: BLE001 - code of the user's, which may also exit; the failure is shown
            outcome = error
        finally:
            asyncio.set_event_loop(None)
            own_loop.close()
        with suppress(RuntimeError):  # the server has stopped meanwhile
            self._loop.call_soon_threadsafe(self._finish, outcome)

    def _finish(self, outcome: _Result | BaseException) -> None:
        # Who waited for the result may have been cancelled, and the future with it.
        if not self.result.done():
            self.result.set_result(outcome)
