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

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from google.adk.apps import App
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from adk_agent_sim.adk.simulation.pause_steps import CredentialRequest, InputRequest
from adk_agent_sim.adk.simulation.run_settings import RunSettings
from adk_agent_sim.adk.simulation.simulation import Simulation
from adk_agent_sim.adk.simulation.steps import Confirmation, ModelTurn, Step, ToolTurn
from adk_agent_sim.environment.yaml_document import YamlUnreadable, read_yaml_file
from adk_agent_sim.errors import InvalidScript, SimulatorError
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import wrap_result
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.json_equality import equals_value

# Not None, which a script may write as a value, such as `approve: null`.
_UNSET: Any = object()


class ScriptedCall(BaseModel):
    """A tool call and the expected result."""

    model_config = ConfigDict(extra="forbid")

    call: str
    args: dict[str, Any] = Field(default_factory=dict)
    expect: Any = Field(
        default=_UNSET, description="What the model must get; a result that is not a dict is {result: ...}"
    )
    expect_error: str | None = Field(
        default=None, description="The class name of the exception that the tool must raise"
    )


class ScriptedStep(BaseModel):
    """One step; it has exactly one of user, call, calls, respond, approve, deny, tool, answer and sign_in."""

    model_config = ConfigDict(extra="forbid")

    user: Any = _UNSET
    call: str = ""
    args: dict[str, Any] = Field(default_factory=dict)
    expect: Any = _UNSET
    expect_error: str | None = None
    calls: list[ScriptedCall] = Field(default_factory=list[ScriptedCall])
    respond: Any = _UNSET
    approve: Any = _UNSET
    deny: Literal[True] | None = None
    tool: str = Field(default="", description="The tool that responds, which a person plays; args is what it must get")
    returns: Any = Field(default=_UNSET, description="What the tool returns")
    error: str | None = Field(default=None, description="The error that the tool returns")
    raises: str | None = Field(default=None, description="The class name of the exception that the tool raises")
    message: str = Field(default="", description="The message of the exception")
    answer: Any = Field(default=_UNSET, description="The input, or the credential, that a paused agent asks for")
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
        yield "user", self.user is not _UNSET
        yield "call", bool(self.call)
        yield "calls", bool(self.calls)
        yield "respond", self.respond is not _UNSET
        yield "approve", self.approve is not _UNSET
        yield "deny", self.deny is not None
        yield "tool", bool(self.tool)
        yield "answer", self.answer is not _UNSET
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


@dataclass(frozen=True, kw_only=True)
class Mismatch:
    """An expectation that was not met."""

    where: str
    """The step, such as `step 2: call add`."""

    expected: Json
    found: Json


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


async def play_script(
    app: App, script: Script, eval_set_path: Path | None = None, settings: RunSettings | None = None
) -> list[Mismatch]:
    """Play a script on the real agent.

    Args:
        app: The agent's app.
        script: The script.
        eval_set_path: The EvalSet to which the session is exported if there are no mismatches.
        settings: How the session is run and exported.

    Returns:
        The expectations that were not met; playing stops at a step that cannot be played.
    """
    settings = settings or RunSettings()
    async with settings.open_simulation(app, script.state) as sim:
        mismatches = [mismatch async for mismatch in _play_steps(sim, script)]
        if eval_set_path is not None and not mismatches:
            sim.export(eval_set_path, criteria=settings.criteria)
        return mismatches


@dataclass(frozen=True)
class _ExpectedResults:
    """What the calls of a step must have led to, once the tools among them that the script plays have responded."""

    where: str
    calls: Sequence[ScriptedCall]
    history_start: int

    def find_mismatches(self, sim: Simulation) -> list[Mismatch]:
        return list(_find_mismatches(self.where, self.calls, sim, self.history_start))


