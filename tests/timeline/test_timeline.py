import asyncio
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from polling import MAX_WAIT_SECONDS
from stores import AnyStore
from timeline_builders import (
    ADD_DECLARATION,
    ManualClock,
    ask_turn,
    build_request_blocks,
    call_decision,
    text_decision,
    user_content,
)

from adk_agent_sim.errors import (
    BlocksMissing,
    EmptyDecision,
    EventExists,
    InvalidAnswer,
    InvalidArguments,
    InvalidField,
    SeqOutOfRange,
    SessionClosed,
    SessionNotFound,
    ToolNotOffered,
    TurnAbandoned,
    TurnAlreadyDecided,
    TurnNotFound,
    TurnNotNext,
)
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.committed_events import EVENTS_PER_PAGE
from adk_agent_sim.timeline.events import (
    Event,
    Player,
    RunEnded,
    RunOutcome,
    ToolStarted,
    TurnDecided,
    TurnWithdrawn,
    UserSpoke,
)
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import EventBatch, TurnDecision
from adk_agent_sim.timeline.timeline import Timeline


@pytest.fixture
def timeline(store: AnyStore) -> Timeline:
    return Timeline(store)


@pytest.fixture
async def session_id(timeline: Timeline) -> str:
    return (await timeline.create_session("a test")).session_id


def _spoke(number: int) -> UserSpoke:
    return UserSpoke(content=user_content(str(number)))


async def test_events_of_a_session_are_numbered_without_gaps(timeline: Timeline, session_id: str) -> None:
    other = (await timeline.create_session()).session_id
    for number in range(3):
        await timeline.append(EventBatch(session_id, [_spoke(number), _spoke(number)]))
        await timeline.append(EventBatch(other, [_spoke(number)]))

    assert [event.seq for event in await timeline.read_events(session_id)] == [1, 2, 3, 4, 5, 6]
    assert [event.seq for event in await timeline.read_events(other)] == [1, 2, 3]


@pytest.mark.req("001/FR-017", "001/SC-005", "003/rule-2")
async def test_timestamps_never_decrease_although_the_clock_does(store: AnyStore) -> None:
    clock = ManualClock(1_000.0)
    timeline = Timeline(store, clock)
    session_id = (await timeline.create_session()).session_id
    for time in (1_000.0, 2_000.0, 1_500.0, 2_500.0):
        clock.time = time
        await timeline.append(EventBatch(session_id, [_spoke(0)]))

    assert [event.timestamp for event in await timeline.read_events(session_id)] == [1_000.0, 2_000.0, 2_000.0, 2_500.0]


async def test_a_follower_gets_history_then_what_happens_no_gap_no_repeat(timeline: Timeline, session_id: str) -> None:
    async def follow(after_seq: int) -> list[int]:
        return [event.seq async for event in timeline.follow(session_id, after_seq)]

    await timeline.append(EventBatch(session_id, [_spoke(number) for number in range(5)]))
    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(follow(2))
        for number in range(20):
            await timeline.append(EventBatch(session_id, [_spoke(number)]))
            await asyncio.to_thread(int)  # lets the follower run in between
        await timeline.close_session(session_id, "the test is over")

    assert following.result() == list(range(3, 27))


async def test_events_that_were_appended_before_are_skipped_and_the_others_appended(
    timeline: Timeline, session_id: str
) -> None:
    drafts = EventBatch(session_id, [_spoke(number) for number in range(5)]).build_drafts()
    await timeline.append_drafts(session_id, drafts[:2])
    repeated = [drafts[2], drafts[0], drafts[3], drafts[3], drafts[1], drafts[4]]
    appended = await timeline.append_drafts(session_id, repeated)

    assert [event.event_id for event in appended] == [draft.event_id for draft in drafts[2:]]
    log = await timeline.read_events(session_id)
    assert [event.event_id for event in log] == [draft.event_id for draft in drafts]
    assert [event.seq for event in log] == [1, 2, 3, 4, 5]
    assert await timeline.append_drafts(session_id, drafts) == ()
    assert await timeline.get_last_seq(session_id) == 5


