"""The command `/state` of a terminal session: shows the session state, and sets keys of it."""

from __future__ import annotations

from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.errors import InvalidCallSyntax
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


def _parse_changes(text: str) -> dict[str, Json]:
    if text.startswith("{"):
        try:
            return parse_json_object(text)
        except InvalidJson as error:
            raise InvalidCallSyntax(f"This is no JSON object: {error}. Write {STATE_COMMAND} mood=calm.") from None
    key, separator, value = text.partition("=")
    if not separator or not key.strip():
        raise InvalidCallSyntax(f"Write {STATE_COMMAND} KEY=VALUE, such as {STATE_COMMAND} mood=calm.")
    try:
        return {key.strip(): parse_json(value)}
    except InvalidJson:
        return {key.strip(): value.strip()}