async def _play_steps(sim: Simulation, script: Script) -> AsyncIterator[Mismatch]:
    step: Step | None = None
    expected: list[_ExpectedResults] = []
    for number, scripted_step in enumerate(script.steps, start=1):
        where = f"step {number}: {scripted_step.title}"
        if mismatch := _find_wrong_turn(where, step, scripted_step):
            yield mismatch
            return
        # Before the step is played: its calls are those that the history gets from here on.
        expected.append(_ExpectedResults(where, scripted_step.all_calls, len(sim.history())))
        try:
            step = await _play_step(sim, step, scripted_step)
        except SimulatorError as error:
            yield Mismatch(where=where, expected=scripted_step.title, found=f"{type(error).__name__}: {error}")
            return
        # While a tool that the script plays waits for its response, the calls before it may have no results yet.
        if not isinstance(step, ToolTurn):
            for mismatch in [each for results in expected for each in results.find_mismatches(sim)]:
                yield mismatch
            expected.clear()
    for mismatch in [each for results in expected for each in results.find_mismatches(sim)]:
        yield mismatch
    state = to_json_value(await sim.state())
    actual = {key: state.get(key) for key in script.expect_state}
    if not equals_value(actual, script.expect_state):
        yield Mismatch(where="expect_state", expected=script.expect_state, found=actual)


def _find_wrong_turn(where: str, step: Step | None, scripted_step: ScriptedStep) -> Mismatch | None:
    """Return how what the agent waits for differs from what the step says about it."""
    tool = step.tool_name if isinstance(step, ToolTurn) else ""
    if scripted_step.tool and tool != scripted_step.tool:
        found = f"{step}" if step is not None else "nothing was called yet"
        return Mismatch(where=where, expected=f"a call of {scripted_step.tool} that waits for a person", found=found)
    if scripted_step.tool and isinstance(step, ToolTurn):
        if "args" in scripted_step.model_fields_set and not equals_value(dict(step.args), scripted_step.args):
            return Mismatch(where=where, expected={"args": scripted_step.args}, found={"args": dict(step.args)})
        owner = step.agent_name
    else:
        owner = _get_turn_owner(step)
    if scripted_step.agent and owner != scripted_step.agent:
        return Mismatch(where=where, expected={"agent": scripted_step.agent}, found={"agent": owner})
    return None


async def _play_step(sim: Simulation, step: Step | None, scripted_step: ScriptedStep) -> Step:
    if scripted_step.user is not _UNSET:
        return await sim.send(scripted_step.user, force=scripted_step.force)
    if step is None:
        raise SimulatorError("the first step of a script must be a user step")
    if scripted_step.respond is not _UNSET:
        return await step.respond(scripted_step.respond, force=scripted_step.force)
    if scripted_step.approve is not _UNSET:
        return await step.approve(scripted_step.approve)
    if scripted_step.deny:
        return await step.deny()
    if scripted_step.tool:
        return await _respond_as_tool(step, scripted_step)
    if scripted_step.answer is not _UNSET:
        return await step.answer(scripted_step.answer, force=scripted_step.force)
    if scripted_step.sign_in:
        return await step.sign_in()
    return await step.calls([(call.call, call.args) for call in scripted_step.all_calls], force=scripted_step.force)


async def _respond_as_tool(step: Step, scripted_step: ScriptedStep) -> Step:
    if scripted_step.raises is not None:
        return await step.raise_error(scripted_step.raises, scripted_step.message)
    if scripted_step.error is not None:
        return await step.give_error(scripted_step.error)
    return await step.give_result(scripted_step.returns, force=scripted_step.force)


def _find_mismatches(
    where: str, expected_calls: Sequence[ScriptedCall], sim: Simulation, history_start: int
) -> Iterator[Mismatch]:
    entries = sim.history()[history_start:]
    made = [entry.call_id for entry in entries if isinstance(entry, ToolCall)]
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    # Calls of later steps may follow in the history, when a tool of the script's had to respond first.
    for call, call_id in zip(expected_calls, made, strict=False):
        result = results.get(call_id)
        failed = result.error_type if isinstance(result, ToolError) else None
        if call.expect_error is not None and failed != call.expect_error:
            yield Mismatch(
                where=f"{where} ({call.call})", expected={"error": call.expect_error}, found=_get_response(result)
            )
        if call.expect is not _UNSET and not equals_value(_get_response(result), wrap_result(call.expect)):
            yield Mismatch(
                where=f"{where} ({call.call})", expected=wrap_result(call.expect), found=_get_response(result)
            )


def _get_response(result: ToolOutput | ToolError | None) -> Json:
    return result.response if result is not None else None


def _get_turn_owner(step: Step | None) -> str:
    if isinstance(step, ModelTurn):
        return step.agent_name
    if isinstance(step, ToolTurn):
        return f"tool {step.tool_name}"
    return "the user" if isinstance(step, Confirmation | InputRequest | CredentialRequest) else "nobody"
