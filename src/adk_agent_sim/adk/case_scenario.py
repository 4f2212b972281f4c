"""An EvalSet's case as a scenario: what the user said happens, what the agent did is expected.

    invocation -> USER  send_message_to_agent
                  AGENT the calls, those of one step side by side, else one after the other
                  AGENT send_message_to_user, for which the next invocation waits

A case knows nothing of the world behind the tools, so apps and their states come from a scenario, or are empty. What
a call made and a later one used (the id of a mail, say) becomes a placeholder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.genai import types

from adk_agent_sim.adk.framework_tools import is_framework_call
from adk_agent_sim.errors import NotConvertible, StoryDoesNotFit
from adk_agent_sim.golden.invocation import CallIds, said_in
from adk_agent_sim.scenario import ScenarioImportedFromJson, Step, Story, World
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.registry import ALWAYS, app_class
from adk_agent_sim.scenario.apps.tool import WRITE, Tool
from adk_agent_sim.scenario.format.calls import apps_by_name
from adk_agent_sim.scenario.format.strictness import Strictness, with_strictness
from adk_agent_sim.scenario.format.values import placeholder

MESSAGE_TO_USER = "AgentUserInterface__send_message_to_user"

_USUAL = {
    "Cabs": "CabApp",
    "Chats": "MessagingAppV2",
    "City": "CityApp",
    "Emails": "EmailClientV2",
    "Messages": "MessagingAppV2",
}
"""What the scenarios of Gaia2 call apps, where it is not the name of a class."""

_MADE = re.compile(r"(?=.*\d)[\w-]{8,}")
"""How an id looks that a tool made up."""


def scenario_of(
    case: EvalCase,
    *,
    apps: ScenarioImportedFromJson | None = None,
    strictness: Mapping[str, Strictness] | None = None,
    fs_content: str | Path | None = None,
) -> tuple[ScenarioImportedFromJson, tuple[str, ...]]:
    """The scenario in which the agent is expected to do again what it did in the case.

    Args:
        case: The case; its calls are named as agents know the tools of apps, `Emails__send_email`.
        apps: The scenario whose apps, start, duration and seed are taken over; empty apps if left out.
        strictness: How strictly arguments are compared, by `Emails__send_email.content`.
        fs_content: The contents of the apps' files.

    Returns:
        The scenario, and what whoever uses it should know: what was left out, and what fails in this world.

    Raises:
        NotConvertible: Names the turn and what a scenario has no place for.
    """
    try:
        return _Conversion(case, apps).scenario(strictness or {}, fs_content)
    except (StoryDoesNotFit, ValueError) as error:
        raise NotConvertible(f"Case {case.eval_id!r:.80}", "a scenario", str(error).removesuffix(".")) from error


@dataclass(frozen=True, kw_only=True)
class _Turn:
    """What happened between a user's message and the answer to it."""

    asked: str
    steps: Sequence[Sequence[types.FunctionCall]]
    """The calls; those of one step were made side by side."""
    responses: Mapping[str, Mapping[str, Any]]
    """What came of calls, by their ids."""
    answer: str


