"""What is read to validate a decision does not depend on the length of the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import uuid4

import pytest
from timeline_builders import ask_turn, build_request_blocks, user_content

from adk_agent_sim.errors import InvalidArguments
from adk_agent_sim.server.agents.agent_catalog import AgentCatalog
from adk_agent_sim.server.sessions.action_parsing import build_response, find_call_problems, find_form_problems
from adk_agent_sim.server.sessions.session_api_models import CheckInput, DecisionInput
from adk_agent_sim.server.sessions.session_reader import get_briefing
from adk_agent_sim.server.sessions.session_services import ServedSession, SessionServices
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.model_request import RequestSettings
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.turns import CallInput, decide_turn

_ANSWER_SCHEMA = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


class CountingStore(MemoryStore):
    """Counts the blocks that are read."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks_read = 0

    async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        self.blocks_read += len(block_ids)
        return await super().read_blocks(session_id, block_ids)


class _WaitingTurn:
    """A turn of an agent in another process that waits for a person, and the services of the browser."""

    def __init__(self) -> None:
        self.store = CountingStore()
        self.timeline = Timeline(self.store)
        self.services = SessionServices(AgentCatalog([]), self.timeline, allow_remote_agents=True)
        self.session_id = ""

    async def ask(self, content_count: int) -> None:
        self.session_id = (await self.timeline.create_session()).session_id
        contents = [user_content(f"message {number}") for number in range(content_count)]
        await ask_turn(
            self.timeline, self.session_id, "turn", build_request_blocks(contents, response_schema=_ANSWER_SCHEMA)
        )
        self.store.blocks_read = 0

    async def check_call(self, value: str) -> int:
        form = CheckInput(target="call", tool_name="add", value=value)
        return len(await find_form_problems(ServedSession(self.services, self.session_id), "turn", form))

    async def check_answer(self, value: str) -> int:
        form = CheckInput(target="answer", value=value)
        return len(await find_form_problems(ServedSession(self.services, self.session_id), "turn", form))

    async def decide(self, arguments: str) -> None:
        _, response = await self._read_decision(arguments)
        await decide_turn(ServedSession(self.services, self.session_id), "turn", response)

    async def find_call_problems(self, arguments: str) -> int:
        request, response = await self._read_decision(arguments)
        return len(find_call_problems(request, get_function_calls(response)))

    async def _read_decision(self, arguments: str) -> tuple[RequestSettings, Json]:
        decision = DecisionInput(decision_id=uuid4().hex, calls=[CallInput(name="add", arguments=arguments)])
        request = await self.timeline.read_request_settings(await self.timeline.get_turn(self.session_id, "turn"))
        return request, build_response(decision, request)


@pytest.mark.parametrize("content_count", [10, 1_000])
async def test_validation_while_typing_reads_the_settings_once(content_count: int) -> None:
    turn = _WaitingTurn()
    await turn.ask(content_count)

    assert [await turn.check_call(text) for text in ('{"a": 1}', '{"a": 1, "b": "x"}', '{"a": 1, "b": 2}')] == [1, 1, 0]
    assert [await turn.check_answer(text) for text in ("{}", '{"sum": 3}')] == [1, 0]

    assert turn.store.blocks_read == 3  # tools, instruction and config


@pytest.mark.parametrize("content_count", [10, 1_000])
async def test_a_rejected_and_then_corrected_decision_reads_the_settings_once(content_count: int) -> None:
    turn = _WaitingTurn()
    await turn.ask(content_count)

    with pytest.raises(InvalidArguments):
        await turn.decide('{"a": 1, "b": "x"}')
    assert await turn.find_call_problems('{"a": 1, "b": "x"}') == 1
    await turn.decide('{"a": 1, "b": 2}')

    assert turn.store.blocks_read == 3


@pytest.mark.parametrize("content_count", [10, 1_000])
async def test_the_briefing_of_a_turn_reads_no_contents(content_count: int) -> None:
    turn = _WaitingTurn()
    await turn.ask(content_count)

    briefing = await get_briefing(ServedSession(turn.services, turn.session_id), "turn")

    assert (briefing.instruction, [tool.name for tool in briefing.tools]) == ("Be kind.", ["add"])
    assert turn.store.blocks_read == 3
