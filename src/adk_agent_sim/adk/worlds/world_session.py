"""One agent in one world: its tools, its messages to the user, the time that passes, and the limits of the run.

model call begins --> world paused --> model call ends --> world resumed, thinking time passes, what is due happens
tool call --> the world's tool, now                        message to the user --> the turn ends at the next check
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from google.adk.agents.context import Context
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

from adk_agent_sim.adk.compat import get_invocation_context
from adk_agent_sim.adk.worlds.run_options import DEFAULT_DURATION, WorldRunOptions
from adk_agent_sim.adk.worlds.run_result import RunEnd
from adk_agent_sim.adk.worlds.world_checkpoints import InnerDeliveries, TurnCheckpoint, WorldCheckpoints
from adk_agent_sim.adk.worlds.world_recorder import WorldRecorder
from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.scenario.app_base.app import Tool
from adk_agent_sim.scenario.app_base.time_and_random import format_datetime
from adk_agent_sim.scenario.app_base.tool_call import build_parameters_schema
from adk_agent_sim.scenario.apps.agent_user_interface import AgentUserInterface, extract_message_content
from adk_agent_sim.scenario.players.world_player import ToolResult
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.world_events import BY_PERSON, NotificationDelivered

if TYPE_CHECKING:
    from adk_agent_sim.scenario.world.noise import OfferedTool


class AppTool(BaseTool):
    """Calls a tool of the world, under the name by which the world offers it.

    Errors of the tool are raised: ADK reports them to the model as it does for every tool.
    """

    never_waits: ClassVar[bool] = True
    """For the seat of tools: a world works without any waiting, also where its own time passes."""

    def __init__(self, offered: OfferedTool, session: WorldSession) -> None:
        super().__init__(name=offered.name, description=offered.description)
        self._offered = offered
        self._session = session
        # Once per run: ADK asks every tool for its declaration at every model call.
        self._declaration = types.FunctionDeclaration(
            name=offered.name,
            description=offered.description,
            parameters_json_schema=build_parameters_schema(offered.tool),
        )

    def _get_declaration(self) -> types.FunctionDeclaration:
        return self._declaration

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Make the call now, in simulated time, and return what an agent sees of it."""
        return await self._session.call(self._offered.app, self._offered.tool, args, tool_context)


SILENT_ANSWER = "OK"
"""What an agent answers that was started by notifications and has nothing to tell the user."""

_MESSAGE_TOOL = "send_message_to_user"

_CallKey: TypeAlias = tuple[str, str, str]
"""ADK session, agent and branch of a model call: agents that run in parallel call their models at the same time."""


