"""A world in the terminal: what a person types becomes calls and time, and every change is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click

from adk_agent_sim.cli.arguments import read_calls
from adk_agent_sim.cli.prompts import Prompts
from adk_agent_sim.errors import LineUnreadable, SimulatorError
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.tool import APP, ENV, USER, Kind
from adk_agent_sim.scenario.format.visible import visible
from adk_agent_sim.scenario.world.snapshot import Snapshot
from adk_agent_sim.scenario.world.world import World

_HELP = """\
  APP__TOOL name=value ...        call a tool as the agent; arguments also as JSON: APP__TOOL {"name": "value"}
  env APP__TOOL ...               call it as an event of the scenario would; user APP__TOOL ... as the user
  step                            let the next event happen, whenever it is
  +SECONDS                        let time pass, event by event
  at SECONDS                      set the clock to so many seconds since the start; what is due happens
  oracle                          from the start, do all that is expected of the agent
  /tools [TEXT]  /state [APP]     what can be called, what an app holds
  /log  /undo                     what has happened; go back before the last line
  /quit                           leave
"""
_CUT = 160
_CHANGES = 20


class Playground:
    """One person, one world."""

    def __init__(self, make: Callable[[], World], prompts: Prompts) -> None:
        """Open a world.

        Args:
            make: Makes the world, and makes it anew where a person wants to start again.
            prompts: Where the lines come from.
        """
        self._make = make
        self._world = make()
        self._prompts = prompts
        self._before: list[Snapshot] = []
        self._looks: Mapping[str, Callable[[str], object]] = {
            "/help": lambda _: click.echo(_HELP),
            "/tools": lambda text: click.echo("\n".join(self._tools(text))),
            "/state": self._state,
            "/log": lambda _: click.echo("\n".join(self._log()) or "  nothing has happened yet"),
        }
        self._acts: Mapping[str, Callable[[str], object]] = {
            "step": lambda _: self._step(),
            "oracle": lambda _: self._oracle(),
            "at": lambda seconds: self._at(_seconds(seconds)),
            "env": lambda call: self._call(call, "env"),
            "user": lambda call: self._call(call, "user"),
        }

    def play(self) -> None:
        """Play until the person leaves."""
        click.echo(f"{visible(self._world.scenario.scenario_id)}. /help shows what you can type.")
        self._shown(self._world.tick)
        while True:
            try:
                line = self._prompts.ask(click.style(f"{self._world.elapsed:g} s> ", fg="cyan"), self._words()).strip()
            except (EOFError, KeyboardInterrupt):
                click.echo()
                return
            if line in ("/quit", "/q"):
                return
            try:
                self._do(line)
            except SimulatorError as error:
                click.echo(f"  {visible(str(error))}", err=True)
            except KeyboardInterrupt:
                click.echo("\n  stopped", err=True)

    def _do(self, line: str) -> None:
        command, _, rest = line.partition(" ")
        rest = rest.strip()
        if look := self._looks.get(command):
            look(rest)
        elif command == "/undo":
            self._undo()
        elif act := self._acts.get(command):
            self._shown(lambda: act(rest))
        elif command.startswith("+"):
            self._shown(lambda: self._world.advance(_seconds(command[1:])))
        elif line:
            self._shown(lambda: self._call(line, "agent"))

    def _shown(self, act: Callable[[], object]) -> None:
        """Do something and show what the agent is told and what changed."""
        before = self._world.snapshot()
        act()
        self._before.append(before)
        for each in self._world.notifications():
            click.echo(click.style(f"  {each.t:g} s  {each.type}: {visible(_cut(each.text))}", fg="yellow"))
        changes = before.diff(self._world.snapshot())
        for change in changes[:_CHANGES]:
            colour = {"add": "green", "remove": "red"}.get(change.op, "magenta")
            click.echo(click.style(f"  {visible(_cut(str(change)))}", fg=colour))
        if len(changes) > _CHANGES:
            click.echo(f"  ... and {len(changes) - _CHANGES} more changes")

    def _call(self, line: str, via: str) -> None:
        for name, arguments in read_calls(line, self._schemas()):
            app, separator, function = name.partition("__")
            if not separator:
                raise LineUnreadable(
                    f"{name!r} is not a tool: write APP__TOOL, as Emails__list_emails. /help shows all."
                )
            outcome = self._world.attempt(app, function, arguments, via)
            if outcome.error is not None:
                said = f"{type(outcome.error).__name__}: {outcome.error}"
                click.echo(click.style(f"  {visible(_cut(said))}", fg="red"))
            else:
                click.echo("\n".join(f"  {visible(each)}" for each in (outcome.text or "").splitlines()) or "  ''")

    def _step(self) -> None:
        happened = self._world.step()
        if happened is None:
            click.echo("  nothing more will happen")
            return
        said = f"{happened.kind} {happened.app}__{happened.function} ({happened.event_id})"
        error = "" if happened.error is None else f": {type(happened.error).__name__}: {happened.error}"
        click.echo(visible(f"  {said}{error}"))

    def _at(self, seconds: float) -> None:
        self._world.set_time(seconds)
        self._world.tick()

    def _oracle(self) -> None:
        self._world = self._make()
        result = self._world.run_oracle()
        self._before.clear()
        for fault in (*result.failed, *result.missing):
            click.echo(click.style(visible(f"  {fault.event_id} ({fault.call}): {fault.why}"), fg="red"))
        click.echo(f"  {len(result.completed)} events, {len(result.failed)} failed, {len(result.missing)} missing")

    def _undo(self) -> None:
        if not self._before:
            raise LineUnreadable("There is nothing to take back.")
        self._world.restore(self._before.pop())
        click.echo("  taken back")

    def _state(self, name: str) -> None:
        if name and name not in self._world.apps:
            raise LineUnreadable(f"There is no app {name!r}. There are: {', '.join(self._world.apps)}.")
        state = self._world.apps[name].state() if name else {each: _size(app) for each, app in self._world.apps.items()}
        click.echo(json.dumps(state, indent=2, ensure_ascii=True, default=str))

    def _tools(self, text: str) -> Iterator[str]:
        for name, app in self._world.apps.items():
            for tool in app.tools().values():
                who = [kind for kind in (APP, ENV, USER) if kind in tool.kinds]
                line = f"{name}__{tool.name}({', '.join(each.name for each in tool.arguments)})"
                if who and text.lower() in f"{line} {tool.description}".lower():
                    yield visible(f"  {line}  {_who(who)}{tool.description.splitlines()[0]}")

    def _log(self) -> Iterator[str]:
        start = self._world.scenario.start_time or 0
        for each in self._world.happened():
            said = f"{each.kind:<5}  {each.app}__{each.function}  ({each.event_id})"
            yield visible(f"  {each.time - start:>8g} s  {said}{'' if each.error is None else '  failed'}")

    def _schemas(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            f"{name}__{tool.name}": {
                "properties": {
                    each.name: {"type": "string"} for each in tool.arguments if each.annotation.startswith("str")
                }
            }
            for name, app in self._world.apps.items()
            for tool in app.tools().values()
        }

    def _words(self) -> list[str]:
        return [*self._schemas(), "step", "at", "oracle", "env", "user", "/help", "/tools", "/state", "/log", "/undo"]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e12:
        raise LineUnreadable(f"{text[:40]!r} is not a number of seconds.")
    return seconds


def _who(kinds: list[Kind]) -> str:
    return "" if APP in kinds else f"[{'/'.join(kinds)}] "


def _size(app: App) -> dict[str, Any]:
    """An app's state with the number of entries where there may be many."""
    state = app.state()
    return state | {key: f"{len(value)} entries" for key, value in state.items() if type(value) in (list, dict)}


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}..."