async def test_more_repeated_events_than_a_statement_takes_are_skipped(timeline: Timeline, session_id: str) -> None:
    drafts = EventBatch(session_id, [_spoke(number) for number in range(1_200)]).build_drafts()
    await timeline.append_drafts(session_id, drafts[:-1])
    appended = await timeline.append_drafts(session_id, drafts)

    assert [event.seq for event in appended] == [1_200]


async def test_an_event_of_another_session_is_refused_and_nothing_is_appended(
    timeline: Timeline, session_id: str
) -> None:
    other_id = (await timeline.create_session()).session_id
    (draft,) = EventBatch(session_id, [_spoke(1)]).build_drafts()
    await timeline.append_drafts(session_id, [draft])
    batch = [replace(draft, session_id=other_id), *EventBatch(other_id, [_spoke(2)]).build_drafts()]

    with pytest.raises(
        EventExists, match=f"Event '{draft.event_id}' already exists in session '{session_id}'"
    ) as error:
        await timeline.append_drafts(other_id, batch)
    assert error.value.session_ids == {draft.event_id: session_id}
    assert not await timeline.read_events(other_id)


async def test_an_id_is_free_again_once_its_session_is_deleted(timeline: Timeline, session_id: str) -> None:
    other_id = (await timeline.create_session()).session_id
    (draft,) = EventBatch(session_id, [_spoke(1)]).build_drafts()
    await timeline.append_drafts(session_id, [draft])
    await timeline.delete_session(session_id)

    assert len(await timeline.append_drafts(other_id, [replace(draft, session_id=other_id)])) == 1


async def test_an_invalid_event_is_refused_and_none_of_its_batch_is_appended(
    timeline: Timeline, session_id: str
) -> None:
    with pytest.raises(InvalidField, match=r"user_spoke\.content must be an object, and is a list"):
        await timeline.append(EventBatch(session_id, [_spoke(1), UserSpoke(content=[1])]))
    await ask_turn(timeline, session_id, "t1")
    with pytest.raises(InvalidField, match=r"^response\.content must be an object, and is a string"):
        await timeline.decide(TurnDecision(session_id, "t1", {"content": "hi"}))
    with pytest.raises(InvalidField, match=r"^duration_ms must be a finite number"):
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("hi"), duration_ms=math.nan))

    assert await timeline.get_last_seq(session_id) == 1


async def test_a_follower_cannot_continue_after_an_event_that_the_session_lacks(
    timeline: Timeline, session_id: str
) -> None:
    await timeline.append(EventBatch(session_id, [_spoke(1), _spoke(2)]))
    for after_seq in (3, 2**63 - 1, 2**70):
        with pytest.raises(SeqOutOfRange, match=f"no event {after_seq}: its last one is 2") as error:
            await anext(timeline.follow(session_id, after_seq))
        assert error.value.last_seq == 2


async def test_a_follower_may_continue_after_an_event_of_another_process(store: AnyStore, session_id: str) -> None:
    here, there = Timeline(store), Timeline(store)
    await here.get_last_seq(session_id)
    await there.append(EventBatch(session_id, [_spoke(1), _spoke(2)]))
    followed = here.follow(session_id, 1)

    assert (await anext(followed)).seq == 2
    await followed.aclose()


class _CountingStore(MemoryStore):
    """Records how many events each read of a log returned."""

    def __init__(self) -> None:
        super().__init__()
        self.read_sizes: list[int] = []

    async def read_events(self, session_id: str, after_seq: int = 0, limit: int | None = None) -> Sequence[Event]:
        events = await super().read_events(session_id, after_seq, limit)
        self.read_sizes.append(len(events))
        return events


async def test_a_follower_reads_a_long_log_in_pages() -> None:
    store = _CountingStore()
    timeline = Timeline(store)
    session_id = (await timeline.create_session()).session_id
    count = 2 * EVENTS_PER_PAGE
    await timeline.append(EventBatch(session_id, [_spoke(number) for number in range(count)]))
    store.read_sizes.clear()
    followed = timeline.follow(session_id)
    seqs = [(await anext(followed)).seq for _ in range(EVENTS_PER_PAGE + 1)]
    assert store.read_sizes == [EVENTS_PER_PAGE, EVENTS_PER_PAGE], "the next page is read when the last one is used up"

    await timeline.append(EventBatch(session_id, [_spoke(count)]))
    await timeline.close_session(session_id, "done")
    seqs += [event.seq async for event in followed]

    assert seqs == list(range(1, count + 3))
    assert max(store.read_sizes) == EVENTS_PER_PAGE


