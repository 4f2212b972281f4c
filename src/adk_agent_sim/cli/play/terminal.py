"""The terminal session of `adksim run` and `adksim demo`: a person plays the user, the agent's model, and tools."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from adk_agent_sim.adk.loading.agent_loader import App
from adk_agent_sim.adk.steps.steps import Confirmation, CredentialRequest, InputRequest, ModelTurn, Step, ToolTurn
from adk_agent_sim.cli.play.prompts import Prompts
from adk_agent_sim.cli.play.terminal_commands import (
    STATE_COMMAND,
    STATE_HELP,
    TIME_TRAVEL_COMMANDS,
    TIME_TRAVEL_HELP,
    offer_missing_state,
    print_turns,
    run_state_command,
    run_time_travel_command,
)
from adk_agent_sim.cli.play.terminal_text import (
    PAUSE_HELP,
    SIGN_IN,
    TOOL_HELP,
    TOOL_WORDS,
    ask_credential,
    format_entry,
    format_request,
    format_tool_details,
    format_tools,
    parse_calls,
    parse_yes_no,
    print_credential_request,
    print_input_request,
    print_tool_call,
    read_tool_schemas,
    send_input,
    send_tool_response,
)
from adk_agent_sim.errors import DecisionMismatch, RunFailed, SessionIncomplete, SimulatorError
from adk_agent_sim.golden.eval_criteria import EvalCriteria
from adk_agent_sim.simulation.run_settings import RunSettings
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.text.escaping import escape_message
from adk_agent_sim.text.terminal_output import (
    TerminalText,
    print_document,
    print_line,
    print_message,
    print_progress,
    style,
)
from adk_agent_sim.timeline.history import HistoryEntry

DECISION_HELP = """\
  TOOL name=value ...       call a tool; arguments also as JSON: TOOL {"name": "value"}
  [["TOOL", {...}], ...]    call several tools in one turn
  say TEXT                  send the final response (/say TEXT, if there is a tool called say)
  !LINE                     send LINE although it does not match the schema
  /tools [NAME]  /request   show the tools; show the request that the model would get
"""

_HELP = f"""\
{DECISION_HELP}{STATE_HELP}{TIME_TRAVEL_HELP}\
  /done                     export the session and leave        /quit  leave without exporting
where you are a tool (mock: human):
{TOOL_HELP}where the agent asks the user:
{PAUSE_HELP}"""


async def play_in_terminal(app: App, prompts: Prompts, eval_set: Path, settings: RunSettings | None = None) -> bool:
    """Play until the person leaves. Returns whether a case was written to the EvalSet."""
    settings = settings or RunSettings()
    async with settings.open_simulation(app) as sim:
        return await play_simulation(sim, prompts, eval_set, criteria=settings.criteria)


async def play_simulation(
    sim: Simulation,
    prompts: Prompts,
    eval_set: Path,
    step: Step | None = None,
    *,
    criteria: EvalCriteria | None = None,
) -> bool:
    """Play a simulation that is open, from a step on, until the person leaves. Returns whether a case was written."""
    session = TerminalSession(sim, prompts, eval_set, criteria)
    try:
        return await session.play(step)
    finally:
        await session.close_forks()


def find_adk_command() -> str:
    """Return how to call ADK's command: `adk` if it is on PATH, otherwise the one beside this interpreter."""
    return "adk" if shutil.which("adk") else str(Path(sys.executable).with_name("adk"))


