"""All links behave the same, in one process and over gRPC: the same tests run on each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from polling import MAX_WAIT_SECONDS, wait_until
from timeline_builders import build_request_blocks, call_decision, list_sessions, text_decision, user_content

from adk_agent_sim.errors import (
    InvalidArguments,
    SessionClosed,
    SessionNotFound,
    TurnAbandoned,
    TurnAlreadyDecided,
    TurnNotNext,
)
from adk_agent_sim.link.outbox import Outbox
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.server.grpc.grpc_server import serve_grpc
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import (
    AgentPath,
    ArtifactSaved,
    CancelAsked,
    Event,
    Player,
    ToolFailed,
    TurnAsked,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline

AnyLink = Timeline | RemoteLink | Outbox
ConnectedLink = tuple[AnyLink, Timeline, str]


@pytest.fixture(params=["timeline", "remote", "outbox"])
async def connected_link(request: pytest.FixtureRequest) -> AsyncIterator[ConnectedLink]:
    """A link, the timeline that it is connected to, and the id of a new session."""
    timeline = Timeline()
    async with serve_grpc(timeline, access=None) as server:
        match request.param:
            case "timeline":
                yield timeline, timeline, (await timeline.create_session()).session_id
            case "remote":
                async with RemoteLink(server.address) as link:
                    yield link, timeline, (await link.create_session()).session_id
            case _:
                outbox = Outbox(server.address)
                session_id = outbox.open_session("", lambda url: None)
                assert await outbox.flush(MAX_WAIT_SECONDS)
                yield outbox, timeline, session_id
                outbox.release_session(session_id)
                await outbox.flush(MAX_WAIT_SECONDS)


async def flush(link: AnyLink) -> None:
    """Wait until all submissions have arrived; only an outbox sends them later."""
    if isinstance(link, Outbox):
        assert await link.flush(MAX_WAIT_SECONDS)


async def ask_turn(link: AnyLink, session_id: str, text: str = "hi", **options: Any) -> str:
    turn_id = str(uuid4())
    fields: dict[str, Any] = {
        "invocation_id": "i",
        "agent_name": "a",
        "request": build_request_blocks([user_content(text)]),
    }
    await link.ask(TurnRequest(session_id, turn_id=turn_id, **fields | options))
    await flush(link)
    return turn_id


async def test_events_arrive_unchanged_and_in_order(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    half = "half a pair: \ud800"
    failed = ToolFailed(call_id="c", error_type="E", error_message=half, duration_ms=1.5, traceback=None)
    block = Block.from_data(b"\x00\x01")
    saved = ArtifactSaved(filename="f", version=3, mime_type="m", block=block.block_id)
    await link.append(EventBatch(session_id, [UserSpoke(content={"n": 5.0, "b": [1, 2**70]})]))
    await link.append(EventBatch(session_id, [failed], agent_name="a", player=Player.REAL))
    await link.append(EventBatch(session_id, [saved], blocks=[block]))
    await flush(link)

    spoke, tool, artifact = await timeline.read_events(session_id)
    assert isinstance(spoke.payload, UserSpoke)
    assert encode_json(spoke.payload.content) == encode_json({"n": 5.0, "b": [1, 2**70]})
    assert (tool.payload, tool.agent_name, tool.player) == (failed, "a", Player.REAL)
    assert artifact.payload == saved
    assert await timeline.read_block(session_id, block.block_id) == b"\x00\x01"


@pytest.mark.parametrize("path", [None, AgentPath(), AgentPath(branch="all.left", parent_call_id="c1")])
async def test_the_agent_path_of_events_and_turns_arrives_unchanged(
    connected_link: ConnectedLink, path: AgentPath | None
) -> None:
    link, timeline, session_id = connected_link
    await link.append(EventBatch(session_id, [UserSpoke(content={})], agent_path=path))
    await link.decide(TurnDecision(session_id, await ask_turn(link, session_id, agent_path=path), text_decision("hi")))
    withdrawn = await ask_turn(link, session_id, agent_path=path)
    await link.withdraw(session_id, withdrawn)
    await flush(link)

    events = await timeline.read_events(session_id)
    assert [type(event.payload) for event in events] == [UserSpoke, TurnAsked, TurnDecided, TurnAsked, TurnWithdrawn]
    assert [event.agent_path for event in events] == [path] * 5


@pytest.mark.parametrize("decided_by", ["", "Ada"])
async def test_who_decided_arrives_unchanged(connected_link: ConnectedLink, decided_by: str) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    await link.decide(TurnDecision(session_id, turn_id, text_decision("hi"), decided_by=decided_by))
    await flush(link)

    decided = (await timeline.read_events(session_id))[-1]
    assert isinstance(decided.payload, TurnDecided)
    assert decided.payload.decided_by == decided_by


async def test_a_turn_waits_until_a_person_decides(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    waiting = asyncio.create_task(link.wait_for_decision(session_id, turn_id))
    await asyncio.wait({waiting}, timeout=0.05)
    assert not waiting.done()
    (pending,) = await timeline.get_pending_turns(session_id)
    assert (await timeline.read_request(pending)).contents == [user_content("hi")]
    await timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))

    decided = await waiting
    assert (decided.turn_id, decided.player) == (turn_id, Player.HUMAN)
    assert isinstance(decided.payload, TurnDecided)
    assert decided.payload.response == text_decision("hello")
    assert decided == (await timeline.read_events(session_id))[-1]


async def test_a_decision_made_before_the_wait_is_returned(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    decided = await timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))

    assert await link.wait_for_decision(session_id, turn_id) == decided


async def test_parallel_turns_get_each_its_own_decision(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turns = [await ask_turn(link, session_id, agent_name=f"a{number}") for number in range(5)]
    waiting = [asyncio.create_task(link.wait_for_decision(session_id, turn_id)) for turn_id in turns]
    for turn_id in turns:
        await timeline.decide(TurnDecision(session_id, turn_id, text_decision(turn_id)))

    answers = [event.payload for event in await asyncio.gather(*waiting)]
    assert [answer.response for answer in answers if isinstance(answer, TurnDecided)] == [*map(text_decision, turns)]


async def test_a_turn_of_another_player_is_recorded_and_is_not_pending(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id, player=Player.REAL)
    assert not await timeline.get_pending_turns(session_id)
    await link.decide(TurnDecision(session_id, turn_id, text_decision("hm"), player=Player.REAL, duration_ms=7.5))
    await flush(link)

    request, answer = await timeline.read_events(session_id)
    assert isinstance(request.payload, TurnAsked)
    assert request.player is Player.REAL
    assert isinstance(answer.payload, TurnDecided)
    assert (answer.payload.duration_ms, answer.player) == (7.5, Player.REAL)


async def test_a_withdrawn_turn_ends_the_wait(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    waiting = asyncio.create_task(link.wait_for_decision(session_id, turn_id))
    await asyncio.wait({waiting}, timeout=0.05)
    await link.withdraw(session_id, turn_id)

    with pytest.raises(TurnAbandoned):
        await waiting
    assert not await timeline.get_pending_turns(session_id)
    assert (await timeline.read_events(session_id))[-1].payload == TurnWithdrawn()


async def test_a_decision_is_not_withdrawn(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    decided = await timeline.decide(TurnDecision(session_id, turn_id, text_decision("hello")))
    await link.withdraw(session_id, turn_id)
    await flush(link)

    assert await link.wait_for_decision(session_id, turn_id) == decided
    assert (await timeline.read_events(session_id))[-1] == decided


async def test_a_closed_session_ends_all_waits(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    turn_id = await ask_turn(link, session_id)
    waiting = asyncio.create_task(link.wait_for_decision(session_id, turn_id))
    await asyncio.wait({waiting}, timeout=0.05)
    await timeline.close_session(session_id, "enough")

    with pytest.raises(SessionClosed):
        await waiting


async def test_a_listener_receives_a_cancel_request_until_it_unsubscribes(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    received: list[Event] = []
    stop = await link.listen(session_id, received.append)
    await flush(link)
    await timeline.cancel_call(session_id, "c1")
    await wait_until(lambda: [event.payload for event in received] == [CancelAsked(call_id="c1")])
    stop()
    await flush(link)
    await timeline.cancel_call(session_id, "c2")
    turn_id = await ask_turn(link, session_id)
    await timeline.decide(TurnDecision(session_id, turn_id, text_decision("x")))
    await link.wait_for_decision(session_id, turn_id)

    assert len(received) == 1


async def test_a_conversation_is_sent_once(connected_link: ConnectedLink) -> None:
    link, timeline, session_id = connected_link
    contents = [user_content(f"{number} " + "x" * 1_000) for number in range(40)]
    for length in range(1, len(contents) + 1):
        await ask_turn(link, session_id, request=build_request_blocks(contents[:length]), player=Player.REAL)

    *_, last = await timeline.read_events(session_id)
    assert (await timeline.read_request(last)).contents == contents
    assert (await timeline.get_session_sizes())[session_id] < 80_000


class TestPlayers:
    """The calls that a person's client makes."""

    @pytest.fixture(params=["timeline", "remote"])
    async def player(self, request: pytest.FixtureRequest) -> AsyncIterator[tuple[Timeline | RemoteLink, Timeline]]:
        timeline = Timeline()
        async with serve_grpc(timeline, access=None) as server, RemoteLink(server.address) as link:
            yield (timeline if request.param == "timeline" else link), timeline

    async def test_it_follows_reads_the_request_and_decides(
        self, player: tuple[Timeline | RemoteLink, Timeline]
    ) -> None:
        link, timeline = player
        session_id = (await link.create_session("play me")).session_id
        turn_id = await ask_turn(timeline, session_id)
        seen: list[Event] = []
        async for event in link.follow(session_id):
            seen.append(event)
            if isinstance(event.payload, TurnAsked):
                assert (await link.read_request(event)).contents == [user_content("hi")]
                await link.decide(TurnDecision(session_id, event.turn_id, text_decision("hello")))
                await link.close_session(session_id, "done")

        assert seen == await timeline.read_events(session_id)
        assert [event.turn_id for event in seen] == [turn_id, turn_id, ""]
        sessions = await link.list_sessions() if isinstance(link, RemoteLink) else await list_sessions(link)
        assert [session.description for session in sessions] == ["play me"]

    async def test_it_learns_why_a_decision_is_refused(self, player: tuple[Timeline | RemoteLink, Timeline]) -> None:
        link, timeline = player
        session_id = (await link.create_session()).session_id
        head, second = await ask_turn(timeline, session_id), await ask_turn(timeline, session_id)
        with pytest.raises(TurnNotNext, match=head) as not_next:
            await link.decide(TurnDecision(session_id, second, text_decision("x")))
        assert not_next.value.head_turn_id == head
        with pytest.raises(InvalidArguments, match="a: "):
            await link.decide(TurnDecision(session_id, head, call_decision("add", b=1)))
        await link.decide(TurnDecision(session_id, head, text_decision("x")))
        with pytest.raises(TurnAlreadyDecided):
            await link.decide(TurnDecision(session_id, head, text_decision("y")))
        with pytest.raises(SessionNotFound):
            await link.close_session(str(uuid4()), "?")

    async def test_a_retry_is_the_same_decision(self, player: tuple[Timeline | RemoteLink, Timeline]) -> None:
        link, timeline = player
        session_id = (await link.create_session()).session_id
        turn_id = await ask_turn(timeline, session_id)
        for _ in range(2):
            await link.decide(TurnDecision(session_id, turn_id, text_decision("x"), decision_id="mine"))

        assert await timeline.get_last_seq(session_id) == 2