class WorldSession:
    """The state of a run that its plugin, its tools and its loop share."""

    def __init__(
        self,
        world: World,
        options: WorldRunOptions,
        recorder: WorldRecorder,
        *,
        turn_count: int | None,
        checkpoints: WorldCheckpoints | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Prepare a run; nothing happens before the world's first tick.

        Args:
            world: The world.
            options: How the agent is run.
            recorder: Records what happens.
            turn_count: The number of turns that the scenario expects; None if it is not known.
            checkpoints: Keeps what the world was like before each turn; None if nobody goes back.
            clock: Measures real time.
        """
        self.world = world
        self.options = options
        self.recorder = recorder
        self._clock = clock or WallClock()
        self._started_at = self._clock.monotonic()
        self._turn_count = turn_count
        self._checkpoints = checkpoints
        self._replayed: deque[TurnCheckpoint] | None = None
        """The turns of an earlier run that begin again; None if the run is not a replay."""
        self._open_model_calls: dict[_CallKey, float] = {}
        self._longest_thought = 0.0
        scenario_duration = world.scenario.trace.metadata.definition.duration
        default_duration = DEFAULT_DURATION if scenario_duration is None else None
        self.max_duration = default_duration if options.max_duration is None else options.max_duration
        """The limit of simulated seconds; None if the scenario's own end is the limit."""
        # Notifications that were taken together with a message of the user wait here for the next model call.
        self._early: list[NotificationDelivered] = []
        self._inner_deliveries = InnerDeliveries()
        self._is_user_turn = False
        self._has_answered = False
        self._seen: list[NotificationDelivered] = []
        self._results: list[ToolResult] = []
        self.step_count = 0
        """The number of model calls."""
        self.call_count = 0
        """The number of calls of the world's tools."""
        self.message_count = 0
        """The number of messages to the user."""
        self.ended: RunEnd | None = None
        """Why the run is over; None while it is not."""
        self.on_step: Callable[[int], object] = lambda count: None
        """Called with the number of model calls when one begins."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when the run is over."""
        interface = next((each for each in world.apps.values() if isinstance(each, AgentUserInterface)), None)
        self._interface_name = interface.name if interface is not None else ""
        self.tools: Mapping[str, AppTool] = {name: AppTool(each, self) for name, each in world.tools().items()}
        """The world's tools as tools of ADK, by name."""

    @property
    def wall_seconds(self) -> float:
        """The real seconds since the run was prepared."""
        return self._clock.monotonic() - self._started_at

    @property
    def is_complete(self) -> bool:
        """Whether the agent has ended as many turns as the scenario expects."""
        return self._turn_count is not None and self.message_count >= self._turn_count

    async def begin_model_call(self, context: Context, *, is_inner: bool = False) -> list[NotificationDelivered]:
        """Stop the world's time and return what the agent is notified of. Does not return if the run is over.

        Args:
            context: The model call.
            is_inner: Whether the call is of an agent that is used as a tool, which has a conversation of its own. What
                it is notified of is delivered to the agent that called it, too.
        """
        if self._replayed is not None:
            return await self._repeat_model_call(context)
        self.end_model_call(context)  # one that another plugin has answered has not been ended
        self.tick()
        self._check_limits()
        if self.ended is not None:
            await self.wait_for_cancellation()
        self.step_count += 1
        self.on_step(self.step_count)
        taken, self._early = self._early + self.world.take_notifications(), []
        new = [each for each in taken if each.kind != "ENVIRONMENT_STOP"]
        if any(each.kind == "USER_MESSAGE" for each in new):
            self._has_answered, self._is_user_turn = False, True
        self._seen += new
        self.recorder.record_notifications(new)
        await self.recorder.flush()
        deliveries = self._inner_deliveries
        notifications = deliveries.deliver(context.session.id, new) if is_inner else deliveries.take_all() + new
        if self._checkpoints is not None:
            checkpoint = self._create_checkpoint(notifications, is_inner=is_inner)
            self._checkpoints.add(await self.recorder.get_position(), checkpoint)
        self._open_model_calls[_get_key(context)] = self._clock.monotonic()
        self.world.pause()
        return notifications

    def replay_turns(self, checkpoints: Sequence[TurnCheckpoint]) -> None:
        """Let the next model calls begin as they did, without touching the world, until `go_live`.

        Args:
            checkpoints: One for each call; the last one is the call that is decided again.
        """
        self._replayed = deque(checkpoints)

    async def go_live(self, checkpoint: TurnCheckpoint) -> None:
        """Put the world back to the beginning of a turn, which waits for its decision."""
        self._replayed = None
        self.world.restore(checkpoint.snapshot)
        self._is_user_turn, self._has_answered = checkpoint.is_user_turn, checkpoint.has_answered
        self.step_count, self.call_count = checkpoint.step_count, checkpoint.call_count
        self.message_count = checkpoint.message_count
        self._inner_deliveries = checkpoint.inner_deliveries.copy()
        if self._checkpoints is not None:
            self._checkpoints.add(await self.recorder.get_position(), checkpoint)
        self.world.pause()

    def take_place_of(self, other: WorldSession) -> None:
        """Go on in the world of another session of the same run, which does nothing there any more."""
        self._started_at, self.on_step, self.on_end = other._started_at, other.on_step, other.on_end
        other._open_model_calls.clear()
        # The other session must neither keep checkpoints nor report an end: the run goes on with this one.
        other._checkpoints, other.on_end = None, lambda: None
        other.end(RunEnd.NOTHING_LEFT)

    async def _repeat_model_call(self, context: Context) -> list[NotificationDelivered]:
        if not self._replayed:
            await self.wait_for_cancellation()  # more calls than were recorded: the replay ends with that difference
        assert self._replayed  # noqa: S101 - as checked
        checkpoint = self._replayed.popleft()
        # The last call is the one that is decided again, so its thinking time begins here.
        if not self._replayed:
            self._open_model_calls[_get_key(context)] = self._clock.monotonic()
        return list(checkpoint.notifications)

    def _create_checkpoint(self, notifications: Sequence[NotificationDelivered], *, is_inner: bool) -> TurnCheckpoint:
        return TurnCheckpoint(
            snapshot=self.world.snapshot(),
            notifications=tuple(notifications),
            is_inner=is_inner,
            inner_deliveries=self._inner_deliveries.copy(),
            is_user_turn=self._is_user_turn,
            has_answered=self._has_answered,
            step_count=self.step_count,
            call_count=self.call_count,
            message_count=self.message_count,
        )

    def end_model_call(self, context: Context) -> None:
        """Let the time pass that the model has thought, unless another one still thinks."""
        begun_at = self._open_model_calls.pop(_get_key(context), None)
        if begun_at is None:
            return
        options, measured = self.options, self._clock.monotonic() - begun_at
        seconds = options.thinking.compute(measured, self.world.seed, options.run_number, self.step_count)
        # Models that think side by side take as long as the slowest of them, not the sum.
        self._longest_thought = max(self._longest_thought, seconds)
        if not self._open_model_calls:
            self.resume()

    def resume(self) -> None:
        """Let time pass again after a model call."""
        self._open_model_calls.clear()
        seconds, self._longest_thought = self._longest_thought, 0.0
        self.world.resume()
        if self.world.status == "RUNNING" and seconds:
            with self.recorder.record_time("thinking"):
                self.world.advance(seconds)

    def advance_to_notification(self) -> bool:
        """Let time pass until the agent is notified of something, and return whether it is."""
        world = self.world
        limit = self.max_duration if self.max_duration is not None else float("inf")
        with self.recorder.record_time("jump"):
            while world.status == "RUNNING" and not world.has_notifications:
                if not world.advance_to_activity(limit):
                    return False
        return world.has_notifications and world.status == "RUNNING"

    def finish_world(self) -> None:
        """Let everything happen that is still due, when the agent is done, and end the world."""
        limit = self.max_duration if self.max_duration is not None else float("inf")
        with self.recorder.record_time("jump"):
            while self.world.status == "RUNNING" and self.world.advance_to_activity(limit):
                pass
        self.world.stop()

    async def pass_time(self, seconds: float | None = None, *, until: float | None = None) -> None:
        """Let time pass while a turn waits for its decision; the agent is notified of what happens at its next call.

        Args:
            seconds: How long.
            until: Until when instead, in seconds since the start; with neither, until the next event.

        Raises:
            InvalidTransition: No turn waits, time would go back, nothing happens, or the run would be over by then.
        """
        world = self.world
        if self.ended is not None or world.status != "PAUSED":
            raise InvalidTransition("Time can be moved only while a turn waits for its decision, and none does now.")
        world.resume()
        try:
            seconds = seconds if until is None else until - world.elapsed
            self._check_time(seconds)
            with self.recorder.record_time(BY_PERSON):
                _ = world.step() if seconds is None else world.advance(seconds)
            checkpoint = self._create_checkpoint((), is_inner=False)
        finally:
            world.pause()
        await self.recorder.flush()
        if self._checkpoints is not None:
            self._checkpoints.add(await self.recorder.get_position(), checkpoint)

    def _check_time(self, seconds: float | None) -> None:
        """Raise InvalidTransition if a person cannot let this much time pass."""
        world, duration = self.world, self.world.scenario.trace.metadata.definition.duration
        if seconds is None:
            upcoming = world.find_upcoming_event()
            if upcoming is None or upcoming.time is None:
                raise InvalidTransition(
                    "Nothing more happens by itself before the user gets a message. Decide the turn."
                )
            seconds = upcoming.time - world.now
        elif seconds <= 0:
            raise InvalidTransition(f"The world is at {world.elapsed:g} s, and time only passes. To go back, undo.")
        end = min(each for each in (self.max_duration, duration, float("inf")) if each is not None)
        if world.elapsed + seconds >= end:
            raise InvalidTransition(f"The run is over at {end:g} s. Choose an earlier time, or decide the turn.")

    def tick(self) -> None:
        """Let everything happen that is due now."""
        if self.world.status == "RUNNING":
            self.world.tick()

    async def call(self, app: str, tool: Tool, args: Mapping[str, Any], context: ToolContext) -> Any:
        """Call a tool of the world for the agent; a message to the user ends the agent's turn.

        Raises:
            Exception: Whatever the tool raises.
        """
        self.end_model_call(context)
        self.call_count += 1
        with self.recorder.record_call(context.function_call_id or ""), self.recorder.record_time("wait"):
            outcome = self.world.try_call(app, tool.name, args)
        error = outcome.error
        text = f"{type(error).__name__}: {error}" if error is not None else outcome.text or ""
        self._results.append(ToolResult(name=f"{app}__{tool.name}", text=text, is_error=error is not None))
        if error is not None:
            raise error
        if app == self._interface_name and tool.name == _MESSAGE_TOOL:
            self._count_message()
            # The model is not called again for the result: the turn is over, and the user's next message is awaited.
            context.actions.skip_summarization = True
        return outcome.text

    def send_final_text(self, text: str) -> bool:
        """Send the agent's final text to the user, and return whether that was done.

        It is not if the agent has sent a message itself, or if it was started by notifications and has nothing to
        tell: each message to the user ends a turn. It never fails by chance: the agent, which has made no call, could
        not see that and try again.
        """
        is_silent = not self._is_user_turn and text.strip(" .!\n\"'").upper() == SILENT_ANSWER
        if not text or is_silent or self._has_answered or not self._interface_name or self.world.status != "RUNNING":
            return False
        outcome = self.world.try_call(self._interface_name, _MESSAGE_TOOL, {"content": text}, has_noise=False)
        if outcome.error is not None:
            raise outcome.error
        self._count_message()
        return True

    def begin_invocation(self, *, is_user_turn: bool) -> None:
        """Start the agent after a message of the user, or after other notifications."""
        self._has_answered = False
        self._is_user_turn = is_user_turn

    def check_end(self) -> RunEnd | None:
        """Return why the run is over, or None."""
        self._check_limits()
        if self.ended is None and self.is_complete:
            self.end(RunEnd.COMPLETED)
        return self.ended

    def end(self, reason: RunEnd) -> None:
        """End the run; the first reason counts."""
        if self.ended is None:
            self.ended = reason
            self.on_end()

    async def wait_for_cancellation(self) -> None:
        """Wait until the run is cancelled, so that an agent does nothing more when its run is over."""
        await asyncio.Event().wait()

    def take_user_messages(self) -> str:
        """Return the texts of the user's messages; other notifications are delivered at the next model call."""
        waiting = [each for each in self.world.take_notifications() if each.kind != "ENVIRONMENT_STOP"]
        messages = [extract_message_content(each.text) for each in waiting if each.kind == "USER_MESSAGE"]
        self._early = [each for each in waiting if each.kind != "USER_MESSAGE"]
        self._seen += [each for each in waiting if each.kind == "USER_MESSAGE"]
        return "\n\n".join(messages)

    def take_seen_notifications(self) -> list[NotificationDelivered]:
        """Return what the agent was notified of since the last call, for a player that takes its model's place."""
        seen, self._seen = self._seen, []
        return seen

    def take_results(self) -> list[ToolResult]:
        """Return the results of the world's tools since the last call, for a player that takes the model's place."""
        results, self._results = self._results, []
        return results

    def is_message_tool(self, name: str) -> bool:
        """Return whether a tool, under the name by which it is offered, sends a message to the user."""
        offered = self.world.tools().get(name)
        return offered is not None and (offered.app, offered.tool.name) == (self._interface_name, _MESSAGE_TOOL)

    def format_notification(self, notification: NotificationDelivered) -> str:
        """Return a notification as the agent reads it."""
        start = self.world.now - self.world.elapsed
        time = format_datetime(start + notification.elapsed_seconds)
        if notification.kind == "USER_MESSAGE":
            return f"[{time}] New message from the user: {extract_message_content(notification.text)}"
        return f"[{time}] Notification: {notification.text}"

    def _count_message(self) -> None:
        self.message_count += 1
        self._has_answered = True

    def _check_limits(self) -> None:
        options, world = self.options, self.world
        if world.status == "STOPPED":
            is_over = self.is_past_end
            self.end(RunEnd.MAX_DURATION if is_over else RunEnd.TURN_REJECTED)
        elif self.max_duration is not None and world.elapsed >= self.max_duration:
            self.end(RunEnd.MAX_DURATION)
        elif self.step_count >= options.max_steps:
            self.end(RunEnd.MAX_STEPS)
        elif options.max_wall_time is not None and self.wall_seconds >= options.max_wall_time:
            self.end(RunEnd.MAX_WALL_TIME)

    @property
    def is_past_end(self) -> bool:
        """Whether the scenario's own duration is over."""
        duration = self.world.scenario.trace.metadata.definition.duration
        return duration is not None and self.world.elapsed >= duration


def _get_key(context: Context) -> _CallKey:
    return context.session.id, context.agent_name, get_invocation_context(context).branch or ""
