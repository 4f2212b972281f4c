"""What a person sees and types in a terminal session where they play a tool (`mock: human`)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from adk_agent_sim.adk.steps.steps import Step, ToolTurn
from adk_agent_sim.cli.play.call_parsing import parse_value
from adk_agent_sim.cli.play.terminal_format import format_type
from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.text.terminal_output import print_line, print_message, style
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

TOOL_HELP = """\
  VALUE                     return a JSON value; an object also as name=value ...
  error TEXT                return {"error": TEXT}
  raise TYPE [TEXT]         raise an exception, such as raise TimeoutError no answer
  !LINE                     send LINE although it does not match the tool's output schema
"""

TOOL_WORDS = ("error", "raise", "/undo", "/help", "/quit")
"""What Tab completes."""

_CLASS_NAME = re.compile(r"[A-Za-z_]\w*")


def print_tool_call(turn: ToolTurn) -> None:
    """Print the call that a person must respond to as its tool."""
    call = f"{turn.tool_name}({json.dumps(dict(turn.args), ensure_ascii=False)})"
    print_line()
    print_line(style(f"You are now a tool of {turn.agent_name}. It is called: {call}", bold=True))
    description = turn.tool_request.asked.description.strip()
    if description:
        print_message(f"  {description.splitlines()[0]}")
    schema = _read_schema(turn)
    expected = format_type(schema, schema) if schema else "any JSON value"
    print_message(f"  returns {expected}")


async def send_tool_response(turn: ToolTurn, line: str) -> Step:
    """Send what a person typed as the response of a tool, and return the next step.

    Raises:
        InvalidCallSyntax: The line is not a value, nor a command.
        InvalidToolResult: The value does not match the tool's output schema.
    """
    force = line.startswith("!")
    line = line.removeprefix("!").strip()
    command, _, rest = line.partition(" ")
    if command == "error" and rest.strip():
        return await turn.give_error(rest.strip())
    if command == "raise" and rest.strip():
        error_type, _, message = rest.strip().partition(" ")
        if not _CLASS_NAME.fullmatch(error_type):
            raise InvalidCallSyntax(f"{error_type!r} is not the name of an exception: write raise TimeoutError TEXT.")
        return await turn.raise_error(error_type, message.strip())
    if command.startswith("/"):
        raise InvalidCallSyntax(f"There is no command {command} for a tool. Type /help for the commands.")
    return await turn.give_result(_parse_result(line, _read_schema(turn)), force=force)


def _read_schema(turn: ToolTurn) -> dict[str, Any]:
    """Return the output schema of the tool; an empty one if it declares none."""
    return cast("dict[str, Any]", turn.response_schema or {})


def _parse_result(line: str, schema: Mapping[str, Any]) -> Json:
    if schema.get("type") == "string":
        with suppress(InvalidJson):
            return parse_json(line)
        return line
    return parse_value(line, schema, ", or error TEXT to return an error")
