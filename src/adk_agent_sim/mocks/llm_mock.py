"""The mock `llm`: a model responds to the calls of tools that are not available, and what it says is checked.

    call --> connections of the tools, analysed once --> does the resource exist? --no--> a response like a 404
                                                                    |
                                                                    yes --> ask --> check --> the response
                                                                             ^        |
                                                                             +-- once +--> else an error

Whoever asks the model (`ModelClient`) knows ADK or a file of recorded answers; this module knows neither.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

from adk_agent_sim.errors import SimulationModelFailed
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.mocks.llm_json import MockJournal, UnusableAnswer, read_answer_object
from adk_agent_sim.mocks.llm_questions import (
    CONNECTIONS,
    ModelQuestion,
    SimulatedCall,
    build_connections_question,
    build_response_question,
)
from adk_agent_sim.mocks.llm_state import (
    BY_ID,
    MANY,
    AnsweredCall,
    ResourceUse,
    SessionResources,
    ToolConnections,
    WorldKnowledge,
    find_own_id,
    find_value,
    fold_calls,
    iter_items,
    list_ids,
    parse_connections,
)
from adk_agent_sim.mocks.mocked_call import ResourceOperation, ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping

ValueT = TypeVar("ValueT")


class SharedValue(Generic[ValueT]):
    """A value that the first call computes while the others wait for it."""

    def __init__(self, is_final: Callable[[ValueT], bool]) -> None:
        """Create it without a value.

        Args:
            is_final: Whether a value is kept. Another one is given to the calls that wait for it, and computed again
                for later ones.
        """
        self._is_final = is_final
        self._lock = threading.Lock()
        self._value: ValueT | None = None
        self._running: Future[ValueT | None] | None = None

    @property
    def value(self) -> ValueT | None:
        """The value that is kept; None if there is none yet."""
        return self._value

    async def get(self, compute: Callable[[], Awaitable[ValueT]]) -> ValueT:
        """Return the value. If the call that computes it is cancelled, the next one begins again."""
        while True:
            with self._lock:
                if self._value is not None:
                    return self._value
                running, own = self._running, Future[ValueT | None]()
                if running is None:
                    own.set_running_or_notify_cancel()  # a call that stops to wait must not cancel it for the others
                    self._running = own
            if running is None:
                return await self._compute(compute, own)
            value = await asyncio.wrap_future(running)
            if value is not None:
                return value

    async def _compute(self, compute: Callable[[], Awaitable[ValueT]], own: Future[ValueT | None]) -> ValueT:
        value: ValueT | None = None
        try:
            value = await compute()
            return value
        finally:
            with self._lock:
                self._running = None
                if value is not None and self._is_final(value):
                    self._value = value
            # Also if it failed or was cancelled: those who wait get None then, and begin again.
            own.set_result(value)


@dataclass(frozen=True, slots=True)
class MissingResource:
    """A resource that a call needs, and that does not exist."""

    resource: str
    resource_id: str
    was_deleted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsistencyCheck:
    """What exists at the time of a call."""

    connections: ToolConnections
    resources: SessionResources
    knowledge: WorldKnowledge

    def find_missing(self, tool: str, args: Mapping[str, Json]) -> MissingResource | None:
        """Return the first resource that a call needs and that does not exist; None if all do, or may."""
        for use in self.connections.list_uses(tool):
            for resource_id in list_ids(args.get(use.id_name)) if use.operation in BY_ID else ():
                was_deleted = self.resources.was_deleted(use.resource, resource_id)
                # What no tool creates comes from outside of the session, so any id of it may exist.
                may_exist = not self.connections.is_created(use.resource) or self._exists(use, resource_id)
                if was_deleted or not may_exist:
                    return MissingResource(use.resource, resource_id, was_deleted)
        return None

    def check_response(self, call: AnsweredCall) -> None:
        """Raise UnusableAnswer if the response of a call contradicts its arguments or what exists."""
        for use in self.connections.list_uses(call.tool):
            if use.operation is ResourceOperation.CREATE:
                self._check_new_id(use, call)
            elif use.operation in MANY:
                self._check_list(use, call)
            else:
                _check_subject(use, call)

    def _check_new_id(self, use: ResourceUse, call: AnsweredCall) -> None:
        if not use.id_name or use.id_name in call.args:
            return
        new_ids = list_ids(find_value(call.response, use.id_name))
        if not new_ids:
            raise UnusableAnswer(f"the result has no {use.id_name!r} with the id of the new {use.resource}")
        for new_id in new_ids:
            if self.resources.has(use.resource, new_id) or self.resources.was_deleted(use.resource, new_id):
                raise UnusableAnswer(f"the {use.resource} {new_id!r} exists already; give the new one another id")

    def _check_list(self, use: ResourceUse, call: AnsweredCall) -> None:
        if not self.connections.is_created(use.resource):
            return
        for item in iter_items(call.response):
            found_id = find_own_id(item, self.connections.list_id_names(use.resource))
            if found_id and not self._exists(use, found_id):
                raise UnusableAnswer(f"there is no {use.resource} {found_id!r}; list only what exists")

    def _exists(self, use: ResourceUse, resource_id: str) -> bool:
        return self.resources.has(use.resource, resource_id) or self.knowledge.mentions(resource_id)


def _check_subject(use: ResourceUse, call: AnsweredCall) -> None:
    fields = as_mapping(call.response)
    wanted, found = list_ids(call.args.get(use.id_name)), list_ids(fields.get(use.id_name))
    if wanted and found and wanted != found:
        raise UnusableAnswer(
            f"the result is about {use.id_name} {', '.join(found)!r}, and the call about {', '.join(wanted)!r}"
        )


_MAX_ATTEMPTS = 2
_MAX_MESSAGE = 1_000

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelChoice:
    """Which model simulates a tool, and how; equal choices share one analysis of the tools."""

    model: str = ""
    """The name; empty for the model that is given in Python, or else the default."""

    settings: str = ""
    """Settings for the model as JSON text; empty for those that are given in Python, or else the model's own."""

    answers: str = ""
    """The file of recorded answers; empty if the model itself is asked."""

    deadline: float
    """How many seconds a response may take, with the analysis and the second attempt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReply:
    """An answer of the model."""

    text: str

    source: str
    """Who gave it: the model, or a file."""


class ModelClient(Protocol):
    """Asks the model."""

    @property
    def model_name(self) -> str:
        """The name of the model."""
        ...

    def name_question(self, question: ModelQuestion) -> str:
        """Return the key of a question, by which a recorded answer is found."""
        ...

    async def ask(self, question: ModelQuestion) -> ModelReply:
        """Return the answer; raise SimulationModelFailed if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class LlmResponseValue:
    """The response to a call."""

    value: Json
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class _Analysis:
    connections: ToolConnections
    problem: str = ""
    """Why there are no connections."""


