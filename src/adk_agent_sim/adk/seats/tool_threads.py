"""The threads in which the synchronous functions of a tool call run, so that they do not block the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any


class ToolThreads:
    """Runs the synchronous functions of one call.

    Each gets a daemon thread of its own: in a pool, a function that blocks could starve other calls, and it would delay
    the exit of the process.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.is_busy = False
        """Whether a thread is running now."""

    async def run(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        """Return the function's result, or raise what it raises."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        # The function sees the context variables of its call, as it would on the event loop.
        context = copy_context()

        def resolve_future(result: Any, error: BaseException | None) -> None:
            self.is_busy = False
            # The call was cancelled while the thread, which cannot be stopped, went on.
            if done.done():
                return
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)

        def run_function() -> None:
            result, error = None, None
            try:
                result = context.run(function, **kwargs)
            except StopIteration as raised:  # a future does not accept it as an exception
                error = RuntimeError("a tool raised StopIteration")
                error.__cause__ = raised
            except BaseException as raised:  # noqa: BLE001 - raised in the awaiting call
                error = raised
            with suppress(RuntimeError):  # the loop is closed, so nothing awaits the result
                loop.call_soon_threadsafe(resolve_future, result, error)

        self.is_busy = True
        threading.Thread(target=run_function, name=f"adksim-tool-{self._name}", daemon=True).start()
        return await done
