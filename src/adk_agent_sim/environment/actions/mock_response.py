"""The action `mock`: responds with a value that is generated, recorded, or given by a person, in place of the tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from adk_agent_sim.environment.actions.action import Action, MockedCall, RuleExecution, list_visible_calls
from adk_agent_sim.environment.incoming_call import is_success
from adk_agent_sim.environment.json_values import StrictModel, copy_value
from adk_agent_sim.errors import MockImpossible, RuleFailed
from adk_agent_sim.mocks.llm_mock import LlmResponseValue, ModelChoice
from adk_agent_sim.mocks.llm_questions import SimulatedCall
from adk_agent_sim.mocks.mocked_call import KeyedDraws, ResourceOperation, ToolSpec
from adk_agent_sim.mocks.replay_mock import LiveCall, ReplayedResponse, ReplayMock, ReplaySource
from adk_agent_sim.mocks.resource_store import ToolRole, declare_role, infer_role, list_created_nouns
from adk_agent_sim.mocks.schema_mock import MockedResponse, get_schema_mock
from adk_agent_sim.mocks.stateful_mock import StatefulMock
from adk_agent_sim.mocks.tool_results import unwrap_result, wrap_mcp_result
from adk_agent_sim.timeline.canonical_json import Json, normalize_value
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import dump_json


def find_replayed_response(execution: RuleExecution, source: ReplaySource) -> ReplayedResponse:
    """Return the recorded response to a call; asked again for the same call, the same one.

    Raises:
        MockImpossible: No recorded call is meant, or it is not certain which.
    """
    call, mock = execution.call, execution.replays.get_mock(source)
    _observe_earlier_calls(execution, mock)
    defaults = call.caller.get_argument_defaults()
    # As the model requested them: a recording does not have what callbacks have made of them.
    args: dict[str, Json] = normalize_value(to_json_value({**defaults, **call.record.args}))
    return mock.respond(call.record, LiveCall(tool=call.tool, agent=call.agent, args=args, defaults=defaults))


def give_response(execution: RuleExecution, replayed: ReplayedResponse) -> object:
    """Return the response, or raise the exception that the tool raised."""
    kind, _, message = replayed.call.error.partition(": ")
    if kind and execution.knows_exception(kind):
        raise execution.build_exception(kind, message)
    return copy_value(dict(replayed.response))


def describe_replayed(replayed: ReplayedResponse) -> str:
    """Return which recorded call answers."""
    return replayed.call.reference + (", found with ids renamed" if replayed.is_renamed else "")


def _observe_earlier_calls(execution: RuleExecution, mock: ReplayMock) -> None:
    """Show the mock the calls that it has not answered: by other rules and real tools, or in another process."""
    history, record = execution.call.caller.get_call_history(), execution.call.record
    new = [
        call
        for tool in history.get_called_tools()
        for call in history.iter_visible_calls(record, tool)
        if not mock.has_seen(call)
    ]
    for call in sorted(new, key=lambda each: (each.answer_position, each.turn_position)):
        args: dict[str, Json] = normalize_value(to_json_value(dict(call.args)))
        live = LiveCall(tool=call.tool, agent=call.agent, args=args, defaults={})
        mock.observe(call, live, to_json_value(call.response), is_error=not is_success(call.response))


_NORMAL_TYPES = frozenset({str, int, bool, type(None)})
_PLAIN_TYPES = _NORMAL_TYPES | {float}
_DEFAULT_DEADLINE = 60.0
DEFAULT_MODEL = "gemini-flash-latest"
"""The model that responds if neither the rules nor Python code name one."""

MODEL_SETTINGS = frozenset(
    {
        *("temperature", "top_p", "top_k", "max_output_tokens", "stop_sequences", "seed"),
        *("presence_penalty", "frequency_penalty", "thinking_config", "safety_settings", "labels", "service_tier"),
    }
)
"""The settings of a model that rules may have: none that says where a request, with its key, is sent."""


class ResourceDeclaration(StrictModel):
    """What a tool does with the resources of a session, where its name and arguments do not say."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    operation: Literal["create", "get", "update", "list", "search", "delete"] | None = Field(
        default=None, description="What the tool does"
    )
    resource: str | None = Field(default=None, description="The kind of resource, in the singular, such as order")
    id: str | None = Field(default=None, description="The argument with the id of the resource")

    @model_validator(mode="after")
    def _require_a_declaration(self) -> Self:
        if self.operation is None and self.resource is None and self.id is None:
            raise ValueError("give operation, resource or id")
        return self


