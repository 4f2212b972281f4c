"""Converts an eval case to a scenario: user messages become USER events, what the agent did becomes expected.

    invocation -> USER  send_message_to_agent
                  AGENT the calls: those of one step in parallel, steps one after the other
                  AGENT send_message_to_user, which the next invocation depends on

A case does not contain the world behind the tools, so apps and their states come from another scenario, or are empty. A
value that one call returned and a later one used (such as the id of an email) becomes a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.genai import types

from adk_agent_sim.errors import InvalidStoryStep, NotConvertible
from adk_agent_sim.golden.invocation_contents import CallIdAllocator, iter_invocation_contents
from adk_agent_sim.scenario import ScenarioImportedFromJson, Story, StoryStep, World
from adk_agent_sim.scenario.app_base.app import WRITE, App, Tool
from adk_agent_sim.scenario.apps.registry import DEFAULT_APPS, find_app_class
from adk_agent_sim.scenario.format.call_arguments import map_app_classes, parse_placeholder
from adk_agent_sim.scenario.format.models import Strictness, with_strictness
from adk_agent_sim.timeline.framework_calls import is_framework_call

MESSAGE_TO_USER = "AgentUserInterface__send_message_to_user"

_APP_CLASS_ALIASES = {
    "Cabs": "CabApp",
    "Chats": "MessagingAppV2",
    "City": "CityApp",
    "Emails": "EmailClientV2",
    "Messages": "MessagingAppV2",
}
"""App names in the scenarios of Gaia2 that differ from the class name."""

_GENERATED_ID = re.compile(r"(?=.*\d)[\w-]{8,}")
"""Matches texts that look like an id that a tool generated."""


def convert_case_to_scenario(
    case: EvalCase,
    *,
    base_scenario: ScenarioImportedFromJson | None = None,
    strictness: Mapping[str, Strictness] | None = None,
    fs_content: str | Path | None = None,
) -> tuple[ScenarioImportedFromJson, tuple[str, ...]]:
    """Return the scenario in which the agent is expected to repeat what it did in the case.

    Args:
        case: The case; its calls have the names that agents see, such as `Emails__send_email`.
        base_scenario: The scenario whose apps, start time, duration and seed are used; by default the apps are empty.
        strictness: How strictly arguments are compared, by names such as `Emails__send_email.content`.
        fs_content: The contents of the apps' files.

    Returns:
        The scenario, and notes for its users: what was omitted, and what fails in this world.

    Raises:
        NotConvertible: The case has something that a scenario cannot represent; names the turn.
    """
    try:
        return _CaseConverter(case, base_scenario).build_scenario(strictness or {}, fs_content)
    except (InvalidStoryStep, ValueError) as error:
        raise NotConvertible(f"Case {case.eval_id!r:.80}", "a scenario", str(error).removesuffix(".")) from error


@dataclass(frozen=True, kw_only=True)
class _CaseTurn:
    """A user message and everything up to its final response."""

    user_message: str
    steps: Sequence[Sequence[types.FunctionCall]]
    """The calls; those of one step were made in parallel."""
    responses: Mapping[str, Mapping[str, Any]]
    """The responses to the calls, by call id."""
    answer: str


class _CaseConverter:
    def __init__(self, case: EvalCase, base_scenario: ScenarioImportedFromJson | None) -> None:
        self._case = case
        self._base_scenario = base_scenario
        self._story = Story(
            re.sub(r"[^\w-]+", "_", case.eval_id) or "case",
            start_time=_find_start_time(case) if base_scenario is None else base_scenario.start_time or 0,
            duration=None if base_scenario is None else base_scenario.duration,
            seed=(base_scenario.seed if base_scenario else None) or 0,
        )
        self._app_classes: dict[str, type[App]] = dict(DEFAULT_APPS)
        if base_scenario is not None:
            self._app_classes |= {name: each for name, each in map_app_classes(base_scenario.trace).items() if each}
        self._app_class_names = {each.name: each.class_name for each in base_scenario.apps} if base_scenario else {}
        self._listed_apps: set[str] = set(DEFAULT_APPS)
        self._last_steps: tuple[StoryStep, ...] = ()
        self._placeholders: dict[str, str] = {}
        """Values that calls returned, with their placeholders."""
        self._argument_texts: set[str] = set()
        """Texts that were arguments before any call returned them, so they are not results."""
        self._notes: list[str] = []

    def build_scenario(
        self, strictness: Mapping[str, Strictness], fs_content: str | Path | None
    ) -> tuple[ScenarioImportedFromJson, tuple[str, ...]]:
        turns = list(_iter_turns(self._case))
        for number, turn in enumerate(turns, start=1):
            try:
                self._add_turn(turn, last=number == len(turns))
            except (InvalidStoryStep, ValueError) as error:
                raise ValueError(f"turn {number}: {str(error).removesuffix('.')}") from error
        trace, unused = with_strictness(self._story.scenario().trace, strictness)
        if unused:
            raise ValueError(f"strictness names the argument {min(unused)!r}, which no expected call has")
        if self._base_scenario is not None:
            base_names = {each.name for each in self._base_scenario.apps}
            apps = [*self._base_scenario.apps, *(each for each in trace.apps if each.name not in base_names)]
            trace = trace.model_copy(update={"apps": apps})
        scenario = ScenarioImportedFromJson(trace=trace)
        return scenario, (*self._notes, *self._iter_warnings(scenario, fs_content))

    def _iter_warnings(self, scenario: ScenarioImportedFromJson, fs_content: str | Path | None) -> Iterator[str]:
        empty = (
            [] if self._base_scenario is not None else [name for name in self._listed_apps if name not in DEFAULT_APPS]
        )
        if empty:
            yield (
                f"{', '.join(sorted(empty))}: the app is empty, because a case does not contain its state; "
                "ARE omits an app without state. Use the apps of a scenario with --apps"
            )
        result = World(scenario, fs_content=fs_content).run_oracle()
        for fault in (*result.failed, *result.missing):
            yield f"{fault.call} ({fault.event_id}) does not work in this world: {fault.why}"

    def _add_turn(self, turn: _CaseTurn, *, last: bool) -> None:
        moment = self._story.after(*self._last_steps) if self._last_steps else self._story.after(seconds=0)
        self._last_steps = (moment.user(_check_not_placeholder(turn.user_message)),)
        answered = False
        for step in turn.steps:
            calls = [call for call in step if self._is_expected(call, turn)]
            if calls:
                # Each call depends on the steps before this one, which are replaced only when all calls are added.
                self._last_steps = tuple([self._add_expected_call(call, turn) for call in calls])
                answered = calls[-1].name == MESSAGE_TO_USER and turn.answer in ("", _get_message_text(calls[-1]))
        if turn.answer and not answered:
            self._last_steps = (self._story.after(*self._last_steps).answer(_check_not_placeholder(turn.answer)),)
        elif not answered and not last:
            raise ValueError("it has no final response, so the next turn could never begin")

    def _is_expected(self, call: types.FunctionCall, turn: _CaseTurn) -> bool:
        name = call.name or ""
        if is_framework_call(name):
            self._notes.append(f"{name} was omitted: it controls the agent and does nothing in the world")
            return False
        if _is_error_response(turn.responses.get(call.id or "", {})):
            self._notes.append(f"{name} ({call.id}) was omitted: it failed, so it is not expected")
            return False
        return True

    def _add_expected_call(self, call: types.FunctionCall, turn: _CaseTurn) -> StoryStep:
        app, tool = self._find_tool(call.name or "")
        given = {
            name: value for name, value in (call.args or {}).items() if not _is_redundant_argument(tool, name, value)
        }
        step = self._story.after(*self._last_steps).oracle(
            app, tool.name, **{name: self._convert_argument(value) for name, value in given.items()}
        )
        # Before the result is read: a tool that returns what it was given has generated nothing.
        self._argument_texts.update(value for value in given.values() if isinstance(value, str))
        # Only a write generates ids; those that a read returns are in the world already.
        if tool.operation is WRITE:
            for text, placeholder in _iter_returned_texts(turn.responses.get(call.id or "", {}), step):
                if _GENERATED_ID.fullmatch(text) and text not in self._argument_texts:
                    self._placeholders.setdefault(text, placeholder)
        return step

    def _find_tool(self, name: str) -> tuple[str, Tool]:
        """Return the app and its tool by the name that agents see; add the app to the world if it is new."""
        app, _, function = name.partition("__")
        app_class = self._app_classes.get(app)
        if (
            app_class is None
            and self._base_scenario is None
            and (app_class := find_app_class(_APP_CLASS_ALIASES.get(app, app)))
        ):
            self._app_classes[app] = app_class
        if app_class is None or not function or function not in app_class.tools():
            apps = (
                "the apps of a scenario" if self._base_scenario is None else f"its apps {', '.join(self._app_classes)}"
            )
            raise ValueError(
                f"the tool {name!r:.80} is not a tool of an app: a scenario expects calls such as Emails__send_email, "
                f"of {apps}; "
                "docs/apps.md shows how to write an app that has it"
            )
        if app not in self._listed_apps:
            self._story.app(app, self._app_class_names.get(app) or _APP_CLASS_ALIASES.get(app, app))
            self._listed_apps.add(app)
        return app, app_class.tools()[function]

    def _convert_argument(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._placeholders.get(value) or _check_not_placeholder(value)
        return value


def _iter_turns(case: EvalCase) -> Iterator[_CaseTurn]:
    if not case.conversation:
        raise ValueError("it has no conversation")
    ids = CallIdAllocator()
    for number, invocation in enumerate(case.conversation, start=1):
        try:
            yield _parse_turn(invocation, ids)
        except ValueError as error:
            raise ValueError(f"turn {number}: {error}") from error


def _parse_turn(invocation: Invocation, ids: CallIdAllocator) -> _CaseTurn:
    user_message = _extract_text(invocation.user_content, "user's message")
    if not user_message:
        raise ValueError("the user's message is empty")
    steps: list[list[types.FunctionCall]] = []
    responses: dict[str, Mapping[str, Any]] = {}
    for authored in iter_invocation_contents(invocation, ids):
        parts = authored.content.parts or ()
        if calls := [part.function_call for part in parts if part.function_call]:
            steps.append(calls)
        responses |= {
            part.function_response.id or "": part.function_response.response or {}
            for part in parts
            if part.function_response
        }
    answer = _extract_text(invocation.final_response, "final response") if invocation.final_response else ""
    return _CaseTurn(user_message=user_message, steps=steps, responses=responses, answer=answer)


def _extract_text(content: types.Content, label: str) -> str:
    parts = [part for part in content.parts or () if not (part.thought or part.function_call or part.function_response)]
    if any(part.text is None for part in parts):
        raise ValueError(f"the {label} has a part that is not text, and a scenario's messages are text only")
    return "".join(part.text or "" for part in parts)


def _get_message_text(message: types.FunctionCall) -> Any:
    return (message.args or {}).get("content", "")


def _check_not_placeholder(text: str) -> str:
    if parse_placeholder(text):
        raise ValueError(f"the text {text!r:.80} would be read as a placeholder for the result of an event")
    return text


def _find_start_time(case: EvalCase) -> float:
    return case.creation_timestamp or next((each.creation_timestamp for each in case.conversation or ()), 0.0)


def _is_redundant_argument(tool: Tool, name: str, value: Any) -> bool:
    """Return whether an argument is empty and that is its default. ARE does not read empty arguments."""
    argument = tool.find_argument(name)
    return value in (None, "") and argument is not None and not argument.required and argument.default == value


def _is_error_response(response: Mapping[str, Any]) -> bool:
    error = response.get("error")
    return isinstance(error, dict) and {"type", "message"} <= set(cast("dict[str, Any]", error))


def _iter_returned_texts(response: Mapping[str, Any], step: StoryStep) -> Iterator[tuple[str, str]]:
    """Yield the texts that a call returned, each with its placeholder."""
    # ADK wraps a result that is not an object as {"result": ...}.
    value = response["result"] if set(response) == {"result"} else response
    if isinstance(value, str):
        yield value, str(step)
    elif isinstance(value, Mapping):
        for key, part in cast("Mapping[str, Any]", value).items():
            if isinstance(part, str):
                yield part, step[key]