class _Conversion:
    def __init__(self, case: EvalCase, apps: ScenarioImportedFromJson | None) -> None:
        self._case = case
        self._base = apps
        self._story = Story(
            re.sub(r"[^\w-]+", "_", case.eval_id) or "case",
            start_time=_start(case) if apps is None else apps.start_time or 0,
            duration=None if apps is None else apps.duration,
            seed=(apps.seed if apps else None) or 0,
        )
        self._classes: dict[str, type[App]] = dict(ALWAYS)
        if apps is not None:
            self._classes |= {name: each for name, each in apps_by_name(apps.trace).items() if each}
        self._named = {each.name: each.class_name for each in apps.apps} if apps else {}
        self._listed: set[str] = set(ALWAYS)
        self._last: tuple[Step, ...] = ()
        self._made: dict[str, str] = {}
        """What calls made, and the placeholder that stands for it."""
        self._given: set[str] = set()
        """The texts that were arguments before anything made them."""
        self._notes: list[str] = []

    def scenario(
        self, strictness: Mapping[str, Strictness], fs_content: str | Path | None
    ) -> tuple[ScenarioImportedFromJson, tuple[str, ...]]:
        turns = list(_turns(self._case))
        for place, turn in enumerate(turns, start=1):
            try:
                self._add(turn, last=place == len(turns))
            except (StoryDoesNotFit, ValueError) as error:
                raise ValueError(f"turn {place}: {str(error).removesuffix('.')}") from error
        made = self._story.scenario()
        trace, unused = with_strictness(made.trace, strictness)
        if unused:
            raise ValueError(f"no expected call has the argument {min(unused)!r} that strictness was asked for")
        if self._base is not None:
            own = {each.name for each in self._base.apps}
            listed = [*self._base.apps, *(each for each in trace.apps if each.name not in own)]
            trace = trace.model_copy(update={"apps": listed})
        found = ScenarioImportedFromJson(trace=trace)
        return found, (*self._notes, *self._warnings(found, fs_content))

    def _warnings(self, found: ScenarioImportedFromJson, fs_content: str | Path | None) -> Iterator[str]:
        empty = [] if self._base is not None else [name for name in self._listed if name not in ALWAYS]
        if empty:
            yield (
                f"{', '.join(sorted(empty))}: the app is empty, because a case does not say what was in it; "
                "ARE leaves out an app without state. Take the apps of a scenario with --apps"
            )
        result = World(found, fs_content=fs_content).run_oracle()
        for fault in (*result.failed, *result.missing):
            yield f"{fault.call} ({fault.event_id}) does not work in this world: {fault.why}"

    def _add(self, turn: _Turn, *, last: bool) -> None:
        moment = self._story.after(*self._last) if self._last else self._story.after(seconds=0)
        self._last = (moment.user(_plain(turn.asked)),)
        answered = False
        for step in turn.steps:
            calls = [call for call in step if self._is_expected(call, turn)]
            if calls:
                self._last = tuple([self._expect(call, turn) for call in calls])
                answered = calls[-1].name == MESSAGE_TO_USER and turn.answer in ("", _said(calls[-1]))
        if turn.answer and not answered:
            self._last = (self._story.after(*self._last).answer(_plain(turn.answer)),)
        elif not answered and not last:
            raise ValueError("it has no final response, so the next turn would never begin")

    def _is_expected(self, call: types.FunctionCall, turn: _Turn) -> bool:
        name = call.name or ""
        if is_framework_call(name):
            self._notes.append(f"{name} was left out: it steers the agent, and does nothing in the world")
            return False
        if _failed(turn.responses.get(call.id or "", {})):
            self._notes.append(f"{name} ({call.id}) was left out: it failed, and nobody expects that again")
            return False
        return True

    def _expect(self, call: types.FunctionCall, turn: _Turn) -> Step:
        app, tool = self._tool(call.name or "")
        given = {name: value for name, value in (call.args or {}).items() if not _needless(tool, name, value)}
        step = self._story.after(*self._last).oracle(
            app, tool.name, **{name: self._argument(value) for name, value in given.items()}
        )
        self._given.update(value for value in given.values() if isinstance(value, str))
        if tool.operation is WRITE:
            for text, stands in _returned(turn.responses.get(call.id or "", {}), step):
                if _MADE.fullmatch(text) and text not in self._given:
                    self._made.setdefault(text, stands)
        return step

    def _tool(self, name: str) -> tuple[str, Tool]:
        """The app and its tool by the name that an agent knows it by; the app joins the world if it is new."""
        app, _, function = name.partition("__")
        found = self._classes.get(app)
        if found is None and self._base is None and (found := app_class(_USUAL.get(app, app))):
            self._classes[app] = found
        if found is None or not function or function not in found.tools():
            raise ValueError(
                f"the tool {name!r:.80} is no tool of an app: a scenario expects calls such as Emails__send_email, of "
                f"{'the apps of a scenario' if self._base is None else 'its apps ' + ', '.join(self._classes)}; "
                "docs/apps.md shows how to write an app that has it"
            )
        if app not in self._listed:
            self._story.app(app, self._named.get(app) or _USUAL.get(app, app))
            self._listed.add(app)
        return app, found.tools()[function]

    def _argument(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._made.get(value) or _plain(value)
        return value


def _turns(case: EvalCase) -> Iterator[_Turn]:
    if not case.conversation:
        raise ValueError("it holds no conversation")
    ids = CallIds()
    for place, invocation in enumerate(case.conversation, start=1):
        try:
            yield _turn(invocation, ids)
        except ValueError as error:
            raise ValueError(f"turn {place}: {error}") from error


def _turn(invocation: Invocation, ids: CallIds) -> _Turn:
    asked = _text(invocation.user_content, "user's message")
    if not asked:
        raise ValueError("the user says nothing")
    steps: list[list[types.FunctionCall]] = []
    responses: dict[str, Mapping[str, Any]] = {}
    for said in said_in(invocation, ids):
        parts = said.content.parts or ()
        if calls := [part.function_call for part in parts if part.function_call]:
            steps.append(calls)
        responses |= {
            part.function_response.id or "": part.function_response.response or {}
            for part in parts
            if part.function_response
        }
    answer = _text(invocation.final_response, "final response") if invocation.final_response else ""
    return _Turn(asked=asked, steps=steps, responses=responses, answer=answer)


def _text(content: types.Content, what: str) -> str:
    parts = [part for part in content.parts or () if not (part.thought or part.function_call or part.function_response)]
    if any(part.text is None for part in parts):
        raise ValueError(f"the {what} has a part that is not text, and messages of a scenario are text")
    return "".join(part.text or "" for part in parts)


def _said(message: types.FunctionCall) -> Any:
    return (message.args or {}).get("content", "")


def _plain(text: str) -> str:
    if placeholder(text):
        raise ValueError(f"the text {text!r:.80} would be read as a placeholder for what an event returned")
    return text


def _start(case: EvalCase) -> float:
    return case.creation_timestamp or next((each.creation_timestamp for each in case.conversation or ()), 0.0)


def _needless(tool: Tool, name: str, value: Any) -> bool:
    """Whether an argument says what goes without saying: ARE does not read arguments that are empty."""
    stated = tool.argument(name)
    return value in (None, "") and stated is not None and not stated.required and stated.default == value


def _failed(response: Mapping[str, Any]) -> bool:
    error = response.get("error")
    return isinstance(error, dict) and {"type", "message"} <= set(cast("dict[str, Any]", error))


def _returned(response: Mapping[str, Any], step: Step) -> Iterator[tuple[str, str]]:
    """The texts that a call returned, each with the placeholder for it; ADK wraps what is no object."""
    value = response["result"] if set(response) == {"result"} else response
    if isinstance(value, str):
        yield value, str(step)
    elif isinstance(value, Mapping):
        for key, part in cast("Mapping[str, Any]", value).items():
            if isinstance(part, str):
                yield part, step[key]
