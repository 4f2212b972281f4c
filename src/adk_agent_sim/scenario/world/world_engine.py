"""The discrete-event engine: a virtual clock that jumps, events that come due, and calls that are logged.

```
tick: reminders -> due events and checks, by (time, id); then events that became due, until none is left
        |                                                                          |
        +----------- has the agent ended its turn? is the duration over? <---------+
```
The engine never sleeps: the cost of simulated time depends only on what happens in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from adk_agent_sim.errors import InvalidTransition, SimulatorError
from adk_agent_sim.scenario.app_base.app import App, AppCall, AppContext, CallerRole, Notification, NotificationLevel
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom
from adk_agent_sim.scenario.app_base.tool_call import CallOutcome, call_tool
from adk_agent_sim.scenario.format.call_arguments import ValueDoesNotFit
from adk_agent_sim.scenario.format.models import ExportedAction
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.event_plan import (
    EventPlan,
    PlannedEvent,
    WorldCondition,
    WorldPredicate,
    WorldValidation,
)
from adk_agent_sim.scenario.world.event_queue import (
    EventQueue,
    NotificationQueue,
    TurnTracker,
    TurnVerdict,
    UpcomingEvent,
    find_upcoming_event,
)
from adk_agent_sim.scenario.world.event_recorder import (
    CallFrame,
    EventRecorder,
    UnresolvedReference,
    read_arguments,
    resolve_known_arguments,
)
from adk_agent_sim.scenario.world.watch_checker import WatchChecker
from adk_agent_sim.timeline.world_events import NotificationDelivered


@runtime_checkable
class ReminderSource(Protocol):
    """An app that has notifications that come due without a call."""

    def next_due_time(self) -> float | None:
        """Return when the next notification is due, or None."""
        ...

    def take_due_notification(self) -> Notification | None:
        """Return the notification that is due now, once, or None."""
        ...


_SAVED_FIELDS = ("now", "is_oracle_run", "status", "has_started")

RUNNING, PAUSED, STOPPED = "RUNNING", "PAUSED", "STOPPED"


@dataclass(kw_only=True)
class WorldEngine:
    """The engine of a world; `World` is its public interface."""

    app_context: AppContext

    plan: EventPlan

    notifications: NotificationQueue

    watches: Mapping[str, WorldCondition | WorldValidation]

    evaluate: Callable[[WorldPredicate], bool]
    """Evaluates a predicate on the world."""

    judge_turn: Callable[[int], TurnVerdict]
    """Returns the verdict on a turn, by its number from 1."""

    now: float

    is_oracle_run: bool = False
    """Whether the engine executes what is expected of the agent."""

    status: str = RUNNING

    due_events: deque[tuple[float, str]] = field(default_factory=deque[tuple[float, str]])
    """Events that are due and have not been processed."""

    has_started: bool = False
    """Whether the initial events were scheduled; before that nothing happens."""

    def __post_init__(self) -> None:
        random = WorldRandom(self.app_context.seed, "engine")
        self.recorder = EventRecorder(random=random, frame=CallFrame(time=self.now))
        self.watch_checker = WatchChecker(
            plan=self.plan, recorder=self.recorder, watches=self.watches, evaluate=self.evaluate
        )
        self.turn_tracker = TurnTracker(plan=self.plan)
        self.event_queue = EventQueue(plan=self.plan)
        self._reminder_sources: list[ReminderSource] = []

    @property
    def elapsed(self) -> float:
        """Seconds since the scenario's start."""
        return self.plan.get_elapsed(self.now)

    @property
    def is_over(self) -> bool:
        """Whether the scenario's duration is over."""
        return self.plan.end is not None and self.now > self.plan.end

    def start(self) -> None:
        """Schedule the initial events."""
        if not self.has_started:
            self.has_started = True
            self._update_derived_state()
            self.event_queue.schedule_initial_events()

    def _update_derived_state(self) -> None:
        self.event_queue.excluded_ids = (
            self.plan.noise_ids if self.is_oracle_run else self.turn_tracker.expected_message_ids
        )
        self._reminder_sources = [app for app in self.app_context.apps.values() if isinstance(app, ReminderSource)]

    def tick(self) -> None:
        """Execute everything that is due now."""
        self._require_not_paused("tick")
        if self.status == STOPPED:
            return
        self.start()
        self._send_due_reminders()
        while self.status == RUNNING and self._collect_due_events():
            while self.due_events and self.status == RUNNING:
                self._process_event(*self.due_events.popleft())
        # A message sent after this tick at the same time is noticed at the next check: the one of this time is over.
        self.turn_tracker.checked_until = self.now
        if self.is_over and self.status == RUNNING:
            self.stop()

    def step(self) -> CompletedEvent | None:
        """Advance to the next event and execute only that one. Return it, or None if there is none."""
        self._require_not_paused("step")
        self.start()
        self.recorder.latest_event, before = None, self.now
        while self.status == RUNNING and self.recorder.latest_event is None:
            if not self.due_events and not self._advance_to_next_event():
                self.now = before  # turn checks and conditions that completed no event have moved the clock
                return None
            if self._collect_due_events():
                self._process_event(*self.due_events.popleft())
            if not self.due_events:
                self.turn_tracker.checked_until = self.now
        return self.recorder.latest_event

    def _advance_to_next_event(self) -> bool:
        """Set the clock to the time of the next event; return False if there is none."""
        coming = self._next_event_time()
        if coming is None or (self.plan.end is not None and coming > self.plan.end):
            return False
        # Reminders before the event come first, each at its own time.
        while (due := self.next_activity_time()) is not None and due < coming:
            self.now = max(self.now, due)
            self._send_due_reminders()
        self.now = max(self.now, coming)
        self._send_due_reminders()
        return True

    def run(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Execute all events."""
        self.start()
        while self.status == RUNNING and self._advance_to_next_event():
            self.tick()
            if progress is not None:
                progress(len(self.recorder.log), len(self.plan.events))
        self.watch_checker.finish_validations(self.now)

    def advance(self, until: float) -> None:
        """Let time pass, event by event."""
        self._require_not_paused("let time pass")
        self.start()
        while self.status == RUNNING and self.now < until:
            self._advance_towards(until)

    def advance_to_activity(self, until: float) -> bool:
        """Let time pass until something happens, and return False if nothing does until the given time or the end."""
        self._require_not_paused("let time pass")
        self.start()
        last = until if self.plan.end is None else min(until, self.plan.end)
        coming = self.next_activity_time() if self.status == RUNNING else None
        if coming is None or coming > last:
            return False
        self._advance_towards(max(self.now, coming))
        return True

    def wait(self, seconds: float) -> None:
        """Let time pass until a notification is pending; on timeout, add a notification that says so."""
        if self.is_oracle_run or not self.has_started or self.status != RUNNING:
            return
        until = self.now + seconds
        while not self.notifications.pending and self.status == RUNNING:
            self._advance_towards(until)
            if self.now >= until:
                break
        if not self.notifications.pending:
            self._notify_from_environment(f"SystemApp: Wait for notification timeout reached after {seconds:g} seconds")

    def _advance_towards(self, until: float) -> None:
        """Let time pass until something happens, at most until the given time."""
        coming = self.next_activity_time()
        target = until if coming is None else min(until, max(self.now, coming))
        end = self.plan.end
        self.now = target if end is None else min(target, max(self.now, end))
        self.tick()
        # The clock stopped at the scenario's end before it reached the target.
        if self.now < target and self.status == RUNNING:
            self.stop()

    def next_activity_time(self) -> float | None:
        """Return when something happens next, or None."""
        times = [self._next_event_time(), *(app.next_due_time() for app in self._reminder_sources)]
        return min((time for time in times if time is not None), default=None)

    def _next_event_time(self) -> float | None:
        if self.due_events:
            return self.now
        coming = self.event_queue.next_time()
        check = None if self.is_oracle_run else self.turn_tracker.next_check_time()
        return coming if check is None or (coming is not None and coming <= check) else check

    def stop(self) -> None:
        """End the run. Nothing happens afterwards."""
        self.watch_checker.finish_validations(self.now)
        self.status = STOPPED
        self._notify_from_environment(
            "Environment stopped with state EnvironmentState.STOPPED", kind="ENVIRONMENT_STOP"
        )

    def try_call(self, app: App, function: str, arguments: Mapping[str, Any], via: CallerRole) -> CallOutcome:
        """Make a call now. Exceptions of the tool are returned in the outcome."""
        # A wait runs events inside of the agent's call, so frames nest, and the call is logged with the time it began.
        before, self.recorder.frame = self.recorder.frame, CallFrame(time=self.now)
        try:
            return call_tool(app, function, arguments, caller=via)
        finally:
            self.recorder.frame = before

    def record_call(self, app_call: AppCall) -> None:
        """Log a call."""
        self.recorder.record_call(app_call)
        if (
            app_call.caller is CallerRole.AGENT
            and app_call.error is None
            and app_call.function == "send_message_to_user"
        ):
            self.turn_tracker.message_times.append(self.recorder.frame.time)

    def notify(self, notification: Notification) -> None:
        """Queue a notification for the agent."""
        self.notifications.add(
            notification.level,
            NotificationDelivered(elapsed_seconds=self.elapsed, kind=notification.kind.value, text=notification.text),
        )

    def has_happened(self, event_id: str) -> bool:
        """Return whether an event is completed."""
        return event_id in self.event_queue.completed_ids

    def find_upcoming_event(self) -> UpcomingEvent | None:
        """Return the next event that is not expected of the agent, or None if none is left."""
        if self.status == STOPPED or self.is_oracle_run:
            return None
        for time, event_id in self.due_events:
            event = self.plan.events.get(event_id)
            if event is not None and event.kind != "AGENT" and not self.has_happened(event_id):
                return UpcomingEvent(event_id=event_id, call_name=event.call_name, time=time)
        return find_upcoming_event(self.plan, self.event_queue, self.turn_tracker)

    def capture_state(self) -> dict[str, Any]:
        """Return the engine's state for `restore`."""
        return {
            **{name: getattr(self, name) for name in _SAVED_FIELDS},
            "journal": self.recorder.capture_state(),
            **self.watch_checker.capture_state(),
            "batch": tuple(self.due_events),
            "turns": self.turn_tracker.capture_state(),
            "agenda": self.event_queue.capture_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `capture_state` returned."""
        for name in _SAVED_FIELDS:
            setattr(self, name, state[name])
        self.recorder.restore(state["journal"])
        self.watch_checker.restore(state)
        self.due_events = deque(state["batch"])
        self.turn_tracker.restore(state["turns"])
        self.event_queue.restore(state["agenda"])
        self._update_derived_state()

    def _collect_due_events(self) -> bool:
        """Collect the events that are due and return whether there are any."""
        if not self.due_events:
            # The clock can be set beyond the end of the scenario, but what is due after the end never happens.
            until = self.now if self.plan.end is None else min(self.now, self.plan.end)
            check = None if self.is_oracle_run else self.turn_tracker.next_check_time()
            if check is not None and check <= until:
                # The check goes through the queue because its id decides the order among events of the same time.
                self.event_queue.push(self.turn_tracker.format_check_id(check), check)
            self.watch_checker.schedule_checks(self.event_queue, until)
            self.due_events.extend(self.event_queue.pop_due(until))
        return bool(self.due_events)

    def _end_turn(self, time: float) -> None:
        """Have the ended turn judged; if it passed, schedule what waited for it, otherwise stop."""
        verdict = self.judge_turn(self.turn_tracker.ended_count + 1)
        self.recorder.apply_matches(verdict.matches)
        if not verdict.passed:
            self.stop()
            return
        fulfilled = self.turn_tracker.end_turn()
        self.event_queue.times.update(dict.fromkeys(fulfilled, time))
        self.event_queue.scheduled_ids.update(fulfilled)
        for event_id in fulfilled:
            self._complete_event(self.plan.events[event_id])

    def _complete_event(self, event: PlannedEvent) -> None:
        """Schedule what waited for an event."""
        # Before the children are scheduled, because a watch that is scheduled here for the first time is not repeated.
        self.watch_checker.repeat_watches(event, self.event_queue)
        self.event_queue.complete_event(event)

    def _process_event(self, time: float, event_id: str) -> None:
        event = self.plan.events.get(event_id)
        if event is None:  # not an event of the plan but a check for the end of a turn
            self._end_turn(time)
            return
        watch = self.watches.get(event_id)
        if isinstance(watch, WorldCondition) and not self.watch_checker.process_condition(
            event_id, watch, self.event_queue, time=time, now=self.now
        ):
            return
        if isinstance(watch, WorldValidation):
            moment = (self.now, len(self.recorder.log), self.turn_tracker.ended_count)
            self.watch_checker.process_validation(event_id, watch, time=time, now=self.now, moment=moment)
            # Later checks arrive under the same id, and only the first one releases what depends on the validation.
            if self.has_happened(event_id):
                return
        elif watch is None and event.action is not None and not self._is_only_expected(event):
            self._execute_action(time, event, event.action)
        self._complete_event(event)

    def _is_only_expected(self, event: PlannedEvent) -> bool:
        """Return whether an event is expected of the agent and must not be executed by the engine."""
        return event.kind == "AGENT" and not self.is_oracle_run

    def _execute_action(self, time: float, event: PlannedEvent, action: ExportedAction) -> None:
        """Make an event's call. Failures are recorded and never raised."""
        recorder = self.recorder
        app = self.app_context.apps.get(action.app or "")
        resolver = recorder.create_placeholder_resolver()
        before, recorder.frame = recorder.frame, CallFrame(time=time, event=event)
        try:
            if app is None:
                raise UnresolvedReference(f"There is no app {action.app!r:.80} in this world")
            outcome = call_tool(
                app,
                action.function or "",
                read_arguments(action.args),
                caller=CallerRole(event.kind.lower()),
                scheduled=True,
                resolver=resolver,
            )
        except (UnresolvedReference, ValueDoesNotFit, SimulatorError) as error:
            outcome = CallOutcome(error=error)
            recorder.record_refused_call(event, action, app, error)
            self._notify_of_failed_call(event, action, app)
        finally:
            recorder.frame = before
        if outcome.error is None:
            recorder.return_values[event.event_id] = outcome.value
        # A call with an unresolved placeholder may succeed; it is not what the author meant.
        if error := next(iter(resolver.problems), outcome.error):
            why = f"{type(error).__name__}: {error}"
            recorder.record_failure(event.event_id, event.call_name, why, self.elapsed)

    def _notify_of_failed_call(self, event: PlannedEvent, action: ExportedAction, app: App | None) -> None:
        """Notify the agent of an event whose call could not be made, as of any failed event."""
        tool = app.tools().get(action.function or "") if app is not None else None
        if app is not None and tool is not None and event.kind != "AGENT":
            arguments = resolve_known_arguments(action.args, self.recorder.return_values)
            notification = app.build_notification(tool, arguments)
            if notification is not None:
                self.notify(notification)

    def _send_due_reminders(self) -> None:
        for app in self._reminder_sources:
            if (notification := app.take_due_notification()) is not None:
                self.notify(notification)

    def _notify_from_environment(self, text: str, kind: str = "ENVIRONMENT_NOTIFICATION") -> None:
        self.notifications.add(
            NotificationLevel.LOW, NotificationDelivered(elapsed_seconds=self.elapsed, kind=kind, text=text)
        )

    def _require_not_paused(self, action: str) -> None:
        if self.status == PAUSED:
            raise InvalidTransition(f"Cannot {action}: the world is paused. Call resume() first.")
