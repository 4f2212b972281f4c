"""What a person sees and types in a terminal session where ADK asks the user for input or for a credential."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_agent_sim.adk.steps.steps import CredentialRequest, InputRequest, Step
from adk_agent_sim.cli.play.call_parsing import parse_value
from adk_agent_sim.cli.play.prompts import Prompts
from adk_agent_sim.cli.play.terminal_format import format_type
from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.text.terminal_output import print_line, print_message, style
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

PAUSE_HELP = """\
  VALUE                     give the input: a JSON value, text, or name=value ...
  !LINE                     send LINE although it does not match the schema of the request
  sign in                   simulate that the user has signed in, where a credential is asked for
"""

SIGN_IN = "sign in"

_YES_NO = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}
"""How a person says yes and no."""


def print_input_request(request: InputRequest) -> None:
    """Print what the user is asked for."""
    print_line()
    print_line(style("You are the user. The agent asks for input:", bold=True))
    if request.message:
        print_message(f"  {request.message}")
    if request.payload is not None:
        print_message(f"  {json.dumps(request.payload, ensure_ascii=False)}")
    schema = request.response_schema or {}
    print_message(f"  expects {format_type(schema, schema) if schema else 'any value'}")


async def send_input(request: InputRequest, line: str) -> Step:
    """Send what a person typed as the input, and return the next step.

    Raises:
        InvalidCallSyntax: The line is not a value of the kind that is asked for.
        InvalidInput: The value does not match the schema of the request.
    """
    force = line.startswith("!")
    return await request.answer(_parse_input(line.removeprefix("!").strip(), request.response_schema), force=force)


def parse_yes_no(line: str) -> bool | None:
    """Return what a person means by yes or no; None if it is neither."""
    return _YES_NO.get(line.strip().lower())


def _parse_input(line: str, schema: Mapping[str, Any] | None) -> Json:
    if schema is None or schema.get("type") == "string":
        # A text is what was typed; quotes around it are JSON's.
        return parse_json(line) if len(line) > 1 and line[0] == line[-1] == '"' else line
    if schema.get("type") != "boolean":
        return parse_value(line, schema)
    if (answer := parse_yes_no(line)) is not None:
        return answer
    try:
        return parse_json(line)
    except InvalidJson:
        raise InvalidCallSyntax("Write true or false; yes and no also work.") from None


def print_credential_request(request: CredentialRequest) -> None:
    """Print which credential the user is asked for."""
    print_line()
    print_line(style(f"You are the user. The agent asks for a credential: {request.form.title}", bold=True))
    if request.form.auth_uri:
        print_message(f"  sign in at {request.form.auth_uri}")
    print_message("  What you type is not shown and not recorded; leave a field empty to skip it.")


def ask_credential(request: CredentialRequest, prompts: Prompts) -> dict[str, str]:
    """Ask for the fields of the auth scheme, one by one, without showing them; returns those that are given."""
    names = list(cast("Mapping[str, Any]", request.form.schema["properties"]))
    given = {name: prompts.ask_secret(style(f"{name}> ", fg="cyan")).strip() for name in names}
    return {name: value for name, value in given.items() if value}
