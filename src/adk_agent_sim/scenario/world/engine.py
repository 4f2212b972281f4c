"""The engine: time that jumps, events that come due, calls that are logged.

```
tick: validations -> reminders -> what is due, by (time, id); then what became due by it, until nothing is
        |                                                                              |
        +---------------- has the agent ended its turn? is the time over? <------------+
```
Nothing here waits: a second of the world costs as much as what happens in it.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adk_agent_sim.errors import InvalidTransition, SimulatorError
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.calling import Outcome, call
from adk_agent_sim.scenario.apps.chance import Chance
from adk_agent_sim.scenario.apps.surroundings import Call, Message, Surroundings, Via
from adk_agent_sim.scenario.apps.tool import Level
from adk_agent_sim.scenario.format.models import ExportedAction
from adk_agent_sim.scenario.format.values import ValueDoesNotFit
from adk_agent_sim.scenario.world.agenda import Agenda
from adk_agent_sim.scenario.world.arguments import Unresolved, arguments_of
from adk_agent_sim.scenario.world.journal import Frame, Journal
from adk_agent_sim.scenario.world.log import Happened
from adk_agent_sim.scenario.world.notices import Notices, Notification
from adk_agent_sim.scenario.world.plan import Plan, Planned
from adk_agent_sim.scenario.world.reminding import Reminding
from adk_agent_sim.scenario.world.result import Fault
from adk_agent_sim.scenario.world.turns import Turns, TurnVerdict
from adk_agent_sim.scenario.world.watches import Condition, Question, Validation, Watched

_PLAIN = ("now", "oracle", "standing", "begun")

RUNNING, PAUSED, STOPPED = "RUNNING", "PAUSED", "STOPPED"


@dataclass(kw_only=True)
class Engine:
    """A world in motion; `World` is its face."""

    surroundings: Surroundings

    plan: Plan

    notices: Notices

    watches: Mapping[str, Condition | Validation]

    ask: Callable[[Question], bool]
    """Put a question to the world."""

    verdict: Callable[[int], TurnVerdict]
    """What a judge says of a turn, by its number from 1."""

    now: float

    oracle: bool = False
    """Whether what is expected of the agent is done by the engine."""

    standing: str = RUNNING

    watching: list[Watched] = field(default_factory=list[Watched])

    since: dict[str, float] = field(default_factory=dict[str, float])
    """When each condition was looked at first."""

    batch: deque[tuple[float, str]] = field(default_factory=deque[tuple[float, str]])
    """What is due and has not happened yet."""

    begun: bool = False
    """Whether the events were put on the agenda; before, the world is at rest."""

    def __post_init__(self) -> None:
        chance = Chance(self.surroundings.seed, "engine")
        self.journal = Journal(chance=chance, frame=Frame(time=self.now))
        self.turns = Turns(plan=self.plan)
        self.agenda = Agenda(plan=self.plan)
        self._reminding: list[Reminding] = []

    @property
    def elapsed(self) -> float:
        """Seconds since the scenario's start."""
        return round(self.now - self.plan.start, 6)

    @property
    def over(self) -> bool:
        """Whether the scenario's time is up."""
        return self.plan.end is not None and self.now > self.plan.end

    def begin(self) -> None:
        """Put the first events on the agenda."""
        if not self.begun:
            self.begun = True
            self._look_around()
            self.agenda.open()

    def _look_around(self) -> None:
        self.agenda.held = self.plan.noise if self.oracle else self.turns.held
        self._reminding = [app for app in self.surroundings.apps.values() if isinstance(app, Reminding)]

    def tick(self) -> None:
        """Let happen what is due now."""
        self._not_paused("tick")
        if self.standing == STOPPED:
            return
        self.begin()
        self._validate()
        self._remind()
        while self.standing == RUNNING and self._refilled():
            while self.batch and self.standing == RUNNING:
                self._happen(*self.batch.popleft())
        self.turns.looked = self.now
        if self.over and self.standing == RUNNING:
            self.stop()

    def step(self) -> Happened | None:
        """Go on to the next event and let it happen, and nothing else; None if there is no more."""
        self._not_paused("step")
        self.begin()
        self.journal.latest, before = None, self.now
        while self.standing == RUNNING and self.journal.latest is None:
            if not self.batch and not self._arrived():
                self.now = before
                return None
            if self._refilled():
                self._happen(*self.batch.popleft())
            if not self.batch:
                self.turns.looked = self.now
        return self.journal.latest

    def _arrived(self) -> bool:
        """Whether there is a next event; it is its time then."""
        coming = self._next_event()
        if coming is None or (self.plan.end is not None and coming > self.plan.end):
            return False
        while (due := self.next_time()) is not None and due < coming:
            self.now = max(self.now, due)
            self._remind()
        self.now = max(self.now, coming)
        self._validate()
        self._remind()
        return True

    def run(self, progress: Callable[[int, int], object] | None = None) -> None:
        """Let everything happen."""
        self.begin()
        while self.standing == RUNNING and self._arrived():
            self.tick()
            if progress is not None:
                progress(len(self.journal.log), len(self.plan.events))
        self._validate(last=True)

    def advance(self, until: float) -> None:
        """Let time pass, event by event."""
        self._not_paused("let time pass")
        self.begin()
        while self.standing == RUNNING and self.now < until:
            self._pass(until)

    def wait(self, seconds: float) -> None:
        """Let time pass until there is something to tell the agent; if there is not, tell it that the time is up."""
        if self.oracle or not self.begun or self.standing != RUNNING:
            return
        until = self.now + seconds
        while not self.notices.waiting and self.standing == RUNNING:
            self._pass(until)
            if self.now >= until:
                break
        if not self.notices.waiting:
            self._notify(f"SystemApp: Wait for notification timeout reached after {seconds:g} seconds")

    def _pass(self, until: float) -> None:
        """Let time pass until something happens, or until then."""
        coming = self.next_time()
        target = until if coming is None else min(until, max(self.now, coming))
        end = self.plan.end
        self.now = target if end is None else min(target, max(self.now, end))
        self.tick()
        if self.now < target and self.standing == RUNNING:
            self.stop()

    def next_time(self) -> float | None:
        """When something happens next."""
        times = [self._next_event(), *(app.next_due() for app in self._reminding)]
        return min((time for time in times if time is not None), default=None)

    def _next_event(self) -> float | None:
        if self.batch:
            return self.now
        coming, look = self.agenda.next_time(), None if self.oracle else self.turns.next_look()
        return coming if look is None or (coming is not None and coming <= look) else look

    def stop(self) -> None:
        """End the run; nothing happens any more."""
        self._validate(last=True)
        self.standing = STOPPED
        self._notify("Environment stopped with state EnvironmentState.STOPPED", kind="ENVIRONMENT_STOP")

    def attempt(self, app: App, function: str, arguments: Mapping[str, Any], via: Via) -> Outcome:
        """Make a call now; what it raises is in the outcome."""
        before, self.journal.frame = self.journal.frame, Frame(time=self.now)
        try:
            return call(app, function, arguments, via=via)
        finally:
            self.journal.frame = before

    def record(self, made: Call) -> None:
        """Write a call into the log."""
        self.journal.record(made)
        if made.via is Via.AGENT and made.error is None and made.function == "send_message_to_user":
            self.turns.said.append(self.journal.frame.time)

    def tell(self, message: Message) -> None:
        """Tell the agent."""
        self.notices.add(message.level, Notification(t=self.elapsed, type=message.kind.value, text=message.text))

    def over_with(self, event_id: str) -> bool:
        """Whether an event has happened."""
        return event_id in self.agenda.over

    def never(self) -> Iterable[Fault]:
        """The events that have not happened, and why."""
        for event_id, event in self.plan.events.items():
            if event_id in self.plan.noise or event_id in self.agenda.over:
                continue
            waits = next((each for each in event.parents if each not in self.agenda.over), "")
            why = event.blocked or f"it waits for {waits[:80]!r}, which did not happen"
            if event_id in self.agenda.too_late:
                why = "its time is after the year 9999"
            elif event_id in self.agenda.queued:
                late = self.agenda.times[event_id] - (self.now if self.plan.end is None else self.plan.end)
                why = f"it is due {late:g} s after the scenario's end"
            yield Fault(event_id=event_id, call=event.call, why=why)

    def saved(self) -> dict[str, Any]:
        """Where the events stand, for `put_back`."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "journal": self.journal.saved(),
            "since": dict(self.since),
            "watching": [replace(each) for each in self.watching],
            "batch": tuple(self.batch),
            "turns": self.turns.saved(),
            "agenda": self.agenda.saved(),
        }

    def put_back(self, saved: Mapping[str, Any]) -> None:
        """Stand again where `saved` was taken."""
        for name in _PLAIN:
            setattr(self, name, saved[name])
        self.journal.put_back(saved["journal"])
        self.since = dict(saved["since"])
        self.watching = [replace(each) for each in saved["watching"]]
        self.batch = deque(saved["batch"])
        self.turns.put_back(saved["turns"])
        self.agenda.put_back(saved["agenda"])
        self._look_around()

    def _refilled(self) -> bool:
        """Whether something is due."""
        if not self.batch:
            until = self.now if self.plan.end is None else min(self.now, self.plan.end)
            look = None if self.oracle else self.turns.next_look()
            if look is not None and look <= until:
                heapq.heappush(self.agenda.queue, (look, self.turns.look_id(look)))
            self.batch.extend(self.agenda.take(until))
        return bool(self.batch)

    def _turn(self, time: float) -> None:
        """End the turn that the agent has ended, if the judge says so; what waited for that is on the agenda then."""
        verdict = self.verdict(self.turns.ended + 1)
        self.journal.match(verdict.matches)
        if not verdict.passed:
            self.stop()
            return
        fulfilled = self.turns.end()
        self.agenda.times.update(dict.fromkeys(fulfilled, time))
        self.agenda.queued.update(fulfilled)
        for event_id in fulfilled:
            self.agenda.release(self.plan.events[event_id])

    def _happen(self, time: float, event_id: str) -> None:
        event = self.plan.events.get(event_id)
        if event is None:
            self._turn(time)
            return
        watch = self.watches.get(event_id)
        if isinstance(watch, Condition) and not self._held(time, event, watch):
            return
        if isinstance(watch, Validation):
            self.watching.append(Watched(event_id=event_id, began=time, validation=watch))
        elif watch is None and event.action is not None and not self._passes(event):
            self._do(time, event, event.action)
        self.agenda.release(event)

    def _passes(self, event: Planned) -> bool:
        """Whether an event is only expected: it passes without anything being done."""
        return event.kind == "AGENT" and not self.oracle

    def _held(self, time: float, event: Planned, condition: Condition) -> bool:
        """Whether a condition is fulfilled, or given up; if neither, it is looked at again."""
        event_id, began = event.event_id, self.since.setdefault(event.event_id, time)
        if self.ask(condition.holds):
            self.journal.add(Happened.of(event_id=event_id, kind="CONDITION", time=time, value=True))
            return True
        if condition.timeout is None or time < began + condition.timeout:
            self.agenda.put(event_id, time + condition.every)
            return False
        error = TimeoutError(f"it did not hold within {condition.timeout:g} s")
        self.journal.fault(event_id, event_id, str(error), self.elapsed)
        self.journal.add(Happened.of(event_id=event_id, kind="CONDITION", time=time, error=error))
        return True

    def _do(self, time: float, event: Planned, action: ExportedAction) -> None:
        """Make an event's call; whatever is wrong with it is recorded, and never raised."""
        journal = self.journal
        app = self.surroundings.apps.get(action.app or "")
        before, journal.frame = journal.frame, Frame(time=time, event=event)
        try:
            arguments = arguments_of(action.args, journal.returned)
            if app is None:
                raise Unresolved(f"There is no app {action.app!r:.80} in this world")
            outcome = call(app, action.function or "", arguments, via=Via(event.kind.lower()), scheduled=True)
        except (Unresolved, ValueDoesNotFit, SimulatorError) as error:
            outcome = Outcome(error=error)
            journal.refuse(event, action, app, error)
            self._tell_of(event, action, app)
        finally:
            journal.frame = before
        if outcome.error is None:
            journal.returned[event.event_id] = outcome.value
        else:
            why = f"{type(outcome.error).__name__}: {outcome.error}"
            journal.fault(event.event_id, event.call, why, self.elapsed)

    def _tell_of(self, event: Planned, action: ExportedAction, app: App | None) -> None:
        """Tell the agent of an event whose call could not be made, as of any that failed."""
        tool = app.tools().get(action.function or "") if app is not None else None
        if app is not None and tool is not None and event.kind != "AGENT":
            message = app.message(tool, {each.name: each.value for each in action.args or ()})
            if message is not None:
                self.tell(message)

    def _validate(self, *, last: bool = False) -> None:
        self.watching = [watched for watched in self.watching if not self._looked(watched, last=last)]

    def _looked(self, watched: Watched, *, last: bool) -> bool:
        """Whether a validation is over."""
        found = watched.look(self.ask, self.now, last=last)
        if found is False:
            return False
        error = found if isinstance(found, Exception) else None
        if error is not None:
            self.journal.fault(watched.event_id, watched.event_id, str(error), self.elapsed)
        reached = list(watched.reached)
        self.journal.add(
            Happened.of(event_id=watched.event_id, kind="VALIDATION", time=self.now, value=reached, error=error)
        )
        return True

    def _remind(self) -> None:
        for app in self._reminding:
            if (message := app.due()) is not None:
                self.tell(message)

    def _notify(self, text: str, kind: str = "ENVIRONMENT_NOTIFICATION") -> None:
        self.notices.add(Level.LOW, Notification(t=self.elapsed, type=kind, text=text))

    def _not_paused(self, what: str) -> None:
        if self.standing == PAUSED:
            raise InvalidTransition(f"Cannot {what}: the world is paused. Call resume() first.")
