"""The seat of a tool: its calls are recorded and timed, can be cancelled one by one, and do not block the event loop.

Like a model's seat it is installed once, when ADK is about to call the tool, and routes by context variables; outside
bound sessions the tool runs unchanged. ADK's pipeline around the call (callbacks, confirmation, errors, state deltas)
is not affected; the seat replaces only what happens inside the call.

    ADK pipeline --> tool.run_async --> RunningCalls.run --> ToolCallInterceptor --> the tool's own run_async
                     (_ToolSeat)        (recorded)           (simulated)             (sync code: a thread of its own)
"""

from __future__ import annotations

import asyncio
import copy
import functools
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from google.adk.tools import BaseTool, ToolContext

from adk_agent_sim.adk.compat import check_sync_callable_runner, use_sync_callable_runner
from adk_agent_sim.adk.time_travel.recorded_outcome import RecordedOutcome
from adk_agent_sim.environment.report_fold import UnansweredCall
from adk_agent_sim.environment.rule_decision import NOT_RUN, RAN_TOOL, ExecutionOutcome
from adk_agent_sim.errors import Cancelled
from adk_agent_sim.golden.recording import RecordedToolCall
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import EnvironmentDecided, Player


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """How a call ended, besides its result or error."""

    seconds: float
    """How long it took."""

    player: Player
    """Who answered it."""

    outcome: ExecutionOutcome
    """Whether the tool's own code ran."""


