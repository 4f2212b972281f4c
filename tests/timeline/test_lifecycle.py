"""The lifecycle of sessions and turns: listing, renaming, closing, deleting; abandoned and revived turns."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from stores import AnyStore
from timeline_builders import ManualClock, ask_turn, build_request_blocks, text_decision, user_content

from adk_agent_sim.errors import (
    BlocksMissing,
    SessionClosed,
    SessionExists,
    SessionNotFound,
    TurnAbandoned,
    TurnHasOtherPlayer,
)
from adk_agent_sim.persistence.database_store import open_store
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    CancelAsked,
    Closed,
    Event,
    Player,
    RunEnded,
    RunOutcome,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision, TurnRequest
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def timeline(store: AnyStore, clock: ManualClock) -> Timeline:
    return Timeline(store, clock)


async def create_session(timeline: Timeline, description: str = "") -> str:
    return (await timeline.create_session(description)).session_id


async def test_sessions_are_listed_newest_first_with_their_status(timeline: Timeline, clock: ManualClock) -> None:
    first, second = await create_session(timeline, "first"), ""
    clock.time = 1_001.5
    second = await create_session(timeline, "second")
    clock.time = 1_002.25
    await ask_turn(timeline, first, "t1")

    newer, older = await timeline.list_summaries()
    assert (newer.session.session_id, newer.status, newer.last_seq) == (second, SessionStatus.NEW, 0)
    assert newer.last_event_at == 1_001.5
    assert older.session.description == "first"
    assert (older.status, older.agent_name, list(older.pending)) == (SessionStatus.WAITING, "math", ["t1"])
    assert (older.last_seq, older.last_event_at) == (1, 1_002.25)

    await timeline.decide(TurnDecision(first, "t1", text_decision("hi")))
    await timeline.append(EventBatch(first, [RunEnded(invocation_id="inv", outcome=RunOutcome.DONE)]))
    assert [one.status for one in await timeline.list_summaries()] == [
        SessionStatus.NEW,
        SessionStatus.DONE,
    ]


async def test_pages_are_stable_while_sessions_are_added(timeline: Timeline, clock: ManualClock) -> None:
    for number in range(5):
        clock.time = 1_000.0 + number // 2
        await create_session(timeline, str(number))
    expected = [one.session.session_id for one in await timeline.list_summaries()]

    found: list[str] = []
    page = await timeline.list_summaries(limit=2)
    while page:
        found += [one.session.session_id for one in page]
        clock.time += 1
        await create_session(timeline, "added meanwhile")
        page = await timeline.list_summaries(SessionFilter(before=page[-1].cursor), limit=2)

    assert found == expected


async def test_a_search_ignores_the_case_of_letters_in_any_language(sqlite_path: Path) -> None:
    # How PostgreSQL compares letters is decided by the locale of the database.
    names = ["Ärger mit ΣΟΦΙΑ", "aerger"]
    async with open_store(str(sqlite_path)) as database_store:
        for timeline in (Timeline(MemoryStore()), Timeline(database_store)):
            for name in names:
                await create_session(timeline, name)
            for text, found in (("ärger", 1), ("ÄRGER", 1), ("σοφια", 1), ("RGER", 2), ("%", 0)):
                assert len(await timeline.list_summaries(SessionFilter(text=text))) == found, text


async def test_the_queue_holds_the_turns_of_all_sessions_oldest_first(timeline: Timeline, clock: ManualClock) -> None:
    first, second = await create_session(timeline), await create_session(timeline)
    for turn_id, session_id in (("t1", second), ("t2", first), ("t3", second)):
        clock.time += 1
        await ask_turn(timeline, session_id, turn_id)

    assert [entry.request.request_id for entry in await timeline.list_pending()] == ["t1", "t2", "t3"]
    await timeline.decide(TurnDecision(second, "t1", text_decision("hi")))
    assert [entry.request.request_id for entry in await timeline.list_pending()] == ["t2", "t3"]


async def test_turns_of_one_moment_are_queued_in_the_order_in_which_they_must_be_decided(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    turns = [str(uuid4()) for _ in range(20)]
    for turn_id in turns:  # all at the same time of the clock
        await ask_turn(timeline, session_id, turn_id)

    first = await timeline.list_pending(limit=7)
    rest = await timeline.list_pending(first[-1].cursor)
    assert [entry.request.request_id for entry in (*first, *rest)] == turns
    for entry in (*first, *rest):
        await timeline.decide(TurnDecision(session_id, entry.request.request_id, text_decision("hi")))
    assert not await timeline.list_pending()


async def test_a_turn_of_another_player_is_never_queued_and_blocks_no_person(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    request = build_request_blocks([user_content("hi")])
    await timeline.ask(
        TurnRequest(
            session_id, turn_id="real", invocation_id="inv", agent_name="a", request=request, player=Player.REAL
        )
    )
    await ask_turn(timeline, session_id, "person")

    assert [entry.request.request_id for entry in await timeline.list_pending()] == ["person"]
    with pytest.raises(TurnHasOtherPlayer, match="its player is 'real'"):
        await timeline.decide(TurnDecision(session_id, "real", text_decision("mine")))
    await timeline.decide(TurnDecision(session_id, "person", text_decision("hi")))
    decided = await timeline.decide(
        TurnDecision(session_id, "real", text_decision("hm"), player=Player.REAL, duration_ms=12.5)
    )
    assert isinstance(decided.payload, TurnDecided)
    assert decided.payload.duration_ms == 12.5
    assert (await timeline.read_events(session_id))[-1] == decided


async def test_a_session_is_renamed(timeline: Timeline) -> None:
    session_id = await create_session(timeline, "old")
    await ask_turn(timeline, session_id, "t1")
    await timeline.rename_session(session_id, "new")

    assert (await timeline.get_session(session_id)).description == "new"
    (summary,) = await timeline.list_summaries()
    assert (summary.session.description, summary.last_seq) == ("new", 1)
    with pytest.raises(SessionNotFound):
        await timeline.rename_session("nowhere", "x")


async def test_deleting_a_session_deletes_its_data(timeline: Timeline, store: AnyStore) -> None:
    session_id, other = await create_session(timeline), await create_session(timeline)
    await ask_turn(timeline, session_id, "t1")
    await ask_turn(timeline, other, "t1")
    await timeline.delete_session(session_id)

    assert [one.session.session_id for one in await timeline.list_summaries()] == [other]
    assert set(await timeline.get_session_sizes()) == {other}
    with pytest.raises(SessionNotFound):
        await timeline.read_events(session_id)
    with pytest.raises(SessionNotFound):
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))
    with pytest.raises(SessionNotFound):
        await store.read_blocks(session_id, [])
    with pytest.raises(SessionNotFound):
        await timeline.delete_session(session_id)
    assert len(await timeline.get_pending_turns(other)) == 1


async def test_deleting_a_session_ends_all_waits_in_it(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    await ask_turn(timeline, session_id, "t1")
    waiting = asyncio.create_task(timeline.wait_for_decision(session_id, "t1"))

    async def follow() -> None:
        async for _ in timeline.follow(session_id):
            pass

    following = asyncio.create_task(follow())
    await asyncio.wait({waiting, following}, timeout=0.05)
    await timeline.delete_session(session_id)

    with pytest.raises(SessionNotFound):
        await waiting
    with pytest.raises(SessionNotFound):
        await following


async def test_idle_sessions_are_deleted_unless_a_turn_is_pending(timeline: Timeline, clock: ManualClock) -> None:
    old, waiting = await create_session(timeline, "old"), await create_session(timeline, "waiting")
    await timeline.append(EventBatch(old, [UserSpoke(content=user_content("hi"))]))
    await ask_turn(timeline, waiting, "t1")
    clock.time = 2_000.0
    new = await create_session(timeline, "new")

    deleted = await timeline.delete_idle_sessions(1_500.0)

    assert [one.description for one in deleted] == ["old"]
    assert {one.session.session_id for one in await timeline.list_summaries()} == {waiting, new}


async def test_the_size_of_a_session_grows_with_what_is_in_it(timeline: Timeline) -> None:
    session_id, empty = await create_session(timeline), await create_session(timeline)
    await ask_turn(timeline, session_id, "t1", build_request_blocks([user_content("x" * 10_000)]))

    sizes = await timeline.get_session_sizes()
    assert sizes[empty] == 0
    assert 10_000 < sizes[session_id] < 20_000


async def test_a_session_is_closed_once_with_a_reason(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    closed = await timeline.close_session(session_id, "enough", cancelled=True)
    again = await timeline.close_session(session_id, "again")

    assert closed == again
    assert closed.payload == Closed(reason="enough", cancelled=True)
    assert (await timeline.get_summary(session_id)).is_closed
    with pytest.raises(SessionClosed):
        await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("hi"))]))


async def test_a_session_with_a_given_id_is_created_once(timeline: Timeline) -> None:
    session = await timeline.create_session("mine", "5f0c3d8e-6b0e-4a61-9a3f-1f6b2b1f9d11")

    assert session.session_id == "5f0c3d8e-6b0e-4a61-9a3f-1f6b2b1f9d11"
    with pytest.raises(SessionExists):
        await timeline.create_session("again", session.session_id)


async def test_events_that_were_sent_twice_are_stored_once(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    drafts = [
        Event(event_id=f"{session_id}-{number}", session_id=session_id, seq=0, timestamp=0.0, payload=spoke)
        for number, spoke in enumerate([UserSpoke(content=user_content("a")), UserSpoke(content=user_content("b"))])
    ]
    first = await timeline.append_drafts(session_id, drafts)
    await timeline.append_drafts(session_id, drafts)

    assert list(await timeline.read_events(session_id)) == list(first)


class TestAbandonment:
    async def test_an_abandoned_turn_leaves_the_queue_and_cannot_be_decided(self, timeline: Timeline) -> None:
        session_id = await create_session(timeline)
        await ask_turn(timeline, session_id, "t1")
        await timeline.withdraw(session_id, "t1", abandoned=True)

        assert not await timeline.list_pending()
        assert (await timeline.list_summaries())[0].status is SessionStatus.ABANDONED
        with pytest.raises(TurnAbandoned):
            await timeline.decide(TurnDecision(session_id, "t1", text_decision("late")))

    async def test_submitted_again_it_is_pending_again_with_one_request_in_the_log(self, timeline: Timeline) -> None:
        session_id = await create_session(timeline)
        asked = await ask_turn(timeline, session_id, "t1")
        await timeline.withdraw(session_id, "t1", abandoned=True)
        assert await ask_turn(timeline, session_id, "t1") == asked
        assert await ask_turn(timeline, session_id, "t1") == asked

        assert [entry.request.request_id for entry in await timeline.list_pending()] == ["t1"]
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("hi")))
        kinds = [type(event.payload) for event in await timeline.read_events(session_id)]
        assert kinds == [TurnAsked, TurnWithdrawn, TurnRevived, TurnDecided]

    async def test_a_turn_that_is_decided_is_neither_withdrawn_nor_revived(self, timeline: Timeline) -> None:
        session_id = await create_session(timeline)
        await ask_turn(timeline, session_id, "t1")
        decided = await timeline.decide(TurnDecision(session_id, "t1", text_decision("hi")))
        await timeline.withdraw(session_id, "t1", abandoned=True)
        await ask_turn(timeline, session_id, "t1")

        assert await timeline.wait_for_decision(session_id, "t1") == decided
        assert await timeline.get_last_seq(session_id) == 2


async def test_a_listener_receives_every_new_event_until_it_unsubscribes(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content("before"))]))
    received: list[Event] = []
    stop = await timeline.listen(session_id, received.append)
    await timeline.cancel_call(session_id, "c1")
    stop()
    await timeline.cancel_call(session_id, "c2")

    assert [event.payload for event in received] == [CancelAsked(call_id="c1")]


async def test_a_request_that_refers_to_missing_blocks_is_refused(timeline: Timeline) -> None:
    session_id = await create_session(timeline)
    here = Block.from_data(b"[]")
    asked = TurnAsked(
        invocation_id="i", contents=((Block.from_data(b"?").block_id,),), tools=here.block_id,
        instruction=here.block_id, config=here.block_id,
    )  # fmt: skip
    with pytest.raises(BlocksMissing, match="lacks 1 blocks"):
        await timeline.ask_by_reference(session_id, asked, [here], turn_id="t1", agent_name="a")
    assert not await timeline.read_events(session_id)
