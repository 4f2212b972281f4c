"""What a person sees and types in a terminal session as the model, as a tool, and as the user that ADK asks.

Formats tools, requests and history entries, and parses tool calls, responses of tools (`mock: human`) and the user's
answers to requests for input or for a credential.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from adk_agent_sim.adk.steps.steps import CredentialRequest, InputRequest, ModelTurn, Step, ToolTurn
from adk_agent_sim.cli.play.prompts import Prompts
from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.forms.json_schema import JsonSchema, read_parameters_schema
from adk_agent_sim.text.escaping import escape_message
from adk_agent_sim.text.terminal_output import (
    TerminalText,
    join_text,
    make_document,
    print_line,
    print_message,
    stack_lines,
    style,
)
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, parse_json, parse_json_at, parse_json_object

_ARGUMENT_NAME = re.compile(r"\s*([^\s=]+)=")
_WORD = re.compile(r"'([^']*)'|(\S*)")
_PAIR = re.compile(r"[A-Za-z_][\w.-]*=")
_CALL_LIST = '[["add", {"a": 1, "b": 2}], ["add", {"a": 3, "b": 4}]]'


def parse_calls(line: str, schemas: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, dict[str, Json]]]:
    """Parse one line.

    Args:
        line: What the person typed.
        schemas: The JSON Schemas of the tools' arguments, by tool name.

    Returns:
        The name and arguments of each call.

    Raises:
        InvalidCallSyntax: The line is not a call.
    """
    if line.startswith("["):
        return _parse_call_list(line)
    name, _, rest = line.partition(" ")
    rest = rest.strip()
    if rest.startswith("{"):
        return [(name, _parse_json_object(rest))]
    if rest and name not in schemas and not _ARGUMENT_NAME.match(rest):
        raise InvalidCallSyntax(f"There is no tool {name!r} here. To send this text as the answer, write: say {line}")
    properties = cast("Mapping[str, Mapping[str, Any]]", schemas.get(name, {}).get("properties", {}))
    return [(name, parse_pairs(rest, properties))]


def _parse_call_list(line: str) -> list[tuple[str, dict[str, Json]]]:
    try:
        calls = parse_json(line, max_depth=MAX_DEPTH)
    except InvalidJson as error:
        raise InvalidCallSyntax(f"Write several calls as a JSON list, such as {_CALL_LIST}: {error}") from None
    try:
        return [(str(name), dict(args)) for name, args in calls]
    except (ValueError, TypeError):
        raise InvalidCallSyntax(f"Write several calls as a JSON list, such as {_CALL_LIST}") from None


def _parse_json_object(text: str) -> dict[str, Json]:
    try:
        return parse_json_object(text, max_depth=MAX_DEPTH)
    except InvalidJson as error:
        raise InvalidCallSyntax(f"The arguments are not a JSON object: {error}") from None


def parse_pairs(rest: str, properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Json]:
    """Parse arguments written as `a=1 b="two words" c={"d": [1]}`."""
    arguments: dict[str, Json] = {}
    position = 0
    while position < len(rest):
        name = _ARGUMENT_NAME.match(rest, position)
        if name is None:
            word = rest[position:].split(maxsplit=1)[0]
            raise InvalidCallSyntax(
                f"{word!r} is not an argument: write name=value, or the arguments as a JSON object."
            )
        arguments[name[1]], position = _parse_value(rest, name.end(), properties.get(name[1], {}))
        while position < len(rest) and rest[position].isspace():
            position += 1
    return arguments


def parse_value(line: str, schema: Mapping[str, Any], hint: str = "") -> Json:
    """Parse a value: JSON, or an object as `name=value ...`; `hint` ends the message if it is neither."""
    try:
        return parse_json(line)
    except InvalidJson as error:
        if _PAIR.match(line):
            return parse_pairs(line, schema.get("properties", {}))
        raise InvalidCallSyntax(f"This cannot be parsed: {error}. Write a JSON value or name=value{hint}.") from None


def _parse_value(rest: str, start: int, schema: Mapping[str, Any]) -> tuple[Json, int]:
    """Parse the value at `start`; returns it and the position after it.

    A value is JSON or a single word. For a field of type string a word is never parsed as JSON: 5 is the text "5".
    """
    if rest[start : start + 1] in ("{", "[", '"'):
        try:
            return parse_json_at(rest, start, max_depth=MAX_DEPTH)
        except InvalidJson as error:
            raise InvalidCallSyntax(f"{rest[start:][:200]!r} is not JSON: {error}") from None
    word = cast("re.Match[str]", _WORD.match(rest, start))
    if word[1] is not None or schema.get("type") == "string":
        return word[1] if word[1] is not None else word[2], word.end()
    try:
        return parse_json(word[2]), word.end()
    except InvalidJson:
        return word[2], word.end()


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


_TYPE_NAMES = {"string": "text", "integer": "int", "number": "number", "boolean": "true|false", "null": "null"}
_MAX_RESULT_LENGTH = 400


def read_tool_schemas(turn: ModelTurn) -> dict[str, JsonSchema]:
    """Return the argument schemas of the tools of a turn, by tool name."""
    return {name: read_parameters_schema(tool.model_dump(exclude_none=True)) for name, tool in turn.tools.items()}


def format_tools(turn: ModelTurn) -> TerminalText:
    """Return one line per tool of the turn."""
    if not turn.tools:
        return make_document("  There are no tools. Answer with say TEXT.")
    schemas = read_tool_schemas(turn)
    return stack_lines(_format_tool(name, schemas[name], tool.description or "") for name, tool in turn.tools.items())


def format_tool_details(turn: ModelTurn, name: str) -> str:
    """Return the description and the full schema of one tool."""
    if name not in turn.tools:
        return f"  There is no tool {name!r}. The tools are: {', '.join(turn.tools)}."
    schema = json.dumps(read_tool_schemas(turn)[name], indent=2, ensure_ascii=False)
    return f"{turn.tools[name].description or ''}\n{schema}"


def format_request(turn: ModelTurn) -> TerminalText:
    """Return the request as the model would get it: instruction, tools, conversation."""
    contents = json.dumps(to_json_value(turn.request.contents), indent=2, ensure_ascii=False)
    return stack_lines([make_document(turn.instruction), "", format_tools(turn), "", make_document(contents)])


def format_entry(history_entry: HistoryEntry) -> TerminalText:
    """Return a history entry as one line; empty for entries that the person has just typed."""
    match history_entry:
        case ToolCall():
            arguments = json.dumps(history_entry.arguments, ensure_ascii=False)
            return join_text("  ", style("call", fg="yellow"), f"    {history_entry.tool_name} {arguments}")
        case ToolOutput():
            duration = f"({history_entry.duration_ms:.0f} ms)"
            result = _format_result(history_entry.result)
            return join_text("  ", style("result", fg="green"), f"  {result}  {duration}")
        case ToolError():
            message = escape_message(f"{history_entry.error_type}: {history_entry.error_message}")
            return join_text("  ", style("Tool Error", fg="red"), "  ", make_document(message))
        case FinalResponse(content="", raw=raw) if _has_only_results(raw):
            return TerminalText()  # the run waits for the user after a call: its result was printed
        case FinalResponse():
            answer = make_document(f"  {escape_message(history_entry.content)}\n\n")
            return join_text("  ", style("answer", fg="blue"), answer)
        case _:
            return TerminalText()


def _has_only_results(content: Json) -> bool:
    parts = get_parts(content)
    return bool(parts) and all("function_response" in part for part in parts)


def _format_tool(name: str, schema: JsonSchema, description: str) -> TerminalText:
    first = description.strip().splitlines()[0] if description.strip() else ""
    return join_text("  ", style(name, bold=True), f"({_format_fields(schema, schema)})  {first}".rstrip())


def _format_fields(schema: JsonSchema, root: JsonSchema) -> str:
    required = cast("list[str]", schema.get("required", []))
    properties = cast("Mapping[str, JsonSchema]", schema.get("properties", {}))
    return ", ".join(
        f"{name}{'' if name in required else '?'}: {format_type(field, root)}" for name, field in properties.items()
    )


def format_type(schema: Mapping[str, Any], root: JsonSchema, depth: int = 0) -> str:
    """Return an abbreviated type; `/tools NAME` shows the full schema of a tool's arguments."""
    schema = _resolve_definition(schema, root)
    if depth > 3:
        return "..."
    if "enum" in schema:
        return "|".join(str(choice) for choice in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(format_type(variant, root, depth + 1) for variant in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{format_type(schema.get('items', {}), root, depth + 1)}]"
    if "properties" in schema:
        inner = (f"{name}: {format_type(field, root, depth + 1)}" for name, field in schema["properties"].items())
        return f"{{{', '.join(inner)}}}"
    types = schema.get("type", "any")
    return _TYPE_NAMES.get(types, str(types)) if isinstance(types, str) else " or ".join(map(str, types))


def _resolve_definition(schema: Mapping[str, Any], root: JsonSchema) -> Mapping[str, Any]:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return root.get("$defs", {}).get(name, {}) if name else schema


def _format_result(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_RESULT_LENGTH else f"{text[:_MAX_RESULT_LENGTH]}... ({len(text)} characters)"