class Mock(Action):
    """Responds with a value that is generated for the call, or that a person gives."""

    key: ClassVar[str] = "mock"
    gives_result: ClassVar[bool] = True
    replaces_result: ClassVar[bool] = True

    mock: Literal["schema", "stateful", "llm", "replay", "human"] = Field(
        description="How the response is generated; schema: from the tool's results, its name and the arguments; "
        "stateful: also from what earlier calls of the session have created; llm: by a model; "
        "replay: as recorded in a file; human: a person gives it"
    )
    declare: ResourceDeclaration | None = Field(
        default=None, description="With stateful: what the tool does, where its name and arguments do not say"
    )

    model: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="With llm: the name of the model, as ADK knows it; gemini-flash-latest by default",
    )
    settings: dict[str, Any] | None = Field(
        default=None, description="With llm: settings of the model, as in GenerateContentConfig: {temperature: 0}"
    )
    answers: str | None = Field(
        default=None,
        min_length=1,
        description="With llm: a file of recorded answers, relative to the rules file, instead of the model",
    )
    deadline: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="With llm: how many seconds a response may take; 60 by default",
    )

    source: str | None = Field(
        default=None,
        min_length=1,
        validation_alias="from",
        serialization_alias="from",
        description="With replay: the recording, relative to the rules file; an EvalSet, session, timeline or cassette",
    )
    case: str | None = Field(
        default=None, description="With replay: the case or session of the file, if it has several"
    )

    _folder: Path = PrivateAttr(default_factory=Path)
    _replayed: ReplaySource | None = PrivateAttr(default=None)
    _recording_problem: str = PrivateAttr(default="recordings are read for rules files on disk and in Python only")

    def locate_files(self, folder: Path) -> None:
        """Let relative paths start at the folder of the rules file."""
        if self.answers is not None:
            self._folder = folder

    @model_validator(mode="after")
    def _check_recording(self) -> Self:
        if (self.mock == "replay") != (self.source is not None):
            raise ValueError("`mock: replay` needs `from: FILE`, and no other mock has it")
        if self.case is not None and self.mock != "replay":
            raise ValueError("case belongs to `mock: replay`")
        return self

    @model_validator(mode="after")
    def _check_parts(self) -> Self:
        if self.declare is not None and self.mock != "stateful":
            raise ValueError("declare belongs to `mock: stateful`")
        given = [name for name in ("model", "settings", "answers", "deadline") if getattr(self, name) is not None]
        if given and self.mock != "llm":
            raise ValueError(f"{given[0]} belongs to `mock: llm`")
        if unknown := sorted(set(self.settings or ()) - MODEL_SETTINGS):
            raise ValueError(f"settings cannot have {unknown[0]!r}; it can have {', '.join(sorted(MODEL_SETTINGS))}")
        return self

    @property
    def is_random(self) -> bool:
        """Whether it draws random numbers; a model, a recording and a person do not."""
        return self.mock not in ("llm", "replay", "human")

    @property
    def choice(self) -> ModelChoice:
        """Which model responds, and how."""
        return ModelChoice(
            model=self.model or "",
            settings=dump_json(self.settings) if self.settings else "",
            answers=str(self._folder / self.answers) if self.answers else "",
            deadline=self.deadline or _DEFAULT_DEADLINE,
        )

    @property
    def asks_person(self) -> bool:
        """Whether a person responds."""
        return self.mock == "human"

    @property
    def replayed(self) -> ReplaySource | None:
        """The recording, once it was read."""
        return self._replayed

    @property
    def recording_problem(self) -> str:
        """Why there is no recording to replay; empty if there is one, or none is needed."""
        return self._recording_problem if self.mock == "replay" and self._replayed is None else ""

    def use_recording(self, source: ReplaySource) -> None:
        """Respond from a recording, which was read."""
        self._replayed = source

    def refuse_recording(self, reason: str) -> None:
        """Remember why the recording cannot be read."""
        self._recording_problem = reason

    @property
    def created_resource(self) -> str:
        """The kind of resource that the rules declare the tool to create; empty if they do not."""
        declared = self.declare
        return (declared.resource or "") if declared is not None and declared.operation == "create" else ""

    async def apply(self, execution: RuleExecution, result: object) -> object:
        """Return the generated or recorded response, or that of a person."""
        if self.recording_problem:
            raise RuleFailed(execution.rule, execution.call.tool, self.recording_problem)
        if self._replayed is not None:
            try:
                return give_response(execution, find_replayed_response(execution, self._replayed))
            except MockImpossible as error:
                raise RuleFailed(execution.rule, execution.call.tool, str(error)) from None
        spec = execution.call.caller.get_tool_spec()
        if self.asks_person:
            value = await execution.ask_person(to_json_value(execution.call.args))
            return wrap_mcp_result(value, has_output_schema=spec.results is not None) if spec.is_mcp else value
        role = self._find_role(execution)
        is_error = False
        try:
            if self.mock == "llm":
                response = await _ask_model(self.choice, execution)
                value, is_error = response.value, response.is_error
            elif role is None:
                value = _generate(execution).value
            else:
                args = _read_args(execution)
                draws = _create_draws(execution, args, is_reading=role.operation is not ResourceOperation.CREATE)
                response = _build_stateful_mock(execution).respond(spec, role, args, draws)
                # The store keeps the response, and callbacks may change what the model gets.
                value, is_error = copy_value(response.value), response.is_error
        except MockImpossible as error:
            raise RuleFailed(execution.rule, execution.call.tool, _explain_failure(error)) from None
        if spec.is_mcp:
            return wrap_mcp_result(value, is_error=is_error, has_output_schema=spec.results is not None)
        return value

    def describe(self, execution: RuleExecution | None = None) -> str:
        """Return which mock responds; for a call also why, and what the response is made from."""
        name = f"mock {self.mock}"
        if execution is None or self.asks_person:
            return name
        if self.mock == "llm":
            return f"{name}: {execution.llm.find_mock(self.choice).describe(execution.call.tool)}"
        if self._replayed is not None:
            try:
                return f"{name}: {describe_replayed(find_replayed_response(execution, self._replayed))}"
            except MockImpossible as error:
                return f"{name}, which fails: {error}"
        role = self._find_role(execution)
        try:
            if role is not None:
                # Only for its error: a tool whose results cannot be generated fails here as it would in a call.
                get_schema_mock(execution.call.caller.get_tool_spec())
                return f"{name}: {_build_stateful_mock(execution).describe(role)}"
            response = _generate(execution)
        except MockImpossible as error:
            return f"{name}, which fails: {_explain_failure(error)}"
        arguments = ", ".join(response.used_arguments) or "none"
        source = f"the shape is that of the tool's {response.origin}; arguments used: {arguments}"
        reason = "the tool's name and arguments name no resource; " if self.mock == "stateful" else ""
        return f"{name}: {reason}{source}"

    def _find_role(self, execution: RuleExecution) -> ToolRole | None:
        """Return what the call does with a resource; None if the response does not depend on earlier calls."""
        if self.mock != "stateful":
            return None
        spec, args = execution.call.caller.get_tool_spec(), _read_args(execution)
        if self.declare is None:
            return infer_role(spec, args)
        operation = ResourceOperation(self.declare.operation) if self.declare.operation else None
        return declare_role(spec, args, operation, self.declare.resource or "", self.declare.id or "")


