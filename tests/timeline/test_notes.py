"""Notes of people on rows: the last one of a row wins, a closed session takes them, and nothing else changes."""

from pathlib import Path

import pytest
from stores import AnyStore
from timeline_builders import ask_turn, user_content

from adk_agent_sim.errors import NotFound, SessionClosed, SessionNotFound
from adk_agent_sim.timeline.events import Closed, Noted, TurnWithdrawn, UserSpoke
from adk_agent_sim.timeline.jsonl import load_session, write_session
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch
from adk_agent_sim.timeline.timeline import Timeline


async def _speak(timeline: Timeline, *texts: str) -> str:
    session_id = (await timeline.create_session()).session_id
    await timeline.append(EventBatch(session_id, [UserSpoke(content=user_content(text)) for text in texts]))
    return session_id


async def _read_notes(timeline: Timeline, session_id: str) -> list[str]:
    return [row.note for row in await timeline.read_rows(session_id, 0, 100)]


async def test_the_last_note_of_a_row_wins_and_an_empty_one_removes_it(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one", "two", "three")
    await timeline.note_row(session_id, 0, "first")
    await timeline.note_row(session_id, 2, "kept\nin two lines")
    noted = await timeline.note_row(session_id, 0, "second")

    assert noted.payload == Noted(row_index=0, about_seq=1, text="second")
    assert await _read_notes(timeline, session_id) == ["second", "", "kept\nin two lines"]
    # Another process loads what is stored.
    assert await _read_notes(Timeline(store), session_id) == ["second", "", "kept\nin two lines"]
    await Timeline(store).note_row(session_id, 0, "")
    assert await _read_notes(timeline, session_id) == ["", "", "kept\nin two lines"]


async def test_a_note_changes_its_row_and_nothing_else(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one", "two")
    before = await timeline.read_rows(session_id, 0, 2)
    noted = await timeline.note_row(session_id, 0, "why?")
    (changed,) = await timeline.read_changed_rows(session_id, noted.seq - 1)

    assert (changed.index, changed.updated_seq, changed.note) == (0, noted.seq, "why?")
    assert changed.sources == before[0].sources
    assert (await timeline.read_rows(session_id, 1, 1)) == [before[1]]
    assert (await timeline.get_summary(session_id)).row_count == 2


async def test_a_note_in_the_same_batch_as_its_row_is_on_it(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one")
    said = [UserSpoke(content=user_content(text)) for text in ("two", "three")]
    notes = [Noted(row_index=0, about_seq=1, text="old"), Noted(row_index=1, about_seq=2, text="new")]
    await timeline.append(EventBatch(session_id, [*said, *notes]))

    assert await _read_notes(timeline, session_id) == ["old", "new", ""]


async def test_a_closed_session_takes_notes_but_no_other_events(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one")
    closed = await timeline.close_session(session_id, "done")
    await timeline.note_row(session_id, 0, "first")
    await Timeline(store).note_row(session_id, 1, "about the end")
    spoke = UserSpoke(content=user_content("late"))
    with pytest.raises(SessionClosed):
        await timeline.append(EventBatch(session_id, [Noted(row_index=0, about_seq=1, text="x"), spoke]))

    assert await _read_notes(timeline, session_id) == ["first", "about the end"]
    assert (await timeline.get_summary(session_id)).status is SessionStatus.CLOSED
    assert await timeline.close_session(session_id, "again") == closed
    followed = [event async for event in timeline.follow(session_id)]
    assert [type(event.payload) for event in followed] == [UserSpoke, Closed, Noted, Noted]


async def test_a_note_leaves_the_status_as_it_is(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one")
    await ask_turn(timeline, session_id, "t1")
    await timeline.note_row(session_id, 0, "while it waits")
    assert (await timeline.get_summary(session_id)).status is SessionStatus.WAITING
    await timeline.append(EventBatch(session_id, [TurnWithdrawn(abandoned=True)], turn_id="t1"))
    await timeline.note_row(session_id, 0, "while nobody is there")

    assert (await timeline.get_summary(session_id)).status is SessionStatus.ABANDONED


@pytest.mark.parametrize("index", [-1, 1, 2**63 - 1, 2**80])
async def test_a_row_that_does_not_exist_gets_no_note(store: AnyStore, index: int) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one")
    with pytest.raises(NotFound, match=f"There is no row {index}; the session has 1 rows"):
        await timeline.note_row(session_id, index, "x")
    with pytest.raises(SessionNotFound):
        await timeline.note_row("other", 0, "x")

    assert await timeline.get_last_seq(session_id) == 1


async def test_a_note_about_a_row_of_another_event_is_ignored(store: AnyStore) -> None:
    timeline = Timeline(store)
    session_id = await _speak(timeline, "one", "two")
    wrong = [Noted(row_index=0, about_seq=2, text="x"), Noted(row_index=9, about_seq=1, text="x")]
    await timeline.append(EventBatch(session_id, wrong))

    assert await _read_notes(timeline, session_id) == ["", ""]


async def test_a_file_of_a_session_has_its_notes(store: AnyStore, tmp_path: Path) -> None:
    source = MemoryStore()
    timeline = Timeline(source)
    session_id = await _speak(timeline, "one", "two")
    await timeline.close_session(session_id, "done")
    await timeline.note_row(session_id, 0, "why \ud800?")
    await write_session(source, await timeline.get_session(session_id), tmp_path / "log.jsonl")
    restored = await load_session(tmp_path / "log.jsonl", store)

    assert await store.read_events(restored.session_id) == source.get_log(session_id)
    assert await _read_notes(Timeline(store), restored.session_id) == ["why \ud800?", "", ""]
