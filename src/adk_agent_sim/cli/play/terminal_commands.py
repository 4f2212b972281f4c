"""The commands of a terminal session on its state and its past: /state, /turns, /undo, /redo, /fork."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from adk_agent_sim.errors import ForkRefused, InvalidCallSyntax, ReplayDiverged
from adk_agent_sim.text.terminal_output import print_json, print_line, print_message
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, TurnDecided
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json, parse_json_object
from adk_agent_sim.timeline.turn_prefix import list_turns
from adk_agent_sim.timeline.undone_events import remove_undone_events

if TYPE_CHECKING:
    from adk_agent_sim.adk.steps.steps import Step
    from adk_agent_sim.simulation.simulation import Simulation
    from adk_agent_sim.use_cases.time_travel import TimeTravelPlan


TIME_TRAVEL_COMMANDS = ("/turns", "/undo", "/redo", "/fork")

TIME_TRAVEL_HELP = """\
  /undo  /redo              undo the last decision; redo it
  /turns  /fork N           list the turns with their numbers; continue a copy of the session from turn N
"""

_MAX_TEXT_LENGTH = 80


def describe_turns(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the turns of a session: number, id, agent, player and decision, which are empty before it is decided."""
    counting = remove_undone_events(events)
    decisions = {event.turn_id: event for event in counting if isinstance(event.payload, TurnDecided)}
    return [
        {
            "turn": number,
            "turn_id": asked.turn_id,
            "agent": asked.agent_name,
            "player": _get_player(decisions.get(asked.turn_id)),
            "decision": _summarize_decision(decisions.get(asked.turn_id)),
        }
        for number, asked in enumerate(list_turns(counting), start=1)
    ]


def print_turns(events: Sequence[Event]) -> None:
    """Print one line per turn."""
    for turn in describe_turns(events):
        decision = turn["decision"] or "(waits for a decision)"
        player = f" ({turn['player']})" if turn["player"] else ""
        print_line(f"  {turn['turn']:>3}  {turn['agent']}{player}: {decision}")


def print_plan(plan: TimeTravelPlan) -> None:
    """Print what a fork does, above all which callbacks run again."""
    print_line(
        f"  {plan.copied_runs} runs are copied; {plan.replayed_turns} decisions and {plan.replayed_calls} tool results "
        "are replayed. No tool runs again."
    )
    for callback in plan.callbacks:
        print_line(f"  runs again: {callback}")


def print_wait(waits_for: str) -> None:
    """Print what a replay waits for; an empty text says that it goes on."""
    print_line(f"  waiting for {waits_for}" if waits_for else "  it goes on", err=True)


async def run_time_travel_command(sim: Simulation, line: str) -> tuple[Simulation, Step]:
    """Carry out /undo, /redo or /fork; returns the simulation to continue with, and its next step.

    Raises:
        ForkRefused: That is not possible; the message says what to do.
    """
    from adk_agent_sim.adk.runs.replay_watch import watch_replays

    command, *words = line.split()
    force = "force" in words
    try:
        with watch_replays(on_wait=print_wait):
            if command == "/fork":
                number = _read_number(words)
                print_plan(await sim.plan_fork(number))
                sim = await sim.fork(number, force=force)
                print_message(f"This is a new session, which continues from turn {number}.", fg="cyan")
                return sim, await sim.next()
            return sim, await (sim.undo(force=force) if command == "/undo" else sim.redo(force=force))
    except ReplayDiverged as error:
        advice = f"Type `{line} force` to continue anyway."
        raise ForkRefused(f"The replay differs from the recording: {error.difference}. {advice}") from error


def _read_number(words: Sequence[str]) -> int:
    if not words or not words[0].isdecimal():
        raise ForkRefused("Type the number of a turn, such as /fork 2. /turns lists them.")
    return int(words[0])


def _get_player(decided: Event | None) -> str:
    return str(decided.player or "") if decided is not None else ""


def _summarize_decision(decided: Event | None) -> str:
    """Return a decision in one line: its calls and texts."""
    if decided is None or not isinstance(decided.payload, TurnDecided):
        return ""
    content = cast("Mapping[str, Any]", decided.payload.response.get("content") or {})
    said: list[str] = []
    for part in cast("Sequence[Mapping[str, Any]]", content.get("parts") or ()):
        if call := part.get("function_call"):
            said.append(f"{call.get('name')}({json.dumps(call.get('args') or {}, ensure_ascii=False)})")
        elif part.get("text") and not part.get("thought"):
            said.append(str(part["text"]))
    text = " ".join(", ".join(said).split()) or str(decided.payload.response.get("error_code") or "")
    return text if len(text) <= _MAX_TEXT_LENGTH else f"{text[: _MAX_TEXT_LENGTH - 1]}…"


STATE_COMMAND = "/state"
STATE_HELP = "  /state [KEY=VALUE]        show the session state; set a key of it (also as JSON)\n"


async def run_state_command(sim: Simulation, line: str) -> None:
    """Carry out `/state`, `/state KEY=VALUE` or `/state {"KEY": VALUE}`.

    Raises:
        InvalidCallSyntax: The line is none of these.
        InvalidTransition: A run is going on that waits for no decision.
    """
    text = line.removeprefix(STATE_COMMAND).strip()
    if text:
        changes = _parse_changes(text)
        await sim.set_state(changes)
        print_line(f"  Set {', '.join(changes)}.")
        return
    print_json(to_json_value(await sim.state()))
    if missing := await sim.find_missing_keys():
        print_line(f"  The instructions need {', '.join(missing)} too: {STATE_COMMAND} {missing[0]}=VALUE")


async def offer_missing_state(sim: Simulation, read_line: Callable[[str], str], *, is_interactive: bool) -> None:
    """Say which keys of the state the instructions need before the session begins, and ask for them.

    Args:
        sim: The session.
        read_line: Reads a line, after a prompt.
        is_interactive: Whether a person can be asked; otherwise lines that were prepared would be taken for values.
    """
    missing = await sim.find_missing_keys()
    if not missing:
        return
    names = ", ".join(missing)
    if not is_interactive:
        example = shlex.quote(json.dumps(dict.fromkeys(missing, "VALUE")))
        print_line(f"The state has no {names}, which the instructions need. Start with --state {example}.", err=True)
        return
    print_line(f"The instructions need {names} in the session state. Type a value, or Enter for none:")
    for key in missing:
        if value := read_line(key):
            await sim.set_state({key: _parse_state_value(value)})


def _parse_state_value(text: str) -> Json:
    try:
        return parse_json(text)
    except InvalidJson:
        return text.strip()


def _parse_changes(text: str) -> dict[str, Json]:
    if text.startswith("{"):
        try:
            return parse_json_object(text)
        except InvalidJson as error:
            raise InvalidCallSyntax(f"This cannot be parsed: {error}. Write {STATE_COMMAND} mood=calm.") from None
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise InvalidCallSyntax(f"Write {STATE_COMMAND} KEY=VALUE, such as {STATE_COMMAND} mood=calm.")
    return {key.strip(): _parse_state_value(value)}
