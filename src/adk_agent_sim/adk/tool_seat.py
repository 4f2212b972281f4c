"""The seat of a tool: its call is timed, can be cancelled alone, and never blocks the loop.

Like the model's, the seat is put in once, when ADK is about to call the tool, and routes by a context variable; where
no session is seated the tool runs as ever. ADK's pipeline around the call (callbacks, confirmation, errors, deltas) is
untouched; only what happens inside the call goes through here.

    ADK pipeline --> tool.run_async --> Calls.run --> Intervention --> the tool's own run_async
                                        (recorded)    (simulated)      (sync code: a thread of its own)
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Any, Protocol, TypeAlias

from google.adk.tools import BaseTool, ToolContext
from google.adk.utils._sync_runner import _use_sync_callable_runner  # pyright: ignore[reportPrivateUsage] - the only way

from adk_agent_sim.errors import Cancelled
from adk_agent_sim.timeline.events import EnvironmentDecided, Player


class ToolCallListener(Protocol):
    """Is told when the code of a tool starts and ends."""

    async def on_environment_decided(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """The environment said what is to happen to the call."""
        ...

    async def on_tool_started(
        self, context: ToolContext, tool: BaseTool, arguments: dict[str, Any], player: Player
    ) -> None:
        """The tool's code, or what stands for it, is about to run."""
        ...

    async def on_tool_finished(self, context: ToolContext, result: object, seconds: float, player: Player) -> None:
        """It returned."""
        ...

    async def on_tool_failed(self, context: ToolContext, error: BaseException, seconds: float, player: Player) -> None:
        """It raised, or its call was cancelled."""
        ...


RunAsync: TypeAlias = Callable[..., Awaitable[Any]]


