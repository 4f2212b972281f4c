"""A scenario come to life: its apps, its events and its clock behind a few methods.

world = World(load_scenario("lunch.json"))
world.tick()
world.notifications()
world.call("Emails", "list_emails", {"folder_name": "INBOX"})
world.call("SystemApp", "wait_for_notification", {"timeout": 60})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from adk_agent_sim.errors import AppNotThere, InvalidTransition, ToolNotThere
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.calling import Outcome, find_tool
from adk_agent_sim.scenario.apps.registry import ALWAYS, app_class, app_names
from adk_agent_sim.scenario.apps.surroundings import Call, Message, Surroundings, Via
from adk_agent_sim.scenario.apps.tool import Level
from adk_agent_sim.scenario.format.calls import unlisted
from adk_agent_sim.scenario.format.models import ExportedApp, ExportedCompletedEvent, ExportedHint, ExportedTrace
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.world.contents import contents
from adk_agent_sim.scenario.world.engine import PAUSED, RUNNING, STOPPED, Engine
from adk_agent_sim.scenario.world.log import Happened
from adk_agent_sim.scenario.world.noise import Failures, Noise, noise_events
from adk_agent_sim.scenario.world.notices import Notices, Notification
from adk_agent_sim.scenario.world.offered import Offered, offered
from adk_agent_sim.scenario.world.plan import Plan
from adk_agent_sim.scenario.world.result import Fault, OracleResult
from adk_agent_sim.scenario.world.snapshot import Snapshot
from adk_agent_sim.scenario.world.turns import TurnVerdict
from adk_agent_sim.scenario.world.watches import Condition, Validation

TurnCondition = Callable[["World", int], "TurnVerdict | bool"]
"""Asked when the agent has ended a turn, with its number from 1: does the scenario go on?"""


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
        watches: Mapping[str, Condition | Validation] | None = None,
        noise: Noise | None = None,
    ) -> None:
        """Make a world at rest: nothing happens before the first tick.

        Args:
            scenario: What is in it and what is to happen.
            fs_content: A directory with the contents of the scenario's files; they are empty where it has none.
            notifications: How much the agent wants to be told: LOW, MEDIUM or HIGH.
            seed: What ids and chance are derived from; the scenario's own if left out.
            turn_condition: Asked when the agent has ended a turn; without it every turn is accepted.
            watches: Conditions and validations by the ids of their events; an id that the scenario does not have is
                watched from the start.
            noise: What goes wrong or gets in the way by chance.

        Raises:
            AppNotThere: The scenario has an app that nobody knows.
        """
        self.scenario = scenario
        self.seed = seed if seed is not None else scenario.seed or 0
        self._noise = noise or Noise()
        self._failures = Failures(self._noise, self.seed)
        self._turn_condition = turn_condition
        self._surroundings = Surroundings(
            now=lambda: self._engine.now,
            seed=self.seed,
            wait=self._wait,
            content=contents(fs_content),
            record=self._record,
            tell=self._tell,
        )
        plan = Plan(scenario.trace, noise_events(self._noise, self.seed, scenario.trace), watches or {})
        self._engine = Engine(
            surroundings=self._surroundings,
            plan=plan,
            notices=Notices(level=Level(notifications)),
            watches=watches or {},
            ask=lambda question: question(self),
            verdict=self._verdict,
            now=plan.start,
        )
        for each in _apps(scenario.trace):
            _built(each, self._surroundings)
        self._tools: Mapping[str, Offered] | None = None

    @property
    def now(self) -> float:
        """The world's time, in seconds since 1970."""
        return self._engine.now

    @property
    def elapsed(self) -> float:
        """The seconds since the scenario's start."""
        return self._engine.elapsed

    @property
    def standing(self) -> str:
        """RUNNING, PAUSED or STOPPED."""
        return self._engine.standing

    @property
    def apps(self) -> Mapping[str, App]:
        """The apps by name."""
        return self._surroundings.apps

    @property
    def turn(self) -> int:
        """How many turns of the agent are over."""
        return self._engine.turns.ended

    @property
    def faults(self) -> list[Fault]:
        """The scenario's own events that failed so far."""
        return list(self._engine.journal.faults)

    def hints(self) -> list[ExportedHint]:
        """The hints for whoever plays the agent: those of events that have happened, and those of none."""
        events = self._engine.plan.events
        return [
            each
            for each in self.scenario.hints
            if each.content
            and (each.associated_event_id not in events or self._engine.over_with(each.associated_event_id))
        ]

    def tools(self) -> Mapping[str, Offered]:
        """What the agent can call, by the names it knows them under."""
        if self._tools is None:
            self._tools = offered(self.apps, self._noise, self.seed)
        return self._tools

    def call(self, app: str, function: str, arguments: Mapping[str, Any] | None = None, via: str = "agent") -> Any:
        """Call a tool now.

        Args:
            app: The app's name in the scenario.
            function: The tool.
            arguments: Its arguments by name.
            via: Who calls: agent, env (as an event of the scenario would) or user.

        Returns:
            What the tool returns.

        Raises:
            ToolNotThere: There is no such app or tool for this caller.
            Exception: Whatever the tool raises; the class and the text are part of its interface.
        """
        outcome = self.attempt(app, function, arguments, via)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def attempt(
        self, app: str, function: str, arguments: Mapping[str, Any] | None = None, via: str = "agent"
    ) -> Outcome:
        """Call a tool now; what it raises is in the outcome, with the text that an agent sees otherwise."""
        found = self.apps.get(app)
        if found is None:
            raise ToolNotThere(f"There is no app {app[:80]!r} in this world. It has: {', '.join(self.apps)}.")
        caller = Via(via)
        find_tool(found, function, caller)
        if caller is Via.AGENT and (error := self._failures.next(f"{app}__{function}")):
            return Outcome(error=error)
        return self._engine.attempt(found, function, deepcopy(dict(arguments or {})), caller)

    def notifications(self) -> list[Notification]:
        """What the agent is told; each message once."""
        return self._engine.notices.taken()

    def tick(self) -> None:
        """Let everything happen that is due now."""
        self._engine.tick()

    def step(self) -> Happened | None:
        """Go on to the next event and let it happen, and nothing else; None if there is none."""
        return self._engine.step()

    def advance(self, seconds: float) -> None:
        """Let time pass, event by event."""
        self._engine.advance(self.now + seconds)

    def set_time(self, seconds: float) -> None:
        """Set the clock to so many seconds since the start; nothing happens before the next tick."""
        self._engine.now = self._engine.plan.start + seconds

    def pause(self) -> None:
        """Hold the time, such as while a model thinks."""
        if self.standing == RUNNING:
            self._engine.standing = PAUSED

    def resume(self, seconds: float = 0.0) -> None:
        """Go on, as if so many seconds had passed; what is due then happens with the next tick."""
        if self.standing == PAUSED:
            self._engine.standing = RUNNING
            self._engine.now += seconds

    def stop(self) -> None:
        """End the run."""
        if self.standing != STOPPED:
            self._engine.stop()

    def run_oracle(self, progress: Callable[[int, int], object] | None = None) -> OracleResult:
        """Do everything as the scenario expects it, the agent's part too; noise stays out.

        Args:
            progress: Called now and then with how many events are over, and how many there are.

        Returns:
            What came of it. Events that failed or never happened are listed there, not raised.

        Raises:
            InvalidTransition: The world has begun already.
        """
        engine = self._engine
        if engine.begun:
            raise InvalidTransition("Cannot run the oracle: this world has begun. Make a new World for it.")
        engine.oracle = True
        engine.run(progress)
        return OracleResult(
            scenario_id=self.scenario.scenario_id,
            completed=self.happened(),
            failed=tuple(engine.journal.faults),
            missing=tuple(engine.never()),
            seconds=self.elapsed,
        )

    def completed_events(self) -> list[ExportedCompletedEvent]:
        """What has happened, as scenario files hold it."""
        return [event.exported for event in self.happened()]

    def happened(self) -> list[Happened]:
        """What has happened, by time."""
        return self._engine.journal.log.listed(as_are=self._engine.oracle)

    def state(self) -> dict[str, dict[str, Any]]:
        """The states of the apps by name, as `app_state` of scenario files."""
        return {name: app.state() for name, app in self.apps.items()}

    def exported(self) -> ExportedTrace:
        """The scenario with what has happened and the present states of its apps."""
        state = self.state()
        listed = {each.name for each in self.scenario.apps}
        listing = [(each, state[each.name] or each.app_state) for each in self.scenario.apps]
        apps = [each.model_copy(update={"app_state": held}) for each, held in listing]
        apps += [_exported(app) for name, app in self.apps.items() if name not in listed]
        return self.scenario.trace.model_copy(update={"apps": apps, "completed_events": self.completed_events()})

    def snapshot(self) -> Snapshot:
        """The world as it is now."""
        engine = self._engine
        return Snapshot(
            time=self.elapsed,
            apps=self.state(),
            hidden={name: app.hidden() for name, app in self.apps.items()},
            events=tuple(self.happened()),
            notifications=tuple(engine.notices.waiting),
            engine=engine.saved(),
            failures=dict(self._failures.calls),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Put the world back to where it was; the snapshot can be used again."""
        for name, app in self.apps.items():
            app.load(dict(snapshot.apps[name]))
            app.recall(dict(snapshot.hidden[name]))
        self._failures.calls = dict(snapshot.failures)
        self._engine.notices.waiting = list(snapshot.notifications)
        self._engine.put_back(snapshot.engine)

    def _wait(self, seconds: float) -> None:
        self._engine.wait(seconds)

    def _record(self, call: Call) -> None:
        self._engine.record(call)

    def _tell(self, message: Message) -> None:
        self._engine.tell(message)

    def _verdict(self, turn: int) -> TurnVerdict:
        found = True if self._turn_condition is None else self._turn_condition(self, turn)
        return found if isinstance(found, TurnVerdict) else TurnVerdict(passed=found)


def _apps(trace: ExportedTrace) -> list[ExportedApp]:
    """The apps that a scenario lists, those that every world has, and those that events call by their class."""
    found = {each.name: each for each in trace.apps}
    called = (event.action.app for event in trace.events if event.action is not None and event.action.app)
    for name in dict.fromkeys((*ALWAYS, *called)):
        if name not in found and (name in ALWAYS or unlisted(name) is not None):
            found[name] = ExportedApp(name=name, class_name=name)
    return list(found.values())


def _built(app: ExportedApp, surroundings: Surroundings) -> App:
    made = app_class(app.class_name or app.name)
    if made is None:
        raise AppNotThere(app.name, app.class_name or app.name, app_names())
    return made(app.name, surroundings, app.app_state)


def _exported(app: App) -> ExportedApp:
    return ExportedApp(name=app.name, class_name=type(app).__name__, app_state=app.state())