async def _ask_model(choice: ModelChoice, execution: RuleExecution) -> LlmResponseValue:
    """Return what a model responds to the call; what it was asked, and said, is kept in the execution's journal."""
    llm, caller, record = execution.llm, execution.call.caller, execution.call.record
    mock = llm.find_mock(choice)
    execution.journal = mock.start_journal()
    call = SimulatedCall(
        spec=caller.get_tool_spec(),
        args=_read_args(execution),
        specs=[spec for spec in caller.list_tool_specs() if spec.name not in CONTROL_TOOLS],
        earlier_calls=list_visible_calls(execution.call, llm.calls),
        call_number=record.call_number,
        place=repr((caller.scope, record.agent, record.branch, record.tool, record.call_number)),
    )
    response = await mock.respond(call, execution.journal)
    llm.calls.append(MockedCall(record, copy_value(response.value)))
    return response


def _build_stateful_mock(execution: RuleExecution) -> StatefulMock:
    specs = tuple(execution.call.caller.list_tool_specs())
    store = execution.resources
    mock = StatefulMock(store, list_created_nouns(specs))
    if not store.is_restored:
        store.is_restored = True
        _restore_store(execution, mock, specs)
    return mock


def _restore_store(execution: RuleExecution, mock: StatefulMock, specs: Iterable[ToolSpec]) -> None:
    """Put into the store what earlier calls have created: the session may be a fork, or continue in a new process."""
    history, record = execution.call.caller.get_call_history(), execution.call.record
    earlier = [
        (call.answer_position, spec, call)
        for spec in specs
        for call in history.iter_visible_calls(record, spec.name)
        if is_success(call.response)
    ]
    for _, spec, call in sorted(earlier, key=lambda each: each[0]):
        args: dict[str, Json] = to_json_value(call.args)
        if (role := infer_role(spec, args)) is not None:
            # A tool whose results cannot be generated is answered by somebody else, and is left out here.
            with suppress(MockImpossible):
                mock.restore(spec, role, args, unwrap_result(copy_value(call.response)))


def _generate(execution: RuleExecution) -> MockedResponse:
    mock, args = get_schema_mock(execution.call.caller.get_tool_spec()), _read_args(execution)
    return mock.respond(args, _create_draws(execution, args, is_reading=mock.is_reading))


def _create_draws(execution: RuleExecution, args: Mapping[str, Json], *, is_reading: bool) -> KeyedDraws:
    """Return the random values of a call.

    A tool that reads gives equal calls equal responses, whoever makes them; others make something new each time.
    """
    # Floats are not among them, because 5.0 and 5 must give the same key.
    is_normal = _NORMAL_TYPES.issuperset(map(type, args.values()))
    key = repr(sorted((args if is_normal else normalize_value(args)).items()))
    return KeyedDraws(execution.draw_for_arguments(key) if is_reading else execution.draw_for_call(key))


def _read_args(execution: RuleExecution) -> Mapping[str, Json]:
    args = execution.call.args_with_defaults
    # Most arguments are JSON already; callbacks may put other objects into them.
    return args if _PLAIN_TYPES.issuperset(map(type, args.values())) else to_json_value(args)


def _explain_failure(error: MockImpossible) -> str:
    return f"its result cannot be generated ({error}); respond with a value instead"