class TerminalSession:
    """One person playing one agent."""

    help_text = _HELP

    def __init__(self, sim: Simulation, prompts: Prompts, eval_set: Path, criteria: EvalCriteria | None) -> None:
        self._sim = sim
        self._prompts = prompts
        self._eval_set = eval_set
        self._criteria = criteria
        self._printed: set[tuple[object, ...]] = set()
        """The entries of the history that were printed; an interim result is replaced by a later one."""
        self._introduced_agents: set[str] = set()
        self._own_commands: Mapping[str, Callable[[str], Awaitable[object]]] = {}
        """The commands that a subclass adds, which are given the rest of their line while a turn waits."""
        self._forks: list[Simulation] = []

    async def play(self, step: Step | None = None) -> bool:
        """Play from a step on, until the person leaves. Returns whether a case was written to the EvalSet."""
        if step is None:
            print_document("First you are the user, then the agent's model. Type /help for the commands.\n\n")
        await self._print_new_entries()
        is_new = step is None
        while True:
            try:
                if is_new:
                    is_new = False
                    await offer_missing_state(self._sim, self._read_line, is_interactive=self._prompts.is_interactive)
                step = await self._take_step(step)
            except _QuitRequested:
                return False
            except _DoneRequested:
                if not isinstance(step, ModelTurn | ToolTurn | Confirmation | InputRequest | CredentialRequest):
                    return self._export_finished()
                print_line("  The agent is waiting: answer with say TEXT first, or leave with /quit.", err=True)
            except (EOFError, KeyboardInterrupt):
                print_line()
                return self._export_finished()

    async def close_forks(self) -> None:
        """Close the sessions that were forked here."""
        for fork in self._forks:
            await fork.close()

    async def _time_travel(self, line: str, step: Step | None) -> Step | None:
        """Carry out a command that goes back in time."""
        if line == "/turns":
            print_turns(self._sim.log())
            return step
        before = self._sim.session_id

        async def run_command() -> Step:
            self._sim, reached = await run_time_travel_command(self._sim, line)
            return reached

        reached = await self._run_step(run_command(), step)
        if self._sim.session_id != before:
            self._forks.append(self._sim)
        # The history that was replayed was printed when it happened.
        self._printed = {_identify(entry) for entry in self._sim.history()}
        return reached

    async def _take_step(self, step: Step | None) -> Step | None:
        match step:
            case ModelTurn():
                return await self._ask_decision(step)
            case ToolTurn():
                return await self._ask_tool_response(step)
            case Confirmation():
                return await self._ask_confirmation(step)
            case InputRequest():
                return await self._ask_input(step)
            case CredentialRequest():
                return await self._ask_credential(step)
            case _:
                return await self._ask_user()

    async def _ask_user(self) -> Step | None:
        line = self._read_line("user")
        if line.split(" ")[0] in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, None)
        if line.split(" ")[0] == STATE_COMMAND:
            await self._edit_state(line)
            return None
        if line.startswith("/"):
            command = line.partition(" ")[0]
            hint = "Type /help for the commands, or put ! before the line to send it as the user's message."
            print_message(f"There is no command {command} for the user. {hint}", fg="red", err=True)
            return None
        line = line[1:] if line.startswith("!/") else line
        return await self._run_step(self._sim.send(line), None) if line else None

    async def _ask_decision(self, turn: ModelTurn) -> Step | None:
        if turn.agent_name not in self._introduced_agents:
            self._print_introduction(turn)
            self._introduced_agents.add(turn.agent_name)
        line = self._read_line(f"model of {turn.agent_name}", [*_list_completions(turn), *self._own_commands])
        command, _, rest = line.partition(" ")
        if command == "/tools":
            print_document(format_tool_details(turn, rest.strip()) if rest.strip() else format_tools(turn))
        elif command == "/request":
            print_document(format_request(turn))
        elif command == STATE_COMMAND:
            await self._edit_state(line)
        elif command in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, turn)
        elif own := self._own_commands.get(command):
            return await self._run_step(self._run_own(own(rest.strip())), turn)
        elif line:
            return await self._run_step(_send_decision(turn, line), turn)
        return turn

    async def _run_own(self, work: Awaitable[object]) -> Step:
        await work
        return await self._sim.next()

    async def _edit_state(self, line: str) -> None:
        try:
            await run_state_command(self._sim, line)
        except SimulatorError as error:
            print_message(str(error), fg="red", err=True)

    async def _ask_tool_response(self, turn: ToolTurn) -> Step | None:
        print_tool_call(turn)
        line = self._read_line(f"tool {turn.tool_name}", TOOL_WORDS)
        if line.split(" ")[0] in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, turn)
        return await self._run_step(send_tool_response(turn, line), turn) if line else turn

    async def _ask_confirmation(self, question: Confirmation) -> Step | None:
        call = f"{question.pending_call.name}({json.dumps(question.pending_call.args, ensure_ascii=False)})"
        print_message(question.hint, fg="cyan")
        line = self._read_line(f"approve {call}? yes/no", ["yes", "no"])
        if line.split(" ")[0] in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, question)
        is_approved = parse_yes_no(line)
        if is_approved is not None:
            return await self._run_step(question.approve() if is_approved else question.deny(), question)
        if line:
            print_message("Answer yes or no.", fg="red", err=True)
        return question

    async def _ask_input(self, request: InputRequest) -> Step | None:
        print_input_request(request)
        line = self._read_line("input")
        if line.split(" ")[0] in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, request)
        return await self._run_step(send_input(request, line), request) if line else request

    async def _ask_credential(self, request: CredentialRequest) -> Step | None:
        print_credential_request(request)
        line = self._read_line(f"Enter to type it, or {SIGN_IN} to simulate it", [SIGN_IN])
        if line.split(" ")[0] in TIME_TRAVEL_COMMANDS:
            return await self._time_travel(line, request)
        if line == SIGN_IN:
            return await self._run_step(request.sign_in(), request)
        if line:
            print_message("Press Enter to type the credential: it is not shown then.", fg="red", err=True)
            return request
        return await self._run_step(request.answer(ask_credential(request, self._prompts)), request)

    def _read_line(self, speaker: str, completions: Sequence[str] = ()) -> str:
        line = self._prompts.ask(style(f"{speaker}> ", fg="cyan"), completions).strip()
        if line == "/help":
            print_document(f"{self.help_text}\n")
            return ""
        if line in ("/done", "/quit"):
            raise _QuitRequested if line == "/quit" else _DoneRequested
        return line

    async def _run_step(self, work: Awaitable[Step], fallback: Step | None) -> Step | None:
        """Return the next step: `fallback` if the input was rejected, None (the user's turn) if the run failed."""
        try:
            return await self._wait_with_progress(work)
        except RunFailed as error:
            print_message(str(error), fg="red", err=True)
            return None
        except SimulatorError as error:
            can_override = isinstance(error, DecisionMismatch)
            message = f"{error.summary}. Put ! before the line to send it anyway." if can_override else str(error)
            print_message(message, fg="red", err=True)
            return fallback

    async def _wait_with_progress(self, work: Awaitable[Step]) -> Step:
        """Wait for the next step and print how long a tool has been running; Ctrl-C cancels the call."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        with suppress(NotImplementedError):  # Windows: Ctrl-C then ends the session instead of the call
            loop.add_signal_handler(signal.SIGINT, self._cancel_running)
        try:
            waited, has_printed = 0, False
            while not (await asyncio.wait({task}, timeout=1))[0]:
                waited += 1
                if self._sim.running():
                    has_printed = True
                    print_progress(f"running for {waited} s; Ctrl-C cancels the call ")
            if has_printed:
                print_line(err=True)
            return await task
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)
            await self._print_new_entries()

    def _cancel_running(self) -> None:
        for call_id in self._sim.running():
            self._sim.cancel(call_id)

    async def _print_new_entries(self) -> None:
        for entry in self._sim.history():
            line = "" if _identify(entry) in self._printed else self._format_entry(entry)
            self._printed.add(_identify(entry))
            if line:
                print_document(line)

    def _format_entry(self, entry: HistoryEntry) -> TerminalText:
        return format_entry(entry)

    def _print_introduction(self, turn: ModelTurn) -> None:
        print_line()
        print_line(style(f"You are now the model of {turn.agent_name}. This is its instruction:", bold=True))
        print_document(turn.instruction)
        print_line()
        print_document(format_tools(turn))
        print_line()
        if not self._introduced_agents:
            print_document(f"{self.help_text}\n")

    def _export_finished(self) -> bool:
        """Export the finished user turns and print how many were left out. Returns whether a case was written."""
        if not self._sim.history():
            return False
        session = self._sim.session(self._eval_set)
        try:
            case = self._sim.export(self._eval_set, finished_only=True, criteria=self._criteria)
        except SessionIncomplete:
            print_line("Nothing was exported: no user turn has a final response.", err=True)
            return False
        except SimulatorError as error:
            print_document(f"Nothing was exported. {escape_message(str(error))}", err=True)
            return False
        finished = len(case.conversation or ())
        started = sum(entry.type == "user_query" for entry in session.history)
        note = f" ({finished} of {started} user turns; the others have no final response)" if finished < started else ""
        print_line()
        print_line(f"Exported {case.eval_id} to {self._eval_set}{note}")
        return True


class _DoneRequested(Exception):
    """The person typed /done."""


class _QuitRequested(Exception):
    """The person typed /quit: nothing is exported."""


def _identify(entry: HistoryEntry) -> tuple[object, ...]:
    return entry.type, entry.timestamp, getattr(entry, "call_id", "")


async def _send_decision(turn: ModelTurn, line: str) -> Step:
    force = line.startswith("!")
    line = line.removeprefix("!").strip()
    command, _, rest = line.partition(" ")
    if command == "/say" or (command == "say" and "say" not in turn.tools):
        return await turn.respond(rest.strip(), force=force)
    if command.startswith("/"):
        raise SimulatorError(f"There is no command {command}. Type /help for the commands.")
    return await turn.calls(parse_calls(line, read_tool_schemas(turn)), force=force)


def _list_completions(turn: ModelTurn) -> list[str]:
    """Return what Tab completes: tools, their arguments, commands."""
    arguments = [f"{name}=" for schema in read_tool_schemas(turn).values() for name in schema.get("properties", {})]
    return [
        *turn.tools,
        "say",
        *dict.fromkeys(arguments),
        "/tools",
        "/request",
        STATE_COMMAND,
        *TIME_TRAVEL_COMMANDS,
        "/help",
        "/done",
        "/quit",
    ]
