"""The behaviour of every store: the same tests run in memory, on SQLite and on PostgreSQL."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, select, update
from stores import AnyStore, append_drafts, prepare_appends
from timeline_builders import user_content

from adk_agent_sim.errors import (
    EventExists,
    LogChanged,
    SessionClosed,
    SessionExists,
    SessionNotFound,
    StoreFailed,
    TurnAlreadyDecided,
)
from adk_agent_sim.persistence import tables
from adk_agent_sim.persistence.database_store import DatabaseStore, open_store
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.events import (
    Closed,
    Event,
    Payload,
    Session,
    TurnAsked,
    TurnDecided,
    TurnRevived,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.read_model.session_summary import STATUS_PROJECTIONS, ProtocolStatus
from adk_agent_sim.timeline.session_queries import SessionFilter
from adk_agent_sim.timeline.store import Store


def session(created_at: float = 1_700_000_000.25, description: str = "a test") -> Session:
    return Session(session_id=str(uuid4()), created_at=created_at, description=description)


def event(session_id: str, payload: Payload | None = None, turn_id: str = "") -> Event:
    return Event(
        event_id=str(uuid4()),
        session_id=session_id,
        seq=0,
        timestamp=1_700_000_000.123456,
        payload=payload or UserSpoke(content=user_content("hi")),
        turn_id=turn_id,
    )


def _read_status(engine: Engine, session_id: str) -> str:
    """Return the column `status`, which clients of the first protocol see."""
    with engine.connect() as connection:
        return connection.scalars(select(tables.sessions.c.status).where(tables.sessions.c.id == session_id)).one()


async def create_session(store: Store) -> str:
    new = session()
    await store.create_session(new)
    return new.session_id


class TestEveryStore:
    async def test_sessions_are_listed_newest_first(self, store: AnyStore) -> None:
        listed = [session(created_at) for created_at in (1_700_000_000.001, 1_700_000_000.002, 1_700_000_001.0)]
        for one in listed:
            await store.create_session(one)

        assert [summary.session for summary in await store.list_summaries()] == [*reversed(listed)]

    async def test_a_session_is_created_once(self, store: AnyStore) -> None:
        new = session()
        await store.create_session(new)
        (kept,) = await append_drafts(store, [event(new.session_id)])

        with pytest.raises(SessionExists, match=new.session_id):
            await store.create_session(new)
        assert list(await store.read_events(new.session_id)) == [kept]

    async def test_appended_events_are_read_back_with_their_seq(self, store: AnyStore) -> None:
        session_id = await create_session(store)
        first = await append_drafts(store, [event(session_id), event(session_id)])
        second = await append_drafts(store, [event(session_id)])

        assert [one.seq for one in (*first, *second)] == [1, 2, 3]
        assert list(await store.read_events(session_id)) == [*first, *second]
        assert list(await store.read_events(session_id, after_seq=2)) == list(second)
        assert list(await store.read_events(session_id, after_seq=3)) == []

    async def test_concurrent_appends_are_numbered_without_gaps_in_call_order(self, store: AnyStore) -> None:
        sessions = [await create_session(store) for _ in range(3)]
        drafts = [event(sessions[number % 3]) for number in range(90)]
        prepared = await prepare_appends(store, drafts)
        appended = await asyncio.gather(*(store.append([each], (), model) for each, model in prepared))

        for session_id in sessions:
            log = await store.read_events(session_id)
            assert [one.seq for one in log] == list(range(1, 31))
            assert [one.event_id for one in log] == [one.event_id for one in drafts if one.session_id == session_id]
        assert {one.event_id for (one,) in appended} == {one.event_id for one in drafts}

    @pytest.mark.req("003/event-1")
    async def test_an_unknown_session_is_named(self, store: AnyStore) -> None:
        with pytest.raises(SessionNotFound, match="nowhere"):
            await store.read_events("nowhere")
        with pytest.raises(SessionNotFound, match="nowhere"):
            await append_drafts(store, [event("nowhere")])
        with pytest.raises(SessionNotFound, match="nowhere"):
            await store.read_blocks("nowhere", [])

    async def test_blocks_are_kept_once_per_session(self, store: AnyStore) -> None:
        session_id, other = await create_session(store), await create_session(store)
        blocks = [Block.from_data(str(number).encode()) for number in range(1_200)]
        await append_drafts(store, [event(session_id)], blocks[:2])
        await append_drafts(store, [event(session_id)], blocks)

        found = await store.read_blocks(session_id, [block.block_id for block in blocks])

        assert list(found.items()) == [(block.block_id, block.data) for block in blocks]
        assert not await store.read_blocks(other, [blocks[0].block_id])


class TestDatabases:
    @pytest.mark.req("003/repository-1", "003/flow-1", "003/flow-2", "003/rule-3", "003/schema-3")
    async def test_a_session_is_active_until_it_is_closed_and_never_again(
        self, database_store: DatabaseStore, engine: Engine
    ) -> None:
        session_id = await create_session(database_store)
        created = _read_status(engine, session_id)
        await append_drafts(database_store, [event(session_id)])
        used = _read_status(engine, session_id)
        await append_drafts(database_store, [event(session_id, Closed(reason="over"))])

        assert (created, used, _read_status(engine, session_id)) == ("active", "active", "completed")
        with pytest.raises(SessionClosed):
            await append_drafts(database_store, [event(session_id)])
        assert _read_status(engine, session_id) == "completed"

    @pytest.mark.req("003/repository-2")
    async def test_a_session_is_found_by_its_id(self, database_store: DatabaseStore) -> None:
        new = session()
        await database_store.create_session(new)

        found = await database_store.find_summary(new.session_id)
        assert found
        assert found.session == new
        assert await database_store.find_summary("unknown") is None

    @pytest.mark.req("003/repository-3")
    async def test_active_sessions_are_listed_newest_first(self, database_store: DatabaseStore) -> None:
        old, closed, new = (session(created_at) for created_at in (1.0, 2.0, 3.0))
        for one in (old, closed, new):
            await database_store.create_session(one)
        await append_drafts(database_store, [event(closed.session_id, Closed(reason="over"))])

        active = [status for status, each in STATUS_PROJECTIONS.items() if each.protocol is ProtocolStatus.ACTIVE]
        listed = await database_store.list_summaries(SessionFilter(statuses=active))
        assert [summary.session for summary in listed] == [new, old]

    @pytest.mark.req("003/rule-1")
    async def test_the_database_itself_refuses_a_second_decision_of_a_turn(self, database_store: DatabaseStore) -> None:
        session_id, other = await create_session(database_store), await create_session(database_store)

        def decision(of: str) -> Event:
            return event(of, TurnDecided(decision_id=str(uuid4()), response={}), turn_id="t1")

        drafts = [decision(session_id) for _ in range(10)]
        answers = await asyncio.gather(
            *(append_drafts(database_store, [draft, event(session_id)]) for draft in drafts),
            append_drafts(database_store, [decision(other)]),
            return_exceptions=True,
        )

        log = await database_store.read_events(session_id)
        assert [one.seq for one in log] == [1, 2], "a refused decision leaves nothing behind, and no gap"
        refused = [answer for answer in answers if isinstance(answer, TurnAlreadyDecided)]
        assert [answer.event_id for answer in refused] == [log[0].event_id] * 9
        assert len(await database_store.read_events(other)) == 1

    async def test_an_event_that_cannot_be_written_does_not_affect_others(self, database_store: DatabaseStore) -> None:
        session_id = await create_session(database_store)
        twice = event(session_id)
        answers = await asyncio.gather(
            *(append_drafts(database_store, [one]) for one in (event(session_id), twice, twice, event(session_id))),
            return_exceptions=True,
        )

        assert sorted(isinstance(answer, EventExists) for answer in answers) == [False, False, False, True]
        assert [one.seq for one in await database_store.read_events(session_id)] == [1, 2, 3]

    async def test_events_for_a_log_that_has_changed_are_refused(self, store: AnyStore) -> None:
        session_id = await create_session(store)
        (first, model), _ = await prepare_appends(store, [event(session_id), event(session_id)])
        await append_drafts(store, [event(session_id)])

        with pytest.raises(LogChanged, match=session_id):
            await store.append([first], (), model)
        assert len(await store.read_events(session_id)) == 1

    async def test_text_that_looks_like_sql_is_only_text(self, database_store: DatabaseStore) -> None:
        name = "x'); DROP TABLE events; --"
        await database_store.create_session(Session(session_id=name, created_at=1.0, description=name))
        await append_drafts(database_store, [event(name, turn_id=name)])

        assert [one.turn_id for one in await database_store.read_events(name)] == [name]

    async def test_everything_is_there_after_a_restart(self, database: str) -> None:
        async with open_store(database) as store:
            session_id = await create_session(store)
            kept = await append_drafts(store, [event(session_id)], [Block.from_data(b"data")])
        async with open_store(database) as store:
            assert list(await store.read_events(session_id)) == kept
            more = await append_drafts(store, [event(session_id)])
            assert [one.seq for one in more] == [2]

    @pytest.mark.parametrize("damage", [b"", b"[]", b"{}", b"{", b'{"pending": [{}]}'])
    async def test_a_summary_that_is_damaged_is_computed_from_the_log(
        self, database: str, engine: Engine, damage: bytes
    ) -> None:
        async with open_store(database) as store:
            session_id = await create_session(store)
            await append_drafts(store, [event(session_id), event(session_id)])
            intact = await store.find_summary(session_id)
        with engine.begin() as connection:
            connection.execute(update(tables.sessions).values(summary=damage))

        async with open_store(database) as store:
            assert await store.find_summary(session_id) == intact
            assert (await store.load_read_model(session_id)).summary == intact
            (third,) = await append_drafts(store, [event(session_id)])
            assert third.seq == 3
        with engine.connect() as connection:
            assert connection.execute(select(tables.sessions.c.summary)).scalar_one() != damage

    async def test_requests_that_come_and_go_in_one_transaction_are_as_after_the_last_event(
        self, database: str
    ) -> None:
        asked = TurnAsked(invocation_id="i", contents=(), tools="", instruction="", config="")
        revived = TurnRevived(invocation_id="i", client_id="")
        async with open_store(database) as store:
            session_id = await create_session(store)
            await append_drafts(store, [event(session_id, asked, "kept"), event(session_id, asked, "gone")])
            drafts = [
                event(session_id, asked, "brief"),
                event(session_id, TurnWithdrawn(), "kept"),
                event(session_id, TurnWithdrawn(), "gone"),
                event(session_id, TurnWithdrawn(), "brief"),
                event(session_id, revived, "kept"),
            ]
            prepared = await prepare_appends(store, drafts)
            await asyncio.gather(*(store.append([each], (), model) for each, model in prepared))

            queue = await store.list_pending()
            assert [entry.request.request_id for entry in queue] == ["kept"]
            assert await store.count_pending() == 1

    async def test_closing_waits_for_queued_writes_and_accepts_no_more(self, database: str) -> None:
        async with open_store(database) as store:
            session_id = await create_session(store)
            prepared = await prepare_appends(store, [event(session_id) for _ in range(50)])
            appending = [asyncio.ensure_future(store.append([each], (), model)) for each, model in prepared]
            await asyncio.to_thread(int)  # lets them be queued
        appended = await asyncio.gather(*appending)
        with pytest.raises(StoreFailed, match="the store is closed"):
            await store.append([prepared[0][0]], (), prepared[0][1])

        async with open_store(database) as store:
            assert [[one] for one in await store.read_events(session_id)] == appended


async def test_a_path_may_be_given_as_such_or_as_a_url(tmp_path: Path) -> None:
    path = tmp_path / "ü b.db"
    async with open_store(path) as store:
        session_id = await create_session(store)
    async with open_store(f"sqlite:///{path}") as store:
        assert (await store.load_read_model(session_id)).summary.session.session_id == session_id