async def test_a_follower_gets_what_was_just_committed_without_reading_it_again() -> None:
    store = _CountingStore()
    timeline = Timeline(store)
    session_id = (await timeline.create_session()).session_id
    followed = timeline.follow(session_id)
    await timeline.append(EventBatch(session_id, [_spoke(0)]))
    assert (await anext(followed)).seq == 1
    store.read_sizes.clear()
    for number in range(1, 20):
        await timeline.append(EventBatch(session_id, [_spoke(number)]))
        assert (await anext(followed)).seq == number + 1
    assert store.read_sizes == []

    # More than are kept in memory: the missing ones are read.
    await timeline.append(EventBatch(session_id, [_spoke(number) for number in range(100)]))
    assert [(await anext(followed)).seq for _ in range(100)] == list(range(21, 121))
    assert store.read_sizes == [100]
    await followed.aclose()


async def test_a_follower_is_told_that_its_session_was_deleted(timeline: Timeline, session_id: str) -> None:
    followed = timeline.follow(session_id)
    await timeline.append(EventBatch(session_id, [_spoke(0)]))
    await anext(followed)
    next_event = asyncio.ensure_future(anext(followed))
    await asyncio.to_thread(int)  # lets it wait
    await timeline.delete_session(session_id)
    with pytest.raises(SessionNotFound):
        await next_event


async def test_many_writers_and_followers_see_one_order(timeline: Timeline, session_id: str) -> None:
    async def write(writer: int) -> None:
        for number in range(25):
            await timeline.append(EventBatch(session_id, [_spoke(writer * 100 + number)]))

    async def follow() -> list[Event]:
        return [event async for event in timeline.follow(session_id)]

    followers = [asyncio.ensure_future(follow()) for _ in range(4)]
    async with asyncio.TaskGroup() as writers:
        for writer in range(8):
            writers.create_task(write(writer))
    await timeline.close_session(session_id, "done")
    logs = await asyncio.gather(*followers)

    assert all(log == logs[0] for log in logs)
    assert [event.seq for event in logs[0]] == list(range(1, 202))


@pytest.mark.req("003/queue-2", "003/queue-3", "003/queue-5", "003/flow-3", "003/flow-4")
async def test_pending_turns_are_the_asked_ones_without_a_decision_in_order(
    timeline: Timeline, session_id: str
) -> None:
    for turn in ("t1", "t2", "t3"):
        await ask_turn(timeline, session_id, turn)
    other = (await timeline.create_session()).session_id
    await ask_turn(timeline, other, "elsewhere")
    assert [event.turn_id for event in await timeline.get_pending_turns(session_id)] == ["t1", "t2", "t3"]
    await timeline.decide(TurnDecision(session_id, "t1", text_decision("one")))

    assert [event.turn_id for event in await timeline.get_pending_turns(session_id)] == ["t2", "t3"]
    assert [event.turn_id for event in await timeline.get_pending_turns(other)] == ["elsewhere"]


@pytest.mark.req("003/queue-1")
async def test_pending_turns_are_derived_from_the_log_alone(session_id: str, timeline: Timeline) -> None:
    await ask_turn(timeline, session_id, "t1")
    await ask_turn(timeline, session_id, "t2")
    await timeline.decide(TurnDecision(session_id, "t1", text_decision("one")))
    reopened = Timeline(timeline.store)  # as a restarted process opens it

    assert [event.turn_id for event in await reopened.get_pending_turns(session_id)] == ["t2"]
    with pytest.raises(TurnAlreadyDecided):
        await reopened.decide(TurnDecision(session_id, "t1", text_decision("again")))


async def test_waiting_for_a_decision_ends_with_it(timeline: Timeline, session_id: str) -> None:
    await ask_turn(timeline, session_id, "t1")
    waiting = asyncio.ensure_future(timeline.wait_for_decision(session_id, "t1"))
    await asyncio.to_thread(int)  # lets it start to wait
    decided = await timeline.decide(TurnDecision(session_id, "t1", call_decision("add", a=1, b=2)))

    assert await waiting == decided
    assert decided.player is Player.HUMAN
    assert isinstance(decided.payload, TurnDecided)


