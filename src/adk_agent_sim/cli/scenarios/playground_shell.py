"""The interactive shell of `adksim scenario play`: lines become tool calls and time steps of a world.

It prints what the agent is notified of and how the apps' state changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adk_agent_sim.cli.play.call_parsing import parse_calls
from adk_agent_sim.cli.play.prompts import Prompts
from adk_agent_sim.errors import InvalidCallSyntax, SimulatorError
from adk_agent_sim.scenario.app_base.app import App
from adk_agent_sim.scenario.app_base.tool import APP, ENV, USER, ToolKind
from adk_agent_sim.scenario.world.snapshot import WorldSnapshot
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json_text,
    print_line,
    print_lines,
    print_message,
    style,
)

_HELP = """\
  APP__TOOL name=value ...        call a tool as the agent; arguments also as JSON: APP__TOOL {"name": "value"}
  env APP__TOOL ...               call a tool as the scenario's events do; user APP__TOOL ... as the user does
  step                            run the next event, whenever it is due
  +SECONDS                        advance time, event by event
  at SECONDS                      set the clock to SECONDS after the start and run what is due
  oracle                          restart, and run all actions expected of the agent
  /tools [TEXT]  /state [APP]     list the tools; show an app's state
  /log  /undo                     list what has happened; undo the last command
  /quit                           leave
