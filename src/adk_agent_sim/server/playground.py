"""A scenario's world in the browser: calls and time, and after each what was told, what happened and what changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

from adk_agent_sim.errors import ArgumentsDoNotFit, InvalidTransition, NothingSuch
from adk_agent_sim.forms.check import arguments_check
from adk_agent_sim.forms.messages import dotted
from adk_agent_sim.scenario.apps.calling import can_call
from adk_agent_sim.scenario.apps.parameters import parameters
from adk_agent_sim.scenario.apps.surroundings import Via
from adk_agent_sim.scenario.apps.tool import Tool
from adk_agent_sim.scenario.world.log import Happened
from adk_agent_sim.scenario.world.snapshot import Change, Snapshot
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.server.json_text import parsed_object, written
from adk_agent_sim.server.one_line import arguments_line, text_line
from adk_agent_sim.server.scenario_shapes import (
    Acted,
    Caller,
    ChangeShape,
    Deed,
    HappenedShape,
    NotificationShape,
    WorldCall,
    WorldShape,
    WorldTime,
    WorldTool,
)
from adk_agent_sim.server.shapes import ProblemShape

_MOST_LISTED = 100
"""How many changes and events of one deed are told; of the others, only how many they are."""

_MOST_CHARACTERS = 4_000
_LONGEST_RESULT = 200_000
_MOST_DEEDS = 500
"""How many deeds are kept and can be taken back."""


class Playground:
    """One world and what was done in it. Used by one thread at a time."""

    def __init__(self, make: Callable[[], World]) -> None:
        """Open a world; `make` makes it, and makes it anew where somebody starts again."""
        self._make = make
        self._done: list[tuple[Snapshot, Deed]] = []
        self._count = 0
        self._world = self._begun()

    def shape(self) -> WorldShape:
        """Where the world stands."""
        world = self._world
        return WorldShape(
            seconds=world.elapsed,
            now=world.now,
            standing=world.standing,
            turn=world.turn,
            apps=list(world.apps),
            deeds=len(self._done),
        )

    def deeds(self) -> list[Deed]:
        """What was done, oldest first."""
        return [deed for _, deed in self._done]

    def tools(self) -> list[WorldTool]:
        """What can be called, by whom."""
        found = (
            WorldTool(
                name=f"{name}__{tool.name}",
                description=tool.description,
                parameters=parameters(tool),
                callers=[via for via in get_args(Caller) if can_call(tool, Via(via))],
            )
            for name, app in self._world.apps.items()
            for tool in app.tools().values()
        )
        return [each for each in found if each.callers]

    def state(self, app: str) -> Any:
        """What an app holds now."""
        if app not in self._world.apps:
            raise NothingSuch(f"There is no app {app[:100]!r} in this world.")
        return self._world.apps[app].state()

    def problems(self, call: WorldCall) -> list[ProblemShape]:
        """What is wrong with the arguments of a call."""
        schema = parameters(self._tool(call.tool)[2])
        found = arguments_check(schema).problems(parsed_object(call.arguments, "The arguments"))
        return [ProblemShape(path=each.path, message=each.message) for each in found]

    def call(self, call: WorldCall) -> Acted:
        """Call a tool; what it raises is the answer."""
        app, function, tool = self._tool(call.tool)
        arguments = parsed_object(call.arguments, "The arguments")
        if not call.anyway and (wrong := arguments_check(parameters(tool)).problems(arguments)):
            raise ArgumentsDoNotFit(call.tool, wrong)

        def act() -> tuple[str | None, str]:
            outcome = self._world.attempt(app, function, arguments, call.via)
            if outcome.error is None:
                return (outcome.text or "")[:_LONGEST_RESULT], ""
            return None, f"{type(outcome.error).__name__}: {outcome.error}"[:_LONGEST_RESULT]

        return self._told(f"{call.tool} {arguments_line(arguments)}".strip(), act, call.via)

    def time(self, order: WorldTime) -> Acted:
        """Let time pass, or take something back."""
        seconds = order.seconds
        match order.what:
            case "step":
                return self._told("Next event", self._step)
            case "advance":
                return self._told(f"Advance {seconds:g} s", lambda: _nothing(self._world.advance(seconds)))
            case "jump":
                return self._told(f"Jump to {seconds:g} s", lambda: self._jump(seconds))
            case "oracle":
                return self._oracle()
            case "undo":
                self._undo()
            case "restart":
                self._done.clear()
                self._world = self._begun()
        return Acted(world=self.shape(), deed=None)

    def _begun(self) -> World:
        self._world = self._make()
        self._told("Start", lambda: _nothing(self._world.tick()))
        return self._world

    def _step(self) -> tuple[str | None, str]:
        return (None, "") if self._world.step() is not None else ("Nothing more will happen.", "")

    def _jump(self, seconds: float) -> tuple[str | None, str]:
        self._world.set_time(seconds)
        self._world.tick()
        return None, ""

    def _oracle(self) -> Acted:
        """From the start, do all that is expected of the agent."""
        self._done.clear()
        self._world = self._make()

        def act() -> tuple[str | None, str]:
            result = self._world.run_oracle()
            faults = [f"{each.event_id} ({each.call}): {each.why}" for each in (*result.failed, *result.missing)]
            counts = f"{len(result.failed)} failed, {len(result.missing)} missing"
            return f"{len(result.completed)} events, {counts}", "\n".join(faults)[:_LONGEST_RESULT]

        return self._told("Oracle run", act)

    def _undo(self) -> None:
        if len(self._done) <= 1:
            raise InvalidTransition("There is nothing to take back.")
        before, _ = self._done.pop()
        self._world.restore(before)

    def _told(self, what: str, act: Callable[[], tuple[str | None, str]], via: Caller | None = None) -> Acted:
        """Do something, and say what came of it."""
        before = self._world.snapshot()
        result, error = act()
        after = self._world.snapshot()
        changes = before.diff(after)
        known = {id(each) for each in before.events}
        happened = [each for each in after.events if id(each) not in known]
        start = self._world.now - self._world.elapsed
        deed = Deed(
            index=self._count,
            what=text_line(what),
            via=via,
            seconds=self._world.elapsed,
            result=result,
            error=error,
            notifications=[
                NotificationShape(seconds=each.t, type=each.type, text=each.text)
                for each in self._world.notifications()
            ],
            happened=[_happened(each, start) for each in happened[:_MOST_LISTED]],
            happened_count=len(happened),
            changes=[_change(each) for each in changes[:_MOST_LISTED]],
            change_count=len(changes),
        )
        self._count += 1
        self._done.append((before, deed))
        del self._done[1 : 1 + max(0, len(self._done) - _MOST_DEEDS)]
        return Acted(world=self.shape(), deed=deed)

    def _tool(self, name: str) -> tuple[str, str, Tool]:
        """The app, the function and the tool of a name; an app's own name may have underscores too."""
        for app_name, app in self._world.apps.items():
            function = name.removeprefix(f"{app_name}__")
            if function != name and (tool := app.tools().get(function)):
                return app_name, function, tool
        raise NothingSuch(f"There is no tool {name[:100]!r} in this world.")


def _nothing(_: None) -> tuple[str | None, str]:
    return None, ""


def _happened(event: Happened, start: float) -> HappenedShape:
    return HappenedShape(
        event_id=event.event_id,
        kind=event.kind.lower(),
        seconds=event.time - start,
        call="__".join(each for each in (event.app, event.function) if each),
        summary=arguments_line({name: _plain(value) for name, value in event.arguments.items()}),
        error="" if event.error is None else f"{type(event.error).__name__}: {event.error}"[:_MOST_CHARACTERS],
    )


def _plain(value: Any) -> Any:
    """What a tool was called with by code may be no JSON."""
    try:
        return json.loads(json.dumps(value, default=str))
    except (TypeError, ValueError):
        return str(value)


def _change(change: Change) -> ChangeShape:
    return ChangeShape(
        op="add" if change.op == "add" else "remove" if change.op == "remove" else "replace",
        path=dotted(change.path),
        old=None if change.op == "add" else _cut(change.old),
        new=None if change.op == "remove" else _cut(change.new),
    )


def _cut(value: Any) -> str:
    text = written(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}\u2026"
