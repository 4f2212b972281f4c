"""The seat of a tool: its call is timed, can be cancelled alone, and never blocks the loop.

Like the model's, the seat is put in once, when ADK is about to call the tool, and routes by a context variable; where
no session is seated the tool runs as ever. ADK's pipeline around the call (callbacks, confirmation, errors, deltas) is
untouched; only what happens inside the call goes through here.

    ADK pipeline --> tool.run_async --> Calls.run --> the tool's own run_async --> (sync code: a thread of its own)
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Any, Protocol, TypeAlias, cast

from google.adk.tools import BaseTool, FunctionTool, ToolContext

from adk_agent_sim.errors import Cancelled


class ToolWatcher(Protocol):
    """Is told when the code of a tool starts and ends."""

    async def tool_started(self, context: ToolContext, tool: BaseTool, arguments: dict[str, Any]) -> None:
        """The tool's code is about to run."""
        ...

    async def tool_finished(self, context: ToolContext, result: object, seconds: float) -> None:
        """The tool's code returned."""
        ...

    async def tool_failed(self, context: ToolContext, error: BaseException, seconds: float) -> None:
        """The tool's code raised, or its call was cancelled."""
        ...


RunAsync: TypeAlias = Callable[..., Awaitable[Any]]

CALLING: ContextVar[Calls | None] = ContextVar("adksim_calls", default=None)
"""Where the calls of the current task run."""

_SEATED = "_adksim_seated"


def take(tool: BaseTool) -> None:
    """Put a seat into a tool; a tool that has one keeps it."""
    if vars(tool).get(_SEATED) is tool:
        return
    own_run = cast("RunAsync", functools.partial(type(tool).run_async, tool))

    async def run_async(*, args: dict[str, Any], tool_context: ToolContext) -> object:
        calls = CALLING.get()
        if calls is None:
            return await own_run(args=args, tool_context=tool_context)
        return await calls.run(tool, own_run, args, tool_context)

    # ADK copies tools, for instance to prefix their names: the copy brings the seat of its original and needs its own.
    vars(tool).update({"run_async": run_async, _SEATED: tool})


class Calls:
    """The tool calls of one session that run now."""

    def __init__(self, watcher: ToolWatcher, measured: Callable[[], float]) -> None:
        self._watcher = watcher
        self._measured = measured
        self._stops: dict[str, asyncio.Future[None]] = {}
        self._late: set[asyncio.Future[Any]] = set()

    @property
    def running(self) -> list[str]:
        """The ids of the calls whose tools run now, oldest first."""
        return list(self._stops)

    def cancel(self, call_id: str) -> bool:
        """Stop one call. Returns False if it does not run (any longer)."""
        stop = self._stops.get(call_id)
        if stop is None or stop.done():
            return False
        stop.set_result(None)
        return True

    async def run(self, tool: BaseTool, own_run: RunAsync, args: dict[str, Any], context: ToolContext) -> object:
        """Run a tool's own code, watched."""
        await self._watcher.tool_started(context, tool, args)
        start = self._measured()
        in_thread = isinstance(tool, FunctionTool) and _is_sync(tool.func)
        run = _run_in_thread(tool) if in_thread else own_run
        try:
            result = await self._finish_or_stop(run(args=args, tool_context=context), context)
            if result is _STOPPED:
                raise Cancelled(_cancelled_message(tool.name, in_thread=in_thread))
        except (Exception, asyncio.CancelledError) as error:
            await self._watcher.tool_failed(context, error, self._measured() - start)
            raise
        await self._watcher.tool_finished(context, result, self._measured() - start)
        return result

    async def _finish_or_stop(self, work: Awaitable[Any], context: ToolContext) -> object:
        """The tool's result, or `_STOPPED` at once when the call is cancelled, whatever the tool does about it."""
        call_id = context.function_call_id or ""
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stops[call_id] = stop
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            return _STOPPED if stop.done() else task.result()
        finally:
            del self._stops[call_id]
            if not task.done():
                self._drop(task)

    def _drop(self, task: asyncio.Future[Any]) -> None:
        """Cancel the task without waiting for it; how it ends concerns nobody."""
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        task.cancel()


_STOPPED = object()


def _cancelled_message(tool_name: str, *, in_thread: bool) -> str:
    if in_thread:
        return (
            f"The call of {tool_name} was cancelled. Its code is synchronous and cannot be stopped: "
            "it still runs, and its result will be dropped."
        )
    return f"The call of {tool_name} was cancelled."


def _run_in_thread(tool: BaseTool) -> RunAsync:
    """The run of a copy of the tool whose function runs in a thread."""
    threaded = cast("FunctionTool", copy.copy(tool))
    threaded.func = _threaded(threaded.func, tool.name)
    return functools.partial(type(tool).run_async, threaded)


def _is_sync(function: Callable[..., Any]) -> bool:
    """Whether calling the function does its work before it returns. Generators are ADK's to drive."""
    for one in (inspect.unwrap(function), getattr(function, "__call__", function)):  # noqa: B004 - wanted itself
        plain = one.func if isinstance(one, functools.partial) else one
        if (
            inspect.iscoroutinefunction(plain)
            or inspect.isasyncgenfunction(plain)
            or inspect.isgeneratorfunction(plain)
        ):
            return False
    return True


def _threaded(function: Callable[..., Any], name: str) -> Callable[..., Awaitable[Any]]:
    """The function, run in a daemon thread of its own: it starves no other call and does not hold up the exit."""

    @functools.wraps(function)
    async def in_thread(*args: Any, **kwargs: Any) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        context = copy_context()

        def settle(result: Any, error: BaseException | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)

        def work() -> None:
            result, error = None, None
            try:
                result = context.run(function, *args, **kwargs)
            except StopIteration as raised:
                error = RuntimeError("a tool raised StopIteration")
                error.__cause__ = raised
            except BaseException as raised:  # noqa: BLE001 - handed to the awaiting call
                error = raised
            with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
                loop.call_soon_threadsafe(settle, result, error)

        threading.Thread(target=work, name=f"adksim-tool-{name}", daemon=True).start()
        result = await done
        return await result if inspect.isawaitable(result) else result

    return in_thread