class CallInterceptor(Protocol):
    """Stands between one call and the tool's own code."""

    @property
    def context(self) -> ToolContext:
        """The call it is for."""
        ...

    def decide(self, args: dict[str, Any]) -> object:
        """Decide what is to happen to the call."""
        ...

    def execute_decision(self, own_run: RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Do what was decided."""
        ...

    def build_decision_event(self) -> EnvironmentDecided:
        """What was decided."""
        ...


CALL_INTERCEPTOR: ContextVar[CallInterceptor | None] = ContextVar("adksim_intervening", default=None)
"""What stands between the current call and its tool."""

TOOL_GUARD: ContextVar[Callable[[BaseTool, RunAsync], RunAsync] | None] = ContextVar("adksim_guarding", default=None)
"""Stands before the tool's own code itself, innermost."""

SESSION_CALLS: ContextVar[RunningCalls | None] = ContextVar("adksim_calls", default=None)
"""Where the calls of the current task run."""

ENCLOSING_CALLS: ContextVar[RunningCalls | None] = ContextVar("adksim_inside", default=None)
"""Whose call the current task is part of; an agent that is used as a tool runs inside one."""


class _ToolSeat:
    """Stands in a tool where its `run_async` stood."""

    def __init__(self, tool: BaseTool, own_run: RunAsync | None) -> None:
        self.tool = tool
        self._own_run = own_run
        """The tool's own, if it is the instance's and not the class's."""
        self._run_tool = own_run or functools.partial(type(tool).run_async, tool)

    async def __call__(self, *, args: dict[str, Any], tool_context: ToolContext) -> object:
        own_run = self._run_tool
        if (guard := TOOL_GUARD.get()) is not None:
            own_run = guard(self.tool, own_run)
        intervention = CALL_INTERCEPTOR.get()
        calls = SESSION_CALLS.get()
        # A tool that is called inside another's call inherits the variable: it is not meant.
        if intervention is None or intervention.context is not tool_context:
            if calls is None:
                return await own_run(args=args, tool_context=tool_context)
            return await calls.run(self.tool, own_run, args, tool_context)
        CALL_INTERCEPTOR.set(None)
        intervention.decide(args)
        if calls is None:
            return await intervention.execute_decision(own_run, args)
        answer = functools.partial(_execute_intercepted, intervention, own_run)
        return await calls.run(self.tool, answer, args, tool_context, intervention.build_decision_event())

    @classmethod
    def install(cls, tool: BaseTool) -> None:
        own_run = tool.__dict__.get("run_async")
        if isinstance(own_run, _ToolSeat):
            if own_run.tool is tool:
                return
            # ADK copies tools, for instance to prefix their names: the copy brings the seat of its original.
            own_run = own_run._own_run  # noqa: SLF001 - its own class
        vars(tool)["run_async"] = cls(tool, own_run)


def _execute_intercepted(
    interceptor: CallInterceptor, own_run: RunAsync, *, args: dict[str, Any], tool_context: ToolContext
) -> Awaitable[object]:
    return interceptor.execute_decision(own_run, args)


def install_seat(tool: BaseTool) -> None:
    """Put a seat into a tool; a tool that has one keeps it."""
    _ToolSeat.install(tool)


class RunningCalls:
    """The tool calls of one session that run now."""

    def __init__(self, listener: ToolCallListener, monotonic: Callable[[], float]) -> None:
        self._listener = listener
        self._monotonic = monotonic
        self._stop_signals: dict[asyncio.Future[None], str] = {}
        self._abandoned_tasks: set[asyncio.Future[Any]] = set()

    @property
    def call_ids(self) -> list[str]:
        """The ids of the calls whose tools run now, oldest first."""
        return list(self._stop_signals.values())

    def cancel(self, call_id: str) -> bool:
        """Stop one call. Returns False if it does not run (any longer)."""
        stops = [stop for stop, running in self._stop_signals.items() if running == call_id and not stop.done()]
        for stop in stops:
            stop.set_result(None)
        return bool(stops)

    async def record_environment_decision(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """Record what the environment decided for a call that does not run here."""
        await self._listener.on_environment_decided(context, decided)

    async def run(
        self,
        tool: BaseTool,
        own_run: RunAsync,
        args: dict[str, Any],
        context: ToolContext,
        decided: EnvironmentDecided | None = None,
    ) -> object:
        """Run a tool's own code, or what was decided to stand for it, watched."""
        if decided is not None:
            await self._listener.on_environment_decided(context, decided)
        player = Player.SIMULATED if decided is not None and decided.rule else Player.REAL
        await self._listener.on_tool_started(context, tool, args, player)
        start = self._monotonic()
        threads = _ToolThreads(tool.name)
        inside = ENCLOSING_CALLS.set(self)
        try:
            result = await self._wait_for_result_or_stop(_run_in_threads(threads, own_run, args, context), context)
            if result is _STOPPED:
                raise Cancelled(_format_cancelled_message(tool.name, in_thread=threads.is_busy))
        except (Exception, asyncio.CancelledError) as error:
            await self._listener.on_tool_failed(context, error, self._monotonic() - start, player)
            raise
        finally:
            ENCLOSING_CALLS.reset(inside)
        await self._listener.on_tool_finished(context, result, self._monotonic() - start, player)
        return result

    async def _wait_for_result_or_stop(self, work: Awaitable[Any], context: ToolContext) -> object:
        """The tool's result, or `_STOPPED` at once when the call is cancelled, whatever the tool does about it."""
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop_signals[stop] = context.function_call_id or ""
        task = asyncio.ensure_future(work)
        task.set_name(f"a tool of {context.agent_name!r}")
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not stop.done():
                return task.result()
            self._abandon_task(task)
            return _STOPPED
        finally:
            del self._stop_signals[stop]
            if not task.done():
                self._abandon_task(task)

    def _abandon_task(self, task: asyncio.Future[Any]) -> None:
        """Cancel the task without waiting for it; how it ends concerns nobody."""
        self._abandoned_tasks.add(task)
        task.add_done_callback(self._abandoned_tasks.discard)
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        task.cancel()


_STOPPED = object()


def _format_cancelled_message(tool_name: str, *, in_thread: bool) -> str:
    if in_thread:
        return (
            f"The call of {tool_name} was cancelled. Its code is synchronous and cannot be stopped: "
            "it still runs, and its result will be dropped."
        )
    return f"The call of {tool_name} was cancelled."


class _ToolThreads:
    """Runs the sync functions of one call, each in a daemon thread: it starves no other call nor holds up the exit."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.is_busy = False
        """Whether a thread runs now."""

    async def run(self, function: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        """The function's result; what it raises is raised."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()
        context = copy_context()

        def resolve_future(result: Any, error: BaseException | None) -> None:
            self.is_busy = False
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
            except StopIteration as raised:
                error = RuntimeError("a tool raised StopIteration")
                error.__cause__ = raised
            except BaseException as raised:  # noqa: BLE001 - handed to the awaiting call
                error = raised
            with suppress(RuntimeError):  # the loop is closed: nobody waits any longer
                loop.call_soon_threadsafe(resolve_future, result, error)

        self.is_busy = True
        threading.Thread(target=run_function, name=f"adksim-tool-{self._name}", daemon=True).start()
        return await done


async def _run_in_threads(threads: _ToolThreads, own_run: RunAsync, args: dict[str, Any], context: ToolContext) -> Any:
    """Run a tool so that its sync functions go to threads: ADK asks for the runner that is bound here."""
    with _use_sync_callable_runner(threads.run):
        return await own_run(args=args, tool_context=context)