class ToolCallListener(Protocol):
    """Gets notified when the code of a tool starts and ends."""

    async def on_environment_decided(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """Handle what the rules decided for the call."""
        ...

    def find_replayed_outcome(self, context: ToolContext) -> RecordedOutcome | None:
        """Return how the call ended in the run that is replayed; None if the call is not part of it."""
        ...

    def find_recorded_result(self, context: ToolContext, tool: BaseTool) -> RecordedToolCall | None:
        """Return the recorded call whose response is the result; None if the tool should run."""
        ...

    async def ask_person(self, context: ToolContext, spec: ToolSpec, arguments: Mapping[str, Json]) -> Json:
        """Ask a person for the tool's response and return it; raise what the person raises as the tool."""
        ...

    async def on_tool_started(
        self, context: ToolContext, tool: BaseTool, arguments: dict[str, Any], player: Player
    ) -> None:
        """Handle that the tool's code, or what simulates it, is about to run."""
        ...

    async def on_tool_finished(self, context: ToolContext, result: object, end: CallEnd) -> None:
        """Handle that the tool returned."""
        ...

    async def on_tool_failed(self, context: ToolContext, error: BaseException, end: CallEnd) -> None:
        """Handle that the tool raised, or that its call was cancelled."""
        ...


RunAsync: TypeAlias = Callable[..., Awaitable[Any]]
"""A tool's `run_async`; the parameters are `(*, args, tool_context)`."""


class ToolCallInterceptor(Protocol):
    """Runs in place of the tool's own code in one call; may run that code itself."""

    @property
    def context(self) -> ToolContext:
        """The call that is intercepted."""
        ...

    def decide(self, args: dict[str, Any]) -> object:
        """Decide what happens to the call."""
        ...

    def execute_decision(self, own_run: RunAsync, args: dict[str, Any]) -> Awaitable[object]:
        """Execute the decision and return the result of the call."""
        ...

    def build_decision_event(self) -> EnvironmentDecided:
        """Return the decision as an event for the timeline."""
        ...

    @property
    def player(self) -> Player:
        """Who responds as the tool, if a rule answers the call."""
        ...

    def complete(self) -> ExecutionOutcome:
        """Count how the call ended, or how far it came if it was cancelled, and return it."""
        ...


TOOL_INTERCEPTOR: ContextVar[ToolCallInterceptor | None] = ContextVar("adksim_tool_interceptor", default=None)
"""The interceptor of the current call."""

REAL_CALL_COUNTS: ContextVar[Counter[str] | None] = ContextVar("adksim_real_calls", default=None)
"""Where the calls are counted, by tool, that no interceptor handles."""

TOOL_GUARD: ContextVar[Callable[[BaseTool, RunAsync], RunAsync] | None] = ContextVar("adksim_guarding", default=None)
"""Wraps the tool's own code; applied inside everything else."""

SESSION_CALLS: ContextVar[RunningCalls | None] = ContextVar("adksim_calls", default=None)
"""The running calls of the session that the current task belongs to."""

ENCLOSING_CALL: ContextVar[EnclosingCall | None] = ContextVar("adksim_inside", default=None)
"""Set inside a tool call: an agent that is used as a tool runs inside a call of its caller's session."""


@dataclass(frozen=True, slots=True)
class EnclosingCall:
    """The tool call that the current task runs in."""

    calls: RunningCalls
    """The running calls of the session that made the call."""

    call_id: str
    """The id of the call; empty if it has none."""

    outer: EnclosingCall | None = None
    """The call that the agent runs in that makes this one; None if it runs in none."""


class _ToolSeat:
    """Replaces a tool's `run_async`."""

    def __init__(self, tool: BaseTool, own_run: RunAsync | None) -> None:
        self.tool = tool
        self._own_run = own_run
        """The `run_async` that was set on the instance; None if the class's own is used."""
        # From the class: the attribute of the instance is going to be this seat, which would call itself.
        self._run_tool = own_run or functools.partial(type(tool).run_async, tool)

    async def __call__(self, *, args: dict[str, Any], tool_context: ToolContext) -> object:
        own_run = self._run_tool
        if (guard := TOOL_GUARD.get()) is not None:
            own_run = guard(self.tool, own_run)
        interceptor = TOOL_INTERCEPTOR.get()
        calls = SESSION_CALLS.get()
        # A tool that is called from inside another call inherits that call's variable, which is not for it.
        if interceptor is None or interceptor.context is not tool_context:
            if calls is None:
                _count_real_call(self.tool)
                return await own_run(args=args, tool_context=tool_context)
            return await calls.run(self.tool, own_run, args, tool_context)
        # A tool may pass its own context on to another tool, and the rule must act on this call only.
        TOOL_INTERCEPTOR.set(None)
        interceptor.decide(args)
        if calls is None:
            try:
                return await interceptor.execute_decision(own_run, args)
            finally:
                interceptor.complete()
        own_run = calls.use_recorded_result(self.tool, own_run)
        answer = functools.partial(_execute_intercepted, interceptor, own_run)
        return await calls.run(self.tool, answer, args, tool_context, interceptor)

    @classmethod
    def install(cls, tool: BaseTool) -> None:
        own_run = tool.__dict__.get("run_async")
        if isinstance(own_run, _ToolSeat):
            if own_run.tool is tool:
                return
            # ADK copies tools, for instance to prefix their names, and the copy still has the seat of the original.
            own_run = own_run._own_run  # noqa: SLF001 - the same class
        vars(tool)["run_async"] = cls(tool, own_run)


def _count_real_call(tool: BaseTool) -> None:
    if (counts := REAL_CALL_COUNTS.get()) is not None:
        counts[tool.name] += 1


def _execute_intercepted(
    interceptor: ToolCallInterceptor, own_run: RunAsync, *, args: dict[str, Any], tool_context: ToolContext
) -> Awaitable[object]:
    return interceptor.execute_decision(own_run, args)


def is_seated(tool: BaseTool) -> bool:
    """Whether a tool has a seat of its own."""
    seat = tool.__dict__.get("run_async")
    return type(seat) is _ToolSeat and seat.tool is tool


def install_seat(tool: BaseTool) -> None:
    """Install a seat in a tool, unless it has one."""
    _ToolSeat.install(tool)


async def _return_recorded(recorded: RecordedToolCall, *, args: dict[str, Any], tool_context: ToolContext) -> object:
    # Callbacks may change a response in place, and the recording is compared with the new session later.
    return copy.deepcopy(dict(recorded.response or {}))


class RunningCalls:
    """The tool calls of one session that are running now."""

    def __init__(self, listener: ToolCallListener, monotonic: Callable[[], float]) -> None:
        check_sync_callable_runner()
        self._listener = listener
        self._monotonic = monotonic
        # By signal and not by call id: models may give several calls the same id, or none.
        self._stop_signals: dict[asyncio.Future[None], str] = {}
        self._abandoned_tasks: set[asyncio.Future[Any]] = set()

    @property
    def call_ids(self) -> list[str]:
        """The ids of the running calls, oldest first."""
        return list(self._stop_signals.values())

    def is_cancelling(self, call_id: str) -> bool:
        """Return whether a call was cancelled, and does not know it yet."""
        return any(running == call_id and stop.done() for stop, running in self._stop_signals.items())

    def cancel(self, call_id: str) -> bool:
        """Cancel one call. Returns False if it is not running."""
        stops = [stop for stop, running in self._stop_signals.items() if running == call_id and not stop.done()]
        for stop in stops:
            stop.set_result(None)
        return bool(stops)

    async def record_environment_decision(self, context: ToolContext, decided: EnvironmentDecided) -> None:
        """Record what the rules decided for a call that they answer without running it here."""
        await self._listener.on_environment_decided(context, decided)

    async def ask_person(self, context: ToolContext, spec: ToolSpec, arguments: Mapping[str, Json]) -> Json:
        """Ask a person, who sees the session's timeline, for the response of the tool that is called now."""
        enclosing = ENCLOSING_CALL.get()
        # The question belongs to the calling agent, as the start and the end of the call do.
        outer = ENCLOSING_CALL.set(enclosing.outer if enclosing is not None else None)
        try:
            return await self._listener.ask_person(context, spec, arguments)
        finally:
            ENCLOSING_CALL.reset(outer)

    def use_recorded_result(self, tool: BaseTool, own_run: RunAsync) -> RunAsync:
        """Return the tool's own code as rules may run it: it gives the recorded result where it has no decisions.

        An agent that is used as a tool cannot run if the recording that plays has its result only.
        """

        async def run(*, args: dict[str, Any], tool_context: ToolContext) -> object:
            recorded = self._listener.find_recorded_result(tool_context, tool)
            if recorded is not None:
                return await _return_recorded(recorded, args=args, tool_context=tool_context)
            return await own_run(args=args, tool_context=tool_context)

        return run

    async def run(
        self,
        tool: BaseTool,
        own_run: RunAsync,
        args: dict[str, Any],
        context: ToolContext,
        interceptor: ToolCallInterceptor | None = None,
    ) -> object:
        """Run a tool's own code, or what simulates it; notify the listener, and allow the call to be cancelled."""
        player = Player.REAL
        if interceptor is not None:
            decided = interceptor.build_decision_event()
            await self._listener.on_environment_decided(context, decided)
            if decided.rule or decided.unanswered == UnansweredCall.REFUSED:
                player = interceptor.player
        replayed = self._listener.find_replayed_outcome(context)
        if replayed is not None:
            player, own_run = replayed.player, replayed.run
        elif player is Player.REAL and (recorded := self._listener.find_recorded_result(context, tool)) is not None:
            player, own_run = Player.RECORDED, functools.partial(_return_recorded, recorded)
        if player is Player.REAL and interceptor is None and replayed is None:
            _count_real_call(tool)
        await self._listener.on_tool_started(context, tool, args, player)
        # The time that the listener takes for recording is not the tool's.
        start = self._monotonic()

        def end_call() -> CallEnd:
            outcome = interceptor.complete() if interceptor is not None else RAN_TOOL
            outcome = NOT_RUN if player is Player.RECORDED or replayed is not None else outcome
            return CallEnd(seconds=self._monotonic() - start, player=player, outcome=outcome)

        threads = ToolThreads(tool.name)
        try:
            if interceptor is None and player is Player.REAL and replayed is None and never_waits(tool):
                # There is no moment at which the call could be cancelled, so it needs no task of its own.
                with self._enclose_call(context):
                    result = await own_run(args=args, tool_context=context)
            else:
                result = await self._run_enclosed(_run_in_threads(threads, own_run, args, context), context)
            if result is _STOPPED:
                raise Cancelled(_format_cancelled_message(tool.name, in_thread=threads.is_busy))
        except (Exception, asyncio.CancelledError) as error:
            await self._listener.on_tool_failed(context, error, end_call())
            raise
        await self._listener.on_tool_finished(context, result, end_call())
        return result

    def get_enclosing_call_id(self) -> str:
        """Return the id of this session's call that the current task runs in; empty if it does not run in one."""
        enclosing = ENCLOSING_CALL.get()
        return enclosing.call_id if enclosing is not None and enclosing.calls is self else ""

    @contextmanager
    def _enclose_call(self, context: ToolContext) -> Generator[None]:
        """Set `ENCLOSING_CALL` while the tool runs; the listener is notified outside, as part of the calling agent."""
        enclosing = ENCLOSING_CALL.set(EnclosingCall(self, context.function_call_id or "", outer=ENCLOSING_CALL.get()))
        try:
            yield
        finally:
            ENCLOSING_CALL.reset(enclosing)

    async def _run_enclosed(self, work: Awaitable[Any], context: ToolContext) -> object:
        with self._enclose_call(context):
            return await self._wait_for_result_or_stop(work, context)

    async def _wait_for_result_or_stop(self, work: Awaitable[Any], context: ToolContext) -> object:
        """Return the tool's result, or `_STOPPED` as soon as the call is cancelled, even if the tool ignores that."""
        stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stop_signals[stop] = context.function_call_id or ""
        task = asyncio.ensure_future(work)
        task.set_name(f"a tool of {context.agent_name!r}")
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            # A stop wins over a result that comes at the same moment: who cancelled the call was told so.
            if not stop.done():
                return task.result()
            self._abandon_task(task)
            return _STOPPED
        finally:
            del self._stop_signals[stop]
            # If the run itself is cancelled, asyncio.wait leaves the task running.
            if not task.done():
                self._abandon_task(task)

    def _abandon_task(self, task: asyncio.Future[Any]) -> None:
        """Cancel the task without waiting for it, and discard its outcome."""
        self._abandoned_tasks.add(task)  # asyncio holds tasks only weakly
        task.add_done_callback(self._abandoned_tasks.discard)
        # Reading the exception keeps asyncio from logging it as never retrieved.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        task.cancel()


_STOPPED = object()


def never_waits(tool: BaseTool) -> bool:
    """Return whether a tool says of itself that its code never waits for anything, as those of a world do."""
    return getattr(tool, "never_waits", False) is True


def _format_cancelled_message(tool_name: str, *, in_thread: bool) -> str:
    if in_thread:
        return (
            f"The call of {tool_name} was cancelled. Its code is synchronous and cannot be stopped: "
            "it still runs, and its result will be discarded."
        )
    return f"The call of {tool_name} was cancelled."


async def _run_in_threads(threads: ToolThreads, own_run: RunAsync, args: dict[str, Any], context: ToolContext) -> Any:
    """Run a tool with its synchronous functions in threads."""
    with use_sync_callable_runner(threads.run):
        return await own_run(args=args, tool_context=context)