"""
_MAX_LINE_LENGTH = 160
_MAX_CHANGES = 20


class PlaygroundShell:
    """Reads commands from one person and runs them in one world."""

    def __init__(self, make_world: Callable[[], World], prompts: Prompts) -> None:
        """Create the world.

        Args:
            make_world: Creates the world, and creates it again when the person restarts it.
            prompts: The source of the lines.
        """
        self._make_world = make_world
        self._world = make_world()
        self._prompts = prompts
        self._undo_stack: list[WorldSnapshot] = []
        self._query_commands: Mapping[str, Callable[[str], object]] = {
            "/help": lambda _: print_document(f"{_HELP}\n"),
            "/tools": lambda text: print_lines(self._iter_tool_lines(text)),
            "/state": self._show_state,
            "/log": lambda _: print_lines(list(self._iter_log_lines()) or ["  nothing has happened yet"]),
        }
        self._action_commands: Mapping[str, Callable[[str], object]] = {
            "step": lambda _: self._run_step(),
            "oracle": lambda _: self._run_oracle(),
            "at": lambda seconds: self._set_time(_parse_seconds(seconds)),
            "env": lambda call: self._call_tools(call, "env"),
            "user": lambda call: self._call_tools(call, "user"),
        }

    def play(self) -> None:
        """Run commands until the person leaves."""
        print_line(f"{self._world.scenario.scenario_id}. Type /help for the commands.")
        self._run_and_show(self._world.tick)
        while True:
            try:
                prompt = style(f"{self._world.elapsed:g} s> ", fg="cyan")
                line = self._prompts.ask(prompt, self._list_completions()).strip()
            except (EOFError, KeyboardInterrupt):
                print_line()
                return
            if line in ("/quit", "/q"):
                return
            try:
                self._run_line(line)
            except SimulatorError as error:
                print_message(str(error), err=True)
            except KeyboardInterrupt:
                print_document("\n  stopped", err=True)

    def _run_line(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        rest = rest.strip()
        if query := self._query_commands.get(command):
            query(rest)
        elif command == "/undo":
            self._undo()
        elif action := self._action_commands.get(command):
            self._run_and_show(lambda: action(rest))
        elif command.startswith("+"):
            self._run_and_show(lambda: self._world.advance(_parse_seconds(command[1:])))
        elif line:
            self._run_and_show(lambda: self._call_tools(line, "agent"))

    def _run_and_show(self, action: Callable[[], object]) -> None:
        """Run an action, then print the agent's notifications and the changes of the state."""
        before = self._world.snapshot()
        action()
        # A command that is refused raises above, and must not take a place on the stack.
        self._undo_stack.append(before)
        for each in self._world.take_notifications():
            print_line(style(f"  {each.elapsed_seconds:g} s  {each.kind}: {_shorten_line(each.text)}", fg="yellow"))
        changes = before.diff(self._world.snapshot())
        for change in changes[:_MAX_CHANGES]:
            colour = {"add": "green", "remove": "red"}.get(change.op, "magenta")
            print_line(style(f"  {_shorten_line(str(change))}", fg=colour))
        if len(changes) > _MAX_CHANGES:
            print_line(f"  ... and {len(changes) - _MAX_CHANGES} more changes")

    def _call_tools(self, line: str, via: str) -> None:
        for name, arguments in parse_calls(line, self._build_schemas()):
            app, separator, function = name.partition("__")
            if not separator:
                raise InvalidCallSyntax(
                    f"{name!r} is not a tool: write APP__TOOL, such as Emails__list_emails. /tools lists them all."
                )
            outcome = self._world.try_call(app, function, arguments, via)
            if outcome.error is not None:
                message = f"{type(outcome.error).__name__}: {outcome.error}"
                print_line(style(f"  {_shorten_line(message)}", fg="red"))
            else:
                print_lines([f"  {each}" for each in (outcome.text or "").splitlines()] or ["  ''"])

    def _run_step(self) -> None:
        event = self._world.step()
        if event is None:
            upcoming = self._world.find_upcoming_event()
            waits = f"{upcoming.call_name} waits for the agent's message to the user" if upcoming else ""
            print_line(f"  {waits or 'there are no more events'}")
            return
        line = f"{event.kind} {event.app}__{event.function} ({event.event_id})"
        error = "" if event.error is None else f": {type(event.error).__name__}: {event.error}"
        print_line(f"  {line}{error}")

    def _set_time(self, seconds: float) -> None:
        self._world.set_time(seconds)
        self._world.tick()

    def _run_oracle(self) -> None:
        self._world = self._make_world()
        result = self._world.run_oracle()
        self._undo_stack.clear()
        for failure in (*result.failed, *result.missing):
            line = f"  {failure.event_id} ({failure.call}): {failure.why}"
            print_line(style(line, fg="red"))
        print_line(f"  {len(result.completed)} events, {len(result.failed)} failed, {len(result.missing)} missing")

    def _undo(self) -> None:
        if not self._undo_stack:
            raise InvalidCallSyntax("There is nothing to undo.")
        self._world.restore(self._undo_stack.pop())
        print_line("  undone")

    def _show_state(self, name: str) -> None:
        if name and name not in self._world.apps:
            raise InvalidCallSyntax(f"There is no app {name!r}. The apps are: {', '.join(self._world.apps)}.")
        state = (
            self._world.apps[name].state()
            if name
            else {each: _summarize_state(app) for each, app in self._world.apps.items()}
        )
        print_json_text(json.dumps(state, indent=2, default=str))

    def _iter_tool_lines(self, text: str) -> Iterator[str]:
        for name, app in self._world.apps.items():
            for tool in app.tools().values():
                kinds = [kind for kind in (APP, ENV, USER) if kind in tool.kinds]
                line = f"{name}__{tool.name}({', '.join(each.name for each in tool.arguments)})"
                if kinds and text.lower() in f"{line} {tool.description}".lower():
                    yield f"  {line}  {_format_kinds(kinds)}{tool.description.splitlines()[0]}"

    def _iter_log_lines(self) -> Iterator[str]:
        start = self._world.scenario.start_time or 0
        for each in self._world.event_log():
            line = f"{each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
            yield f"  {each.time - start:>8g} s  {line}{'' if each.error is None else '  failed'}"

    def _build_schemas(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            f"{name}__{tool.name}": {
                "properties": {
                    each.name: {"type": "string"} for each in tool.arguments if each.annotation.startswith("str")
                }
            }
            for name, app in self._world.apps.items()
            for tool in app.tools().values()
        }

    def _list_completions(self) -> list[str]:
        return [
            *self._build_schemas(),
            "step",
            "at",
            "oracle",
            "env",
            "user",
            "/help",
            "/tools",
            "/state",
            "/log",
            "/undo",
        ]


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e12:
        raise InvalidCallSyntax(f"{text[:40]!r} is not a number of seconds.")
    return seconds


def _format_kinds(kinds: list[ToolKind]) -> str:
    return "" if APP in kinds else f"[{'/'.join(kinds)}] "


def _summarize_state(app: App) -> dict[str, Any]:
    """Return an app's state with lists and objects replaced by their number of entries."""
    state = app.state()
    return state | {key: f"{len(value)} entries" for key, value in state.items() if type(value) in (list, dict)}


def _shorten_line(text: str) -> str:
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[:_MAX_LINE_LENGTH]}..."
