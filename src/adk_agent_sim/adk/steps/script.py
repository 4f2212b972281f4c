"""Scripts: a session as a YAML or JSON file with messages, decisions and expectations, played without a person.

state: {customer: Ada}              # optional: the initial session state
steps:
  - user: What is 2+2?
  - call: add
    args: {a: 2, b: 2}
    expect: {result: 4}             # the response that the model must get
  - calls:                          # several in one turn
      - {call: add, args: {a: 1, b: 1}}
      - {call: divide, args: {dividend: 1, divisor: 0}, expect_error: ZeroDivisionError}
  - respond: The answer is 4        # text, or data for an output_schema
    agent: math_agent               # optional: whose turn it must be
  - approve: {amount: 5}            # consent, with a payload or null; `deny: true` refuses
  - tool: add                       # the response of a tool that a person plays (`mock: human`)
    returns: 4                      # or `error: TEXT`, or `raises: TimeoutError` with a `message`
  - answer: {city: Rome}            # the input that a workflow asks for, or the fields of a credential
  - sign_in: true                   # a credential: simulate that the user has signed in
expect_state: {orders: {}}          # optional: what the state must contain at the end
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from adk_agent_sim.environment.yaml_document import YamlUnreadable, read_yaml_file
from adk_agent_sim.errors import InvalidScript

# Not None, which a script may write as a value, such as `approve: null`.
UNSET: Any = object()


class ScriptedCall(BaseModel):
    """A tool call and the expected result."""

    model_config = ConfigDict(extra="forbid")

    call: str
    args: dict[str, Any] = Field(default_factory=dict)
    expect: Any = Field(
        default=UNSET, description="What the model must get; a result that is not a dict is {result: ...}"
    )
    expect_error: str | None = Field(
        default=None, description="The class name of the exception that the tool must raise"
    )


class ScriptedStep(BaseModel):
    """One step; it has exactly one of user, call, calls, respond, approve, deny, tool, answer and sign_in."""

    model_config = ConfigDict(extra="forbid")

    user: Any = UNSET
    call: str = ""
    args: dict[str, Any] = Field(default_factory=dict)
    expect: Any = UNSET
    expect_error: str | None = None
    calls: list[ScriptedCall] = Field(default_factory=list[ScriptedCall])
    respond: Any = UNSET
    approve: Any = UNSET
    deny: Literal[True] | None = None
    tool: str = Field(default="", description="The tool that responds, which a person plays; args is what it must get")
    returns: Any = Field(default=UNSET, description="What the tool returns")
    error: str | None = Field(default=None, description="The error that the tool returns")
    raises: str | None = Field(default=None, description="The class name of the exception that the tool raises")
    message: str = Field(default="", description="The message of the exception")
    answer: Any = Field(default=UNSET, description="The input, or the credential, that a paused agent asks for")
    sign_in: Literal[True] | None = None
    agent: str = Field(default="", description="Whose turn it must be")
    force: bool = Field(default=False, description="Send it although it does not fit")

    @model_validator(mode="after")
    def _check_one_verb(self) -> Self:
        verbs = [verb for verb, given in self._iter_verbs() if given]
        if len(verbs) != 1:
            names = ", ".join(verb for verb, _ in self._iter_verbs())
            had = f"has {' and '.join(verbs)}" if verbs else "has none of them"
            raise ValueError(f"a step has exactly one of {names}; this one {had}")
        return self

    @model_validator(mode="after")
    def _check_response(self) -> Self:
        given = [name for name in ("returns", "error", "raises") if name in self.model_fields_set]
        if not self.tool and (given or self.message):
            raise ValueError(f"{given[0] if given else 'message'} belongs to a step with `tool`")
        if self.tool and len(given) != 1:
            raise ValueError("a step with `tool` has exactly one of returns, error, raises")
        if self.message and self.raises is None:
            raise ValueError("message belongs to raises")
        return self

    def _iter_verbs(self) -> Iterator[tuple[str, bool]]:
        yield "user", self.user is not UNSET
        yield "call", bool(self.call)
        yield "calls", bool(self.calls)
        yield "respond", self.respond is not UNSET
        yield "approve", self.approve is not UNSET
        yield "deny", self.deny is not None
        yield "tool", bool(self.tool)
        yield "answer", self.answer is not UNSET
        yield "sign_in", self.sign_in is not None

    @property
    def all_calls(self) -> list[ScriptedCall]:
        """The calls of the step, one or several."""
        if not self.call:
            return self.calls
        return [ScriptedCall(call=self.call, args=self.args, expect=self.expect, expect_error=self.expect_error)]

    @property
    def title(self) -> str:
        """The step in one or two words, for messages."""
        verb = next(verb for verb, given in self._iter_verbs() if given)
        return f"{verb} {self.call or self.tool}" if verb in ("call", "tool") else verb


class Script(BaseModel):
    """A whole session."""

    model_config = ConfigDict(extra="forbid")

    state: dict[str, Any] = Field(default_factory=dict)
    steps: list[ScriptedStep] = Field(min_length=1)
    expect_state: dict[str, Any] = Field(default_factory=dict)


def read_script(path: Path) -> Script:
    """Read a script from a YAML or JSON file; raise InvalidScript, which says where it is wrong."""
    try:
        document = read_yaml_file(path)
    except YamlUnreadable as error:
        raise InvalidScript(str(path), f"line {error.line}: {error}") from None
    for key_path, line in document.duplicate_keys:
        raise InvalidScript(str(path), f"line {line}: the key {key_path[-1]!r} is duplicated; keep one of the entries")
    try:
        return Script.model_validate(document.value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise InvalidScript(str(path), f"{where}: {first['msg']}" if where else first["msg"]) from None