class LlmMock:
    """Answers the calls of tools with one model. Sessions share the analysis of the tools, and nothing else."""

    def __init__(self, client: ModelClient, *, deadline: float, environment_data: str = "", tracing: str = "") -> None:
        """Create the mock.

        Args:
            client: Asks the model.
            deadline: How many seconds a response may take, with the analysis and the second attempt.
            environment_data: What is known about the world, as text.
            tracing: Calls of earlier runs with their responses, as text.
        """
        self._client = client
        self._deadline = deadline
        self._environment_data = environment_data
        self._tracing = tracing
        self._knowledge = WorldKnowledge(environment_data, tracing)
        self._analysis = SharedValue[_Analysis](is_final=lambda analysis: not analysis.problem)

    def describe(self, tool: str) -> str:
        """Return which model responds to the calls of a tool, and what is known about the tool."""
        analysis = self._analysis.value
        if analysis is None:
            return f"{self._client.model_name}; the connections of the tools are not analysed yet"
        uses = ", ".join(map(str, analysis.connections.list_uses(tool)))
        return f"{self._client.model_name}; the tool {f'does: {uses}' if uses else 'uses no resource'}"

    def start_journal(self) -> MockJournal:
        """Return an empty journal for a call."""
        return MockJournal(self._client.model_name)

    async def respond(self, call: SimulatedCall, journal: MockJournal) -> LlmResponseValue:
        """Return the response to a call; an error response if the model gives none that can be used."""
        try:
            async with asyncio.timeout(self._deadline):
                return await self._respond(call, journal)
        except TimeoutError:
            return self._fail(journal, 504, call, f"it took longer than {self._deadline:g} seconds")
        except SimulationModelFailed as failure:
            return self._fail(journal, 502, call, str(failure))

    async def _respond(self, call: SimulatedCall, journal: MockJournal) -> LlmResponseValue:
        analysis = await self._analysis.get(lambda: self._analyse(call.specs, journal))
        if analysis.problem:
            raise SimulationModelFailed(analysis.problem)
        connections, tool = analysis.connections, call.spec.name
        uses = connections.list_uses(tool)
        journal.connections = list(map(str, uses))
        resources = fold_calls(connections, call.earlier_calls)
        check = ConsistencyCheck(connections=connections, resources=resources, knowledge=self._knowledge)
        if missing := check.find_missing(tool, call.args):
            journal.reason = f"there is no {missing.resource} {missing.resource_id!r} in this session or in the data"
            return _build_not_found(missing)
        question = build_response_question(
            call, uses, resources, environment_data=self._environment_data, tracing=self._tracing
        )

        def read(text: str) -> LlmResponseValue:
            response = _read_response(text, call.spec)
            if not response.is_error:
                check.check_response(AnsweredCall(tool=tool, args=call.args, response=response.value))
            return response

        response = await self._ask_until_usable(question, read, journal)
        journal.reason = "the model refused the call" if response.is_error else "the model responded"
        return response

    async def _analyse(self, specs: Sequence[ToolSpec], journal: MockJournal) -> _Analysis:
        def read(text: str) -> ToolConnections:
            return parse_connections(read_answer_object(text), specs)

        try:
            return _Analysis(await self._ask_until_usable(build_connections_question(specs), read, journal))
        except SimulationModelFailed as failure:
            return _Analysis(ToolConnections(), str(failure))

    async def _ask_until_usable(self, question: ModelQuestion, read: Callable[[str], T], journal: MockJournal) -> T:
        """Return what an answer says; the model gets one more chance.

        Raises:
            SimulationModelFailed: There is no answer that can be used.
        """
        problem, asked_count = "", 0
        while asked_count < _MAX_ATTEMPTS:
            asked_count += 1
            entry = journal.begin(question.about, self._client.name_question(question))
            try:
                reply = await self._client.ask(question)
            except SimulationModelFailed as failure:
                problem = entry.problem = str(failure)
                if not failure.may_succeed_later:
                    break
                continue
            entry.set_reply(reply.text, reply.source)
            try:
                return read(reply.text)
            except UnusableAnswer as unusable:
                problem = entry.problem = str(unusable)
                question = question.ask_again(reply.text, problem)
        subject = "how the tools depend on each other" if question.about == CONNECTIONS else "for it"
        times = "" if asked_count == 1 else " twice"
        raise SimulationModelFailed(f"{self._client.model_name} was asked{times} {subject}: {problem}")

    def _fail(self, journal: MockJournal, code: int, call: SimulatedCall, problem: str) -> LlmResponseValue:
        message = f"The simulated {call.spec.name} has no response: {problem[:_MAX_MESSAGE]}."
        journal.error = message
        return LlmResponseValue({"error_code": code, "error_message": message}, is_error=True)


