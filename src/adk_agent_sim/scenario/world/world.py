"""A running scenario: its apps, events and clock behind a few methods.

world = World(load_scenario("lunch.json"))
world.tick()
world.take_notifications()
world.call("Emails", "list_emails", {"folder_name": "INBOX"})
world.call("SystemApp", "wait_for_notification", {"timeout": 60})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any

from adk_agent_sim.errors import InvalidTransition, UnknownApp, UnknownTool
from adk_agent_sim.scenario.app_base.app import App, AppCall, AppContext, CallerRole, Notification, NotificationLevel
from adk_agent_sim.scenario.app_base.tool_call import CallOutcome, find_tool
from adk_agent_sim.scenario.apps.registry import DEFAULT_APPS, find_app_class, list_app_class_names
from adk_agent_sim.scenario.format.call_arguments import find_unlisted_app
from adk_agent_sim.scenario.format.exporter import RunMetadata
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedCompletedEvent, ExportedHint, ExportedTrace
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection
from adk_agent_sim.scenario.world.event_log import (
    CompletedEvent,
    EventFailure,
    OracleResult,
    WorldSnapshot,
    mark_empty_texts,
)
from adk_agent_sim.scenario.world.event_plan import EventPlan, PlannedEvent, WorldCondition, WorldValidation
from adk_agent_sim.scenario.world.event_queue import NotificationQueue, TurnVerdict, UpcomingEvent
from adk_agent_sim.scenario.world.noise import (
    Noise,
    OfferedTool,
    RandomFailures,
    build_agent_tools,
    generate_noise_events,
)
from adk_agent_sim.scenario.world.world_engine import PAUSED, RUNNING, STOPPED, WorldEngine
from adk_agent_sim.timeline.world_events import NotificationDelivered


def make_content_reader(directory: str | Path | None) -> Callable[[str], bytes | None]:
    """Return a function from a file's path in the scenario to its bytes, or None if there is no such file.

    Files outside the folder are never read, not even through a symbolic link inside it.
    """
    if directory is None:
        return lambda path: None
    root = Path(directory).resolve()

    def read_content(path: str) -> bytes | None:
        try:
            file = (root / path.lstrip("/")).resolve()
            return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
        # ValueError: the path contains a null character.
        except (OSError, ValueError):
            return None

    return read_content


def list_world_apps(trace: ExportedTrace) -> list[ExportedApp]:
    """Return the apps that a scenario lists, those that every world has, and those that events call by class name."""
    apps = {each.name: each for each in trace.apps}
    called = (event.action.app for event in trace.events if event.action is not None and event.action.app)
    for name in dict.fromkeys((*DEFAULT_APPS, *called)):
        if name not in apps and (name in DEFAULT_APPS or find_unlisted_app(name) is not None):
            apps[name] = ExportedApp(name=name, class_name=name)
    return list(apps.values())


def create_app(app: ExportedApp, app_context: AppContext) -> App:
    """Create the app of a world.

    Raises:
        UnknownApp: There is no such class.
    """
    app_class = find_app_class(app.class_name or app.name)
    if app_class is None:
        raise UnknownApp(app.name, app.class_name or app.name, list_app_class_names())
    return app_class(app.name, app_context, app.app_state)


def fill_in_state(app: ExportedApp, created_app: App) -> ExportedApp:
    """Return an app with the state that it has at the start, also if the scenario has none."""
    if app.app_state is not None or created_app.empty_state is None:
        return app
    return app.model_copy(update={"app_state": deepcopy(dict(created_app.empty_state))})


TurnCondition = Callable[["World", int], "TurnVerdict | bool"]
"""Called when the agent has ended a turn, with its number from 1; decides whether the scenario continues."""


class World:
    """The world of a scenario. The same scenario, seed and calls give the same world, byte for byte."""

    def __init__(
        self,
        scenario: ScenarioImportedFromJson,
        *,
        fs_content: str | Path | None = None,
        notifications: str = "MEDIUM",
        seed: int | None = None,
        turn_condition: TurnCondition | None = None,
        watches: Mapping[str, WorldCondition | WorldValidation] | None = None,
        noise: Noise | None = None,
    ) -> None:
        """Create a world. Nothing happens before the first tick.

        Args:
            scenario: The scenario.
            fs_content: A folder with the contents of the scenario's files; files that it lacks are empty.
            notifications: The agent's notification level: LOW, MEDIUM or HIGH.
            seed: The seed of ids and random numbers; the scenario's own if omitted.
            turn_condition: Called when the agent has ended a turn; without it every turn is accepted.
            watches: Conditions and validations by the ids of their events; an id that the scenario lacks is
                watched from the start.
            noise: Random disturbances.

        Raises:
            UnknownApp: The scenario has an app of an unknown class.
        """
        self.scenario = scenario
        self.seed = seed if seed is not None else scenario.seed or 0
        self._noise = noise or Noise()
        self._random_failures = RandomFailures(self._noise, self.seed)
        self._turn_condition = turn_condition
        self._app_context = self._create_app_context(fs_content)
        plan = EventPlan(scenario.trace, generate_noise_events(self._noise, self.seed, scenario.trace), watches or {})
        self._engine = WorldEngine(
            app_context=self._app_context,
            plan=plan,
            notifications=NotificationQueue(level=NotificationLevel(notifications)),
            watches=watches or {},
            evaluate=lambda predicate: predicate(self),
            judge_turn=self._judge_turn,
            now=plan.start,
        )
        # After the engine, because apps may read the clock while they are created.
        for each in list_world_apps(scenario.trace):
            create_app(each, self._app_context)
        self._tool_cache: Mapping[str, OfferedTool] | None = None

    def _create_app_context(self, fs_content: str | Path | None) -> AppContext:
        return AppContext(
            # The engine needs the context and does not exist yet, so its clock is looked up at each call.
            now=lambda: self._engine.now,
            seed=self.seed,
            wait_for_notification=self._wait,
            read_file_content=make_content_reader(fs_content),
            record_call=self._record_call,
            notify_agent=self._notify,
        )

    @property
    def now(self) -> float:
        """The simulated time, in seconds since 1970."""
        return self._engine.now

    @property
    def elapsed(self) -> float:
        """The seconds since the scenario's start."""
        return self._engine.elapsed

    @property
    def status(self) -> str:
        """RUNNING, PAUSED or STOPPED."""
        return self._engine.status

    @property
    def apps(self) -> Mapping[str, App]:
        """The apps by name."""
        return self._app_context.apps

    @property
    def turn(self) -> int:
        """The number of turns that the agent has ended."""
        return self._engine.turn_tracker.ended_count

    @property
    def failed_events(self) -> list[EventFailure]:
        """The scenario's own events that have failed so far."""
        return list(self._engine.recorder.failures)

    @property
    def planned_events(self) -> Mapping[str, PlannedEvent]:
        """The planned events by id: those of the scenario, of noise and of watches."""
        return self._engine.plan.events

    @property
    def time_increment(self) -> float:
        """The seconds between two checks of whether the agent has ended its turn."""
        return self._engine.plan.time_increment

    @property
    def return_values(self) -> Mapping[str, Any]:
        """The return values of completed events by id, without those of failed events."""
        return MappingProxyType(self._engine.recorder.return_values)

    def find_completion_time(self, event_id: str) -> float | None:
        """Return when a planned event was completed, in seconds since 1970, or None if it was not.

        An action expected of the agent is completed when it is due, whether or not the agent did it; a message to the
        user when the agent has ended the turn.
        """
        return self._engine.event_queue.times[event_id] if self._engine.has_happened(event_id) else None

    @property
    def on_event(self) -> Callable[[CompletedEvent], object] | None:
        """Called with every completed event, when it happens; None if nobody listens."""
        return self._engine.recorder.on_event

    @on_event.setter
    def on_event(self, listener: Callable[[CompletedEvent], object] | None) -> None:
        self._engine.recorder.on_event = listener

    @property
    def has_notifications(self) -> bool:
        """Whether notifications wait for the agent."""
        return bool(self._engine.notifications.pending)

    def find_upcoming_event(self) -> UpcomingEvent | None:
        """Return the next event that is not expected of the agent, or None if none is left.

        Its time is None if it waits for the agent's message to the user.
        """
        return self._engine.find_upcoming_event()

    def hints(self) -> list[ExportedHint]:
        """Return the hints for whoever plays the agent: those without an event and those of completed events."""
        events = self._engine.plan.events
        return [
            each
            for each in self.scenario.hints
            if each.content
            and (each.associated_event_id not in events or self._engine.has_happened(each.associated_event_id))
        ]

    def tools(self) -> Mapping[str, OfferedTool]:
        """Return the tools that the agent can call, by the names under which it calls them."""
        if self._tool_cache is None:
            self._tool_cache = build_agent_tools(self.apps, self._noise, self.seed, self.scenario.trace.augmentation)
        return self._tool_cache

    def call(self, app: str, function: str, arguments: Mapping[str, Any] | None = None, via: str = "agent") -> Any:
        """Call a tool now.

        Args:
            app: The app's name in the scenario.
            function: The tool.
            arguments: Its arguments by name.
            via: Who calls: agent, env (as an event of the scenario would) or user.

        Returns:
            The return value of the tool.

        Raises:
            UnknownTool: There is no such app or tool for this caller.
            Exception: Whatever the tool raises; the class and the text are part of its interface.
        """
        outcome = self.try_call(app, function, arguments, via)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def try_call(
        self,
        app: str,
        function: str,
        arguments: Mapping[str, Any] | None = None,
        via: str = "agent",
        *,
        has_noise: bool = True,
    ) -> CallOutcome:
        """Call a tool now and return its outcome, which has the exception or the text that an agent sees.

        Without `has_noise`, a call of the agent does not fail by chance.

        Raises:
            UnknownTool: There is no such app or tool for this caller.
        """
        target = self.apps.get(app)
        if target is None:
            raise UnknownTool(f"There is no app {app[:80]!r} in this world. It has: {', '.join(self.apps)}.")
        caller = CallerRole(via)
        # Before the random failure is drawn: a call that cannot be made does not count.
        find_tool(target, function, caller)
        can_fail = has_noise and caller is CallerRole.AGENT
        if can_fail and (error := self._random_failures.draw_failure(f"{app}__{function}")):
            # The tool is not called and nothing is logged, so a player can tell this from a failure of the tool itself.
            return CallOutcome(error=error)
        # A copy: the log and the apps keep the arguments, and the caller may change them afterwards.
        return self._engine.try_call(target, function, deepcopy(dict(arguments or {})), caller)

    def take_notifications(self) -> list[NotificationDelivered]:
        """Return the notifications for the agent since the last call."""
        return self._engine.notifications.drain()

    def tick(self) -> None:
        """Execute everything that is due now."""
        self._engine.tick()

    def step(self) -> CompletedEvent | None:
        """Advance to the next event and execute only that one. Return it, or None if there is none."""
        return self._engine.step()

    def advance(self, seconds: float) -> None:
        """Let time pass, event by event."""
        self._engine.advance(self.now + seconds)

    def advance_to_activity(self, until: float) -> bool:
        """Let time pass until something happens by itself; return False if nothing happens any more.

        Args:
            until: What happens later than this many seconds after the start does not count.
        """
        return self._engine.advance_to_activity(self._engine.plan.start + until)

    def set_time(self, seconds: float) -> None:
        """Set the clock to this many seconds since the start. Nothing happens before the next tick."""
        self._engine.now = self._engine.plan.start + seconds

    def pause(self) -> None:
        """Pause the world, for example while a model is working."""
        if self.status == RUNNING:
            self._engine.status = PAUSED

    def resume(self, seconds: float = 0.0) -> None:
        """Resume the world as if this many seconds had passed. What is due then happens at the next tick."""
        if self.status == PAUSED:
            self._engine.status = RUNNING
            self._engine.now += seconds

    def stop(self) -> None:
        """End the run."""
        if self.status != STOPPED:
            self._engine.stop()

    def run_oracle(self, progress: Callable[[int, int], object] | None = None) -> OracleResult:
        """Execute all events, including those that are expected of the agent, without noise.

        Args:
            progress: Called repeatedly with the number of completed events and the total.

        Returns:
            The result. Events that failed or never happened are listed in it, not raised.

        Raises:
            InvalidTransition: The world has already started.
        """
        engine = self._engine
        if engine.has_started:
            raise InvalidTransition("Cannot run the oracle: this world has already started. Create a new World for it.")
        engine.is_oracle_run = True
        with pause_garbage_collection():
            engine.run(progress)
        return OracleResult(
            scenario_id=self.scenario.scenario_id,
            completed=self.event_log(),
            failed=tuple(engine.recorder.failures),
            missing=tuple(engine.event_queue.missed_events(engine.now)),
            seconds=self.elapsed,
        )

    def export_completed_events(self) -> list[ExportedCompletedEvent]:
        """Return the completed events as in scenario files."""
        return [mark_empty_texts(event.exported_event) for event in self.event_log()]

    def event_log(self) -> list[CompletedEvent]:
        """Return the completed events by time."""
        return self._engine.recorder.log.list_events(in_are_order=self._engine.is_oracle_run)

    def find_agent_calls(self, app: str, function: str) -> list[CompletedEvent]:
        """Return the agent's calls of a tool in the order in which they were made."""
        return self._engine.recorder.log.find_agent_calls(app, function)

    def state(self) -> dict[str, dict[str, Any]]:
        """Return the states of the apps by name, as in `app_state` of scenario files."""
        return {name: app.state() for name, app in self.apps.items()}

    def export_trace(self, run: RunMetadata | None = None) -> ExportedTrace:
        """Return the scenario with the completed events.

        As in ARE, its apps are in their initial states, so that the trace can be run and judged like the scenario;
        `state` returns the current ones.

        Args:
            run: Who played, and what else the trace says about the run; by default what the scenario says.
        """
        apps = [fill_in_state(each, self.apps[each.name]) for each in list_world_apps(self.scenario.trace)]
        changes = {"apps": apps, "completed_events": self.export_completed_events()}
        trace = self.scenario.trace.model_copy(update=changes)
        return trace if run is None else run.apply_to_trace(trace)

    def snapshot(self) -> WorldSnapshot:
        """Return a snapshot of the world."""
        engine = self._engine
        return WorldSnapshot(
            elapsed=self.elapsed,
            app_states=self.state(),
            hidden_states={name: app.hidden_state() for name, app in self.apps.items()},
            events=tuple(self.event_log()),
            notifications=tuple(engine.notifications.pending),
            engine_state=engine.capture_state(),
            failure_counts=dict(self._random_failures.call_counts),
        )

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Restore a snapshot. It can be restored repeatedly."""
        for name, app in self.apps.items():
            app.load(dict(snapshot.app_states[name]))
            app.restore_hidden_state(dict(snapshot.hidden_states[name]))
        self._random_failures.call_counts = dict(snapshot.failure_counts)
        self._engine.notifications.pending = list(snapshot.notifications)
        self._engine.restore(snapshot.engine_state)

    def _wait(self, seconds: float) -> None:
        self._engine.wait(seconds)

    def _record_call(self, call: AppCall) -> None:
        self._engine.record_call(call)

    def _notify(self, notification: Notification) -> None:
        self._engine.notify(notification)

    def _judge_turn(self, turn: int) -> TurnVerdict:
        verdict = True if self._turn_condition is None else self._turn_condition(self, turn)
        return verdict if isinstance(verdict, TurnVerdict) else TurnVerdict(passed=verdict)
