"""A scenario's world in the browser: tool calls and time control, each with the notifications, events and changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

from adk_agent_sim.errors import InvalidArguments, InvalidTransition, NotFound
from adk_agent_sim.forms.problem_messages import format_path
from adk_agent_sim.forms.schema_checker import build_arguments_checker
from adk_agent_sim.scenario.app_base.app_context import CallerRole
from adk_agent_sim.scenario.app_base.tool import Tool
from adk_agent_sim.scenario.app_base.tool_call import can_call
from adk_agent_sim.scenario.app_base.tool_schema import build_parameters_schema
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.snapshot import StateChange, WorldSnapshot
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.server.scenarios.api_models import (
    ChangeInfo,
    NotificationInfo,
    TimeControlInput,
    WorldAction,
    WorldActionResult,
    WorldCaller,
    WorldCallInput,
    WorldEventInfo,
    WorldInfo,
    WorldTool,
)
from adk_agent_sim.server.scenarios.verdict_api_models import VerdictInfo
from adk_agent_sim.server.scenarios.verdict_view import build_verdict_info
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object_input
from adk_agent_sim.use_cases.record import FieldProblem

_MAX_LISTED = 100
"""How many changes and events of one action are listed; all of them are counted."""

_MAX_VALUE_CHARS = 4_000
_MAX_RESULT_CHARS = 200_000
_MAX_ACTIONS = 500
"""How many actions are kept and can be undone."""


class WorldPlayground:
    """One world and the actions performed in it. Not thread-safe."""

    def __init__(self, create_world: Callable[[], World]) -> None:
        """Create the world with `create_world`, which is called again for a restart or an oracle run."""
        self._create_world = create_world
        self._history: list[tuple[WorldSnapshot, WorldAction]] = []
        self._next_index = 0
        self._judge: Judge | None = None
        self._world = self._start_world()

    def describe_world(self) -> WorldInfo:
        """Return the time and status of the world."""
        world = self._world
        upcoming = world.find_upcoming_event()
        return WorldInfo(
            elapsed_seconds=world.elapsed,
            now=world.now,
            status=world.status,
            turn=world.turn,
            apps=list(world.apps),
            action_count=len(self._history),
            next_event=upcoming.call_name if upcoming else "",
            next_event_seconds=self._compute_elapsed(upcoming.time) if upcoming and upcoming.time is not None else None,
        )

    def list_actions(self) -> list[WorldAction]:
        """Return the actions, oldest first."""
        return [action for _, action in self._history]

    def list_tools(self) -> list[WorldTool]:
        """Return the tools that somebody may call."""
        tools = (
            WorldTool(
                name=f"{name}__{tool.name}",
                description=tool.description,
                parameters=build_parameters_schema(tool),
                callers=[caller for caller in get_args(WorldCaller) if can_call(tool, CallerRole(caller))],
            )
            for name, app in self._world.apps.items()
            for tool in app.tools().values()
        )
        return [tool for tool in tools if tool.callers]

    def read_app_state(self, app_name: str) -> Any:
        """Return the current state of an app."""
        if app_name not in self._world.apps:
            raise NotFound(f"There is no app {app_name[:100]!r} in this world.")
        return self._world.apps[app_name].state()

    def find_call_problems(self, call: WorldCallInput) -> list[FieldProblem]:
        """Return the problems of a call's arguments."""
        schema = build_parameters_schema(self._find_tool(call.tool_name)[2])
        arguments = parse_json_object_input(call.arguments, "The arguments")
        problems = build_arguments_checker(schema).find_problems(arguments)
        return [FieldProblem(path=each.path, message=each.message) for each in problems]

    def call_tool(self, call: WorldCallInput) -> WorldActionResult:
        """Call a tool; an exception that it raises is part of the result.

        Raises:
            InvalidArguments: The arguments do not match the schema, and `force` is not set.
        """
        app, function, tool = self._find_tool(call.tool_name)
        arguments = parse_json_object_input(call.arguments, "The arguments")
        if not call.force and (
            problems := build_arguments_checker(build_parameters_schema(tool)).find_problems(arguments)
        ):
            raise InvalidArguments(call.tool_name, problems)

        def attempt_call() -> tuple[str | None, str]:
            outcome = self._world.try_call(app, function, arguments, call.caller)
            if outcome.error is None:
                return (outcome.text or "")[:_MAX_RESULT_CHARS], ""
            return None, f"{type(outcome.error).__name__}: {outcome.error}"[:_MAX_RESULT_CHARS]

        return self._perform_action(
            f"{call.tool_name} {summarize_arguments(arguments)}".strip(), attempt_call, call.caller
        )

    def control_time(self, time_control: TimeControlInput) -> WorldActionResult:
        """Advance the time, undo the last action, or restart."""
        seconds = time_control.seconds
        match time_control.command:
            case "step":
                return self._perform_action("Next event", self._step_once)
            case "advance":
                return self._perform_action(
                    f"Advance {seconds:g} s", lambda: _to_empty_result(self._world.advance(seconds))
                )
            case "jump":
                return self._perform_action(f"Jump to {seconds:g} s", lambda: self._jump_to(seconds))
            case "oracle":
                return self._run_oracle()
            case "undo":
                self._undo_last()
            case "restart":
                self._history.clear()
                self._world = self._start_world()
        return WorldActionResult(world=self.describe_world(), action=None)

    def judge_world(self) -> VerdictInfo:
        """Return the verdict on what has happened in the world so far, without soft checks.

        Raises:
            NotJudgeable: The scenario expects nothing, or its oracle fails.
        """
        # Kept, because a judge plays the scenario's oracle once to know what is expected.
        if self._judge is None:
            self._judge = Judge(self._world.scenario)
        events = self._world.event_log()
        verdict = to_json_value(self._judge.judge(events).to_json())
        actions = self._map_events_to_actions()
        return build_verdict_info(
            verdict,
            events,
            start_time=self._judge.plan.start_time,
            plan=self._judge.plan,
            locate=lambda place: {"action_index": actions.get(id(events[place]))},
        )

    def _map_events_to_actions(self) -> dict[int, int]:
        """Return the actions that caused events, by the identity of the event: snapshots share their events."""
        snapshots = [*(before for before, _ in self._history[1:]), self._world.snapshot()]
        actions: dict[int, int] = {}
        for (_, action), after in zip(self._history, snapshots, strict=True):
            for event in after.events:
                actions.setdefault(id(event), action.index)
        return actions

    def _start_world(self) -> World:
        self._world = self._create_world()
        self._perform_action("Start", lambda: _to_empty_result(self._world.tick()))
        return self._world

    def _step_once(self) -> tuple[str | None, str]:
        if self._world.step() is not None:
            return None, ""
        upcoming = self._world.find_upcoming_event()
        if upcoming is None:
            return "No events are left.", ""
        return f"{upcoming.call_name} waits for the agent's message to the user.", ""

    def _compute_elapsed(self, time: float) -> float:
        return round(time - (self._world.now - self._world.elapsed), 6)

    def _jump_to(self, seconds: float) -> tuple[str | None, str]:
        self._world.set_time(seconds)
        self._world.tick()
        return None, ""

    def _run_oracle(self) -> WorldActionResult:
        """Restart the world and perform all oracle events, which are what the agent is expected to do."""
        self._history.clear()
        self._world = self._create_world()

        def execute_oracle() -> tuple[str | None, str]:
            result = self._world.run_oracle()
            problems = [f"{each.event_id} ({each.call}): {each.why}" for each in (*result.failed, *result.missing)]
            counts = f"{len(result.failed)} failed, {len(result.missing)} missing"
            return f"{len(result.completed)} events, {counts}", "\n".join(problems)[:_MAX_RESULT_CHARS]

        return self._perform_action("Oracle run", execute_oracle)

    def _undo_last(self) -> None:
        if len(self._history) <= 1:
            raise InvalidTransition("There is nothing to undo.")
        before, _ = self._history.pop()
        self._world.restore(before)

    def _perform_action(
        self, summary: str, act: Callable[[], tuple[str | None, str]], caller: WorldCaller | None = None
    ) -> WorldActionResult:
        """Call `act`, which returns a result and an error, and record its effects."""
        before = self._world.snapshot()
        result, error = act()
        after = self._world.snapshot()
        changes = before.diff(after)
        # Events have no unique id; the snapshots share the objects of events that happened before.
        known = {id(each) for each in before.events}
        happened = [each for each in after.events if id(each) not in known]
        start = self._world.now - self._world.elapsed
        action = WorldAction(
            index=self._next_index,
            summary=summarize_text(summary),
            caller=caller,
            elapsed_seconds=self._world.elapsed,
            result=result,
            error=error,
            notifications=[
                NotificationInfo(elapsed_seconds=each.elapsed_seconds, kind=each.kind, text=each.text)
                for each in self._world.take_notifications()
            ],
            events=[_build_event_info(each, start) for each in happened[:_MAX_LISTED]],
            event_count=len(happened),
            changes=[_build_change_info(each) for each in changes[:_MAX_LISTED]],
            change_count=len(changes),
        )
        self._next_index += 1
        self._history.append((before, action))
        # The first entry is the start, which cannot be undone and is always kept.
        del self._history[1 : 1 + max(0, len(self._history) - _MAX_ACTIONS)]
        return WorldActionResult(world=self.describe_world(), action=action)

    def _find_tool(self, name: str) -> tuple[str, str, Tool]:
        """Return app name, function name and tool for `App__function`.

        The name is not simply split: the name of an app may contain two underscores too.
        """
        for app_name, app in self._world.apps.items():
            function = name.removeprefix(f"{app_name}__")
            if function != name and (tool := app.tools().get(function)):
                return app_name, function, tool
        raise NotFound(f"There is no tool {name[:100]!r} in this world.")


def _to_empty_result(_: None) -> tuple[str | None, str]:
    return None, ""


def _build_event_info(event: CompletedEvent, start: float) -> WorldEventInfo:
    return WorldEventInfo(
        event_id=event.event_id,
        kind=event.kind.lower(),
        elapsed_seconds=event.time - start,
        call="__".join(each for each in (event.app, event.function) if each),
        summary=summarize_arguments({name: _to_plain_json(value) for name, value in event.arguments.items()}),
        error="" if event.error is None else f"{type(event.error).__name__}: {event.error}"[:_MAX_VALUE_CHARS],
    )


def _to_plain_json(value: Any) -> Any:
    """Return a value as JSON; the arguments of a call made by code may be of any type."""
    try:
        return json.loads(json.dumps(value, default=str))
    except (TypeError, ValueError):
        return str(value)


def _build_change_info(change: StateChange) -> ChangeInfo:
    return ChangeInfo(
        op="add" if change.op == "add" else "remove" if change.op == "remove" else "replace",
        path=format_path(change.path),
        old=None if change.op == "add" else _truncate_json(change.old),
        new=None if change.op == "remove" else _truncate_json(change.new),
    )


def _truncate_json(value: Any) -> str:
    text = dump_json(value)
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}\u2026"