def _read_response(text: str, spec: ToolSpec) -> LlmResponseValue:
    """Return the response in an answer; raise UnusableAnswer if it is none, or does not fit the tool."""
    answer = read_answer_object(text)
    if answer.keys() == {"error"} and isinstance(answer["error"], dict):
        return _read_error(cast("dict[str, Json]", answer["error"]))
    # Some models leave the envelope out, and a field of the result may have its name.
    candidates: list[Json] = [answer["result"]] if answer.keys() == {"result"} else [answer]
    if spec.results is not None and candidates != [answer]:
        candidates.append(answer)
    problems = [_find_problem(candidate, spec) for candidate in candidates]
    for candidate, problem in zip(candidates, problems, strict=True):
        if not problem:
            return LlmResponseValue(candidate)
    raise UnusableAnswer(problems[0])


def _read_error(error: dict[str, Json]) -> LlmResponseValue:
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool) or not isinstance(message, str) or not message:
        raise UnusableAnswer("`error` must have a `code`, which is a number, and a `message`")
    return LlmResponseValue({"error_code": code, "error_message": message[:_MAX_MESSAGE]}, is_error=True)


def _find_problem(value: Json, spec: ToolSpec) -> str:
    """Return why a value is no result of a tool; empty if it is one."""
    if spec.results is None:
        return "" if isinstance(value, dict) else "`result` must be an object"
    problems = SchemaChecker(spec.results).find_problems(value)
    return "; ".join(f"{each.path or 'result'}: {each.message}" for each in problems[:5])


def _build_not_found(missing: MissingResource) -> LlmResponseValue:
    gone = "was deleted" if missing.was_deleted else "does not exist"
    message = f"The {missing.resource.replace('_', ' ')} {missing.resource_id!r} {gone}."
    return LlmResponseValue({"error_code": 404, "error_message": message}, is_error=True)
