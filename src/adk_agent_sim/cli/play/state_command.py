"""The session state in a terminal session: the command `/state`, and the keys that are missing at the start."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable

from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.simulation.simulation import Simulation
from adk_agent_sim.text.terminal_output import print_json, print_line
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json, parse_json_object

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
            await sim.set_state({key: _parse_value(value)})


def _parse_value(text: str) -> Json:
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
    return {key.strip(): _parse_value(value)}
