"""Plays an agent's model in the terminal."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.adk.steps import Confirmation, ModelTurn, Step
from adk_agent_sim.cli.arguments import read_calls
from adk_agent_sim.cli.prompts import Prompts
from adk_agent_sim.errors import DecisionDoubtful, RunFailed, SimulatorError
from adk_agent_sim.forms.schema import JsonSchema, parameters_schema
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput

if TYPE_CHECKING:
    from adk_agent_sim.adk.agents import App

_HELP = """\
  TOOL name=value ...      call a tool; arguments also as JSON: TOOL {"name": "value"}
  [["TOOL", {...}], ...]   call several tools in one turn
  say TEXT                 send the final response
  !LINE                    send it although it does not fit the schema
  /tools  /request  /help  what is offered, what the model would read, this list
  /done                    finish: export and leave           /quit  leave without a file
"""


async def play(app: App, prompts: Prompts, eval_set: Path) -> bool:
    """Play until the person is done. Returns whether an EvalSet was written."""
    quiet()
    async with Simulation(app) as sim:
        return await _Table(sim, prompts, eval_set).play()


def quiet() -> None:
    """Leave out what ADK logs about models that count no tokens."""
    logging.getLogger("google_adk").setLevel(logging.CRITICAL)


class _Table:
    """One person, one agent."""

    def __init__(self, sim: Simulation, prompts: Prompts, eval_set: Path) -> None:
        self._sim = sim
        self._prompts = prompts
        self._eval_set = eval_set
        self._shown = 0
        self._introduced: set[str] = set()

    async def play(self) -> bool:
        click.echo("First you are the user, then the agent's model. /help shows what you can type.\n")
        step: Step | None = None
        try:
            while True:
                match step:
                    case ModelTurn():
                        step = await self._decide(step)
                    case Confirmation():
                        step = await self._confirm(step)
                    case _:
                        step = await self._speak()
        except (EOFError, KeyboardInterrupt, _Finished) as end:
            return self._finish(export=not isinstance(end, _Quit))

    async def _speak(self) -> Step | None:
        line = self._ask("user")
        if line:
            with _explained():
                return await self._watched(self._sim.send(line))
        return None

    async def _decide(self, turn: ModelTurn) -> Step:
        if turn.agent_name not in self._introduced:
            _introduce(turn, first=not self._introduced)
            self._introduced.add(turn.agent_name)
        line = self._ask(f"model of {turn.agent_name}")
        if line in ("/tools", "/request"):
            click.echo(_tools(turn) if line == "/tools" else _request(turn))
        elif line:
            with _explained():
                return await self._watched(_decision(turn, line))
        return turn

    async def _confirm(self, question: Confirmation) -> Step:
        line = self._ask(f"approve {question.waiting.name}({json.dumps(question.waiting.args)})? yes/no")
        if line in ("yes", "no"):
            return await self._watched(question.approve() if line == "yes" else question.deny())
        return question

    def _ask(self, who: str) -> str:
        line = self._prompts.ask(click.style(f"{who}> ", fg="cyan")).strip()
        if line == "/help":
            click.echo(_HELP)
            return ""
        if line in ("/done", "/quit"):
            raise _Quit if line == "/quit" else _Finished
        return line

    async def _watched(self, work: Awaitable[Step]) -> Step:
        """Wait for what comes next, showing how long a tool runs; Ctrl-C cancels its call."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, self._cancel_running)
        try:
            waited = 0
            while not (await asyncio.wait({task}, timeout=1))[0]:
                waited += 1
                click.echo(f"\r  running for {waited} s; Ctrl-C cancels the call ", nl=False, err=True)
            if waited:
                click.echo(err=True)
            return await task
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)
            self._show_new()

    def _cancel_running(self) -> None:
        for call_id in self._sim.running():
            self._sim.cancel(call_id)

    def _show_new(self) -> None:
        entries = self._sim.history()
        for entry in entries[self._shown :]:
            if shown := _entry(entry):
                click.echo(shown)
        self._shown = len(entries)

    def _finish(self, *, export: bool) -> bool:
        if not export or not self._sim.history():
            return False
        try:
            case = self._sim.export(self._eval_set)
        except SimulatorError as error:
            click.echo(f"\nNothing was exported. {error}", err=True)
            return False
        click.echo(f"\nExported {case.eval_id} to {self._eval_set}")
        return True


class _Finished(Exception):
    """The person is done."""


class _Quit(_Finished):
    """The person wants no file."""


class _explained(suppress):  # noqa: N801 - used as a statement
    """Shows what is wrong and lets the person try again; a failed run too leaves the session open."""

    def __init__(self) -> None:
        super().__init__(SimulatorError)

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if not isinstance(error, SimulatorError):
            return False
        doubtful = isinstance(error, DecisionDoubtful)
        said = f"{error.what}. Put ! before the line to send it all the same." if doubtful else str(error)
        click.echo(click.style(f"  {said}", fg="red"), err=True)
        return not isinstance(error, RunFailed)


def _decision(turn: ModelTurn, line: str) -> Awaitable[Step]:
    anyway = line.startswith("!")
    line = line.removeprefix("!").strip()
    if line == "say" or line.startswith("say "):
        return turn.respond(line.removeprefix("say").strip(), anyway=anyway)
    return turn.calls(read_calls(line, _schemas(turn)), anyway=anyway)


def _introduce(turn: ModelTurn, *, first: bool) -> None:
    click.echo(click.style(f"\nYou are the model of {turn.agent_name} now. This is what it reads:", bold=True))
    click.echo(f"{turn.instruction}\n\n{_tools(turn)}\n")
    if first:
        click.echo(_HELP)


def _schemas(turn: ModelTurn) -> dict[str, JsonSchema]:
    return {name: parameters_schema(tool.model_dump(exclude_none=True)) for name, tool in turn.tools.items()}


def _tools(turn: ModelTurn) -> str:
    if not turn.tools:
        return "There are no tools: answer with say TEXT."
    schemas = _schemas(turn)
    return "\n".join(
        f"  {click.style(name, bold=True)}({_parameters(schemas[name])})  {(tool.description or '').splitlines()[0]}"
        if tool.description
        else f"  {click.style(name, bold=True)}({_parameters(schemas[name])})"
        for name, tool in turn.tools.items()
    )


def _parameters(schema: JsonSchema) -> str:
    required = schema.get("required", ())
    return ", ".join(name if name in required else f"{name}?" for name in schema.get("properties", {}))


def _request(turn: ModelTurn) -> str:
    contents = [content.model_dump(mode="json", exclude_none=True) for content in turn.request.contents]
    return json.dumps(contents, indent=2, ensure_ascii=False)


def _entry(entry: HistoryEntry) -> str:
    match entry:
        case ToolCall():
            arguments = json.dumps(entry.arguments, ensure_ascii=False)
            return f"  {click.style('call', fg='yellow')}    {entry.tool_name} {arguments}"
        case ToolOutput():
            return f"  {click.style('result', fg='green')}  {_short(entry.result)}  ({entry.duration_ms:.0f} ms)"
        case ToolError():
            return f"  {click.style('Tool Error', fg='red')}  {entry.error_type}: {entry.error_message}"
        case FinalResponse():
            return f"  {click.style('answer', fg='blue')}  {entry.content}\n"
        case _:
            return ""


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else f"{text[:400]}... ({len(text)} characters)"