async def test_waiting_ends_when_the_session_is_closed(timeline: Timeline, session_id: str) -> None:
    await ask_turn(timeline, session_id, "t1")
    waiting = asyncio.ensure_future(timeline.wait_for_decision(session_id, "t1"))
    await asyncio.to_thread(int)  # lets it start to wait
    await timeline.close_session(session_id, "enough")
    await timeline.close_session(session_id, "enough again")

    with pytest.raises(SessionClosed):
        await waiting
    with pytest.raises(SessionClosed):
        await timeline.append(EventBatch(session_id, [_spoke(1)]))
    with pytest.raises(SessionClosed):
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("late")))


async def test_waiting_ends_when_the_run_has_ended(timeline: Timeline, session_id: str) -> None:
    await ask_turn(timeline, session_id, "t1")
    waiting = asyncio.ensure_future(timeline.wait_for_decision(session_id, "t1"))
    await asyncio.to_thread(int)  # lets it start to wait
    await timeline.append(EventBatch(session_id, [RunEnded(invocation_id="inv", outcome=RunOutcome.CANCELLED)]))

    with pytest.raises(TurnAbandoned):
        await waiting
    assert not await timeline.get_pending_turns(session_id)
    with pytest.raises(TurnAbandoned):
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("late")))


class _SlowStore(MemoryStore):
    """Returns from `append` only when a test allows it, after the commit, as a database may."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = asyncio.Event()
        self.answer.set()

    async def append(
        self, events: Sequence[Event], blocks: Iterable[Block], read_model: SessionReadModel
    ) -> Sequence[Event]:
        committed = await super().append(events, blocks, read_model)
        await self.answer.wait()
        return committed


async def test_a_decision_counts_even_if_its_caller_was_cancelled_after_the_write() -> None:
    store = _SlowStore()
    timeline = Timeline(store)
    session_id = (await timeline.create_session()).session_id
    await ask_turn(timeline, session_id, "t1")
    waiting = asyncio.ensure_future(timeline.wait_for_decision(session_id, "t1"))
    store.answer.clear()
    deciding = asyncio.ensure_future(
        timeline.decide(TurnDecision(session_id, "t1", text_decision("mine"), decision_id="d1"))
    )
    await asyncio.to_thread(int)
    deciding.cancel()
    await asyncio.to_thread(int)
    store.answer.set()

    assert (await asyncio.wait_for(waiting, MAX_WAIT_SECONDS)).payload == TurnDecided(
        decision_id="d1", response=text_decision("mine")
    )
    with pytest.raises(asyncio.CancelledError):
        await deciding
    with pytest.raises(TurnAlreadyDecided):
        await timeline.decide(TurnDecision(session_id, "t1", text_decision("another")))


async def test_a_withdrawn_turn_is_not_pending(timeline: Timeline, session_id: str) -> None:
    await ask_turn(timeline, session_id, "t1")
    await ask_turn(timeline, session_id, "t2")
    await timeline.append(EventBatch(session_id, [TurnWithdrawn()], turn_id="t1"))

    assert [event.turn_id for event in await timeline.get_pending_turns(session_id)] == ["t2"]
    with pytest.raises(TurnAbandoned):
        await timeline.wait_for_decision(session_id, "t1")
    await timeline.decide(TurnDecision(session_id, "t2", text_decision("x")))


class TestDecisionsAreChecked:
    @pytest.mark.req("003/event-1")
    async def test_unknown_session(self, timeline: Timeline) -> None:
        with pytest.raises(SessionNotFound, match="nowhere"):
            await timeline.decide(TurnDecision("nowhere", "t1", text_decision("x")))

    @pytest.mark.req("003/rule-1")
    async def test_unknown_turn(self, timeline: Timeline, session_id: str) -> None:
        with pytest.raises(TurnNotFound, match="t9"):
            await timeline.decide(TurnDecision(session_id, "t9", text_decision("x")))
        with pytest.raises(TurnNotFound, match="t9"):
            await timeline.wait_for_decision(session_id, "t9")

    @pytest.mark.req("003/rule-1")
    async def test_already_answered(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1")
        first = await timeline.decide(TurnDecision(session_id, "t1", text_decision("first")))

        with pytest.raises(TurnAlreadyDecided, match=first.event_id):
            await timeline.decide(TurnDecision(session_id, "t1", text_decision("second")))

    async def test_a_retry_with_the_same_decision_id_is_the_same_decision(
        self, timeline: Timeline, session_id: str
    ) -> None:
        await ask_turn(timeline, session_id, "t1")
        first = await timeline.decide(TurnDecision(session_id, "t1", text_decision("first"), decision_id="d1"))
        again = await timeline.decide(TurnDecision(session_id, "t1", text_decision("first"), decision_id="d1"))

        assert again == first
        assert len(await timeline.read_events(session_id)) == 2

    async def test_two_people_at_once_one_wins(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1")
        answers = await asyncio.gather(
            *(timeline.decide(TurnDecision(session_id, "t1", text_decision(str(number)))) for number in range(10)),
            return_exceptions=True,
        )

        assert sum(isinstance(answer, Event) for answer in answers) == 1
        assert sum(isinstance(answer, TurnAlreadyDecided) for answer in answers) == 9

    @pytest.mark.req("003/queue-4")
    async def test_not_the_head_of_the_queue(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1", agent_name="first")
        await ask_turn(timeline, session_id, "t2", agent_name="second")

        with pytest.raises(TurnNotNext, match=r"'t1' of agent 'first'"):
            await timeline.decide(TurnDecision(session_id, "t2", text_decision("x")))
        await timeline.decide(
            TurnDecision(session_id, "t2", text_decision("a real model needs not wait"), player=Player.REAL)
        )

    @pytest.mark.parametrize(
        "empty",
        [
            {},
            {"content": {"role": "model", "parts": []}},
            {"content": {"role": "model", "parts": [{"text": ""}]}},
            {"content": {"role": "model", "parts": [{"thought": True}]}},
        ],
    )
    @pytest.mark.req("003/rule-4")
    async def test_empty(self, timeline: Timeline, session_id: str, empty: dict[str, Any]) -> None:
        await ask_turn(timeline, session_id, "t1")

        with pytest.raises(EmptyDecision):
            await timeline.decide(TurnDecision(session_id, "t1", empty, force=True))

    async def test_tool_not_offered(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1")

        with pytest.raises(ToolNotOffered, match=r"'multiply' is not offered.*add") as refused:
            await timeline.decide(TurnDecision(session_id, "t1", call_decision("multiply", a=1, b=2)))
        assert refused.value.offered == ("add",)

    @pytest.mark.req("001/FR-006")
    async def test_arguments_that_do_not_match_the_schema(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1")

        with pytest.raises(InvalidArguments, match=r"a: is 'x', must be an integer") as refused:
            await timeline.decide(TurnDecision(session_id, "t1", call_decision("add", a="x", c=1)))
        assert {problem.path for problem in refused.value.problems} == {"a", "b", "c"}

    async def test_an_answer_that_does_not_match_the_schema(self, timeline: Timeline, session_id: str) -> None:
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        await ask_turn(timeline, session_id, "t1", build_request_blocks([user_content("hi")], response_schema=schema))

        with pytest.raises(InvalidAnswer, match="answer: is required"):
            await timeline.decide(TurnDecision(session_id, "t1", text_decision("{}")))
        with pytest.raises(InvalidAnswer, match="must be JSON"):
            await timeline.decide(TurnDecision(session_id, "t1", text_decision("four")))
        await timeline.decide(TurnDecision(session_id, "t1", text_decision('{"answer": "four"}')))

    async def test_a_refused_decision_leaves_the_turn_unchanged(self, timeline: Timeline, session_id: str) -> None:
        await ask_turn(timeline, session_id, "t1")
        before = await timeline.read_events(session_id)
        with pytest.raises(ToolNotOffered):
            await timeline.decide(TurnDecision(session_id, "t1", call_decision("nope")))

        assert await timeline.read_events(session_id) == before

    @pytest.mark.parametrize("response", [call_decision("nope"), call_decision("add", a="x")])
    async def test_a_person_can_override_the_checks(
        self, timeline: Timeline, session_id: str, response: dict[str, Any]
    ) -> None:
        await ask_turn(timeline, session_id, "t1")
        decided = await timeline.decide(TurnDecision(session_id, "t1", response, force=True))

        assert isinstance(decided.payload, TurnDecided)
        assert decided.payload.force

    @pytest.mark.parametrize("player", [Player.REAL, Player.RECORDED, Player.SIMULATED])
    @pytest.mark.parametrize("response", [{}, call_decision("nope"), call_decision("add", a="x")])
    async def test_other_players_are_never_checked(
        self, timeline: Timeline, session_id: str, player: Player, response: dict[str, Any]
    ) -> None:
        await ask_turn(timeline, session_id, "t1")

        assert (await timeline.decide(TurnDecision(session_id, "t1", response, player=player))).player is player


class TestRequests:
    async def test_a_request_is_reassembled_as_it_was_asked(self, timeline: Timeline, session_id: str) -> None:
        contents = [user_content(str(number)) for number in range(100)]
        asked = await ask_turn(timeline, session_id, "t1", build_request_blocks(contents))

        request = await timeline.read_request(asked)

        assert list(request.contents) == contents
        assert request.declarations == {"add": ADD_DECLARATION}
        assert request.instruction == "Be kind."
        assert request.config == {"model": "m", "config": {}}

    async def test_asking_the_same_turn_again_changes_nothing(self, timeline: Timeline, session_id: str) -> None:
        first = await ask_turn(timeline, session_id, "t1")

        assert await ask_turn(timeline, session_id, "t1") == first
        assert len(await timeline.read_events(session_id)) == 1

    async def test_only_a_turn_asked_event_has_a_request(self, timeline: Timeline, session_id: str) -> None:
        (started,) = await timeline.append(
            EventBatch(session_id, [ToolStarted(call_id="c", tool_name="add", arguments={})])
        )

        with pytest.raises(TypeError, match="ToolStarted"):
            await timeline.read_request(started)

    @pytest.mark.parametrize("sizes", [(50, 400), pytest.param((100, 1_000), marks=pytest.mark.long)])
    async def test_a_conversation_is_stored_once_however_often_it_is_sent(self, sizes: tuple[int, int]) -> None:
        async def count_stored_bytes(turns: int) -> int:
            store = MemoryStore()
            timeline = Timeline(store)
            session_id = (await timeline.create_session()).session_id
            contents: list[dict[str, Any]] = []
            for turn in range(turns):
                contents += [user_content(f"question {turn:06d}"), user_content(f"answer {turn:06d}")]
                await ask_turn(timeline, session_id, str(turn), build_request_blocks(contents))
            return store.count_stored_bytes(session_id)

        per_turn = [await count_stored_bytes(turns) / turns for turns in sizes]

        assert per_turn[1] <= per_turn[0] * 1.1


async def test_each_turn_is_validated_by_its_own_settings_although_they_are_kept() -> None:
    timeline = Timeline()
    other_tool = {**ADD_DECLARATION, "name": "multiply"}
    for number in range(70):  # more than are kept
        session = await timeline.create_session()
        tool = other_tool if number % 2 else ADD_DECLARATION
        request = build_request_blocks(tools=[tool, {"name": f"tool_{number}"}])
        asked = await ask_turn(timeline, session.session_id, "turn", request)

        settings = await timeline.read_request_settings(asked)

        assert list(settings.declarations) == [tool["name"], f"tool_{number}"]
        full = await timeline.read_request(asked)
        assert (settings.tools, settings.instruction, settings.config) == (full.tools, full.instruction, full.config)
        not_offered = call_decision("add" if number % 2 else "multiply", a=1, b=2)
        with pytest.raises(ToolNotOffered):
            await timeline.decide(TurnDecision(session.session_id, "turn", not_offered))


async def test_settings_whose_blocks_are_gone_are_reported() -> None:
    class ForgetfulStore(MemoryStore):
        async def read_blocks(self, session_id: str, block_ids: Sequence[str]) -> dict[str, bytes]:
            return {}

    timeline = Timeline(ForgetfulStore())
    session = await timeline.create_session()
    asked = await ask_turn(timeline, session.session_id, "turn")

    with pytest.raises(BlocksMissing):
        await timeline.read_request_settings(asked)
