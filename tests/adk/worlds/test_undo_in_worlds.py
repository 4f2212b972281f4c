"""Undo and fork in scenarios' worlds: the world goes back to the turn, and what counts is judged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from polling import pause, wait_until
from timeline_builders import call_decision, text_decision
from world_runs import SEND_A, SEND_B, WAIT, build_mail_arrival, build_two_turns
from world_timelines import SCENARIO, RecordedWorldRun

from adk_agent_sim import Simulation
from adk_agent_sim.adk.time_travel.fork_source import ForkSource, read_settled_source, read_source_of_run, select_events
from adk_agent_sim.adk.time_travel.session_forking import find_redone_events, find_undo_point
from adk_agent_sim.adk.worlds.run_plan import create_default_agent
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_checkpoints import WorldCheckpoints
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.adk.worlds.world_time_travel import fork_world_run, rewind_world_run
from adk_agent_sim.errors import ForkRefused, InvalidTransition
from adk_agent_sim.scenario import Judge, ScenarioImportedFromJson
from adk_agent_sim.scenario.verdict.trace_files import list_timeline_trace
from adk_agent_sim.timeline.events import Event, Player
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.turn_prefix import TurnPrefix, cut_at_end, cut_before_message, cut_before_turn, list_turns
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.timeline.world_events import BY_PERSON, NotificationDelivered, VerdictReached, WorldTimeChanged

WRONG = (SEND_A[0], {"recipients": ["x@example.org"], "subject": "wrong"})


class Person:
    """Plays the agent of one run, and takes decisions back."""

    def __init__(self, run: WorldRun) -> None:
        self.run = run
        self.task: asyncio.Task[WorldRunResult] = asyncio.create_task(run.run())

    @property
    def session_id(self) -> str:
        assert self.run.agent_run is not None
        return self.run.agent_run.recorded_session.session_id

    async def find_turn(self) -> str:
        """Return the turn that waits, when one does."""
        await wait_until(lambda: self.run.agent_run is not None and self.run.agent_run.is_running)
        while not (waiting := (await self.run.timeline.get_summary(self.session_id)).pending):
            await pause()
        return next(iter(waiting))

    async def decide(self, *decisions: tuple[str, dict[str, Any]] | str) -> None:
        """Decide the next turns: calls of tools, and answers."""
        for each in decisions:
            response = text_decision(each) if isinstance(each, str) else call_decision(each[0], **each[1])
            turn_id = await self.find_turn()
            await self.run.timeline.decide(TurnDecision(self.session_id, turn_id, response))

    async def look(self) -> tuple[Any, float, int, list[tuple[float, str]]]:
        """Return the world as it is when a turn waits: its apps, its time, its turns and what happened in it."""
        await self.find_turn()
        world = self.run.world
        return world.state(), world.elapsed, world.turn, [(each.time, each.event_id) for each in world.event_log()]

    async def undo(self) -> None:
        await rewind_world_run(self.run, *await self.find_point(find_undo_point))

    async def redo(self) -> None:
        assert self.run.agent_run is not None
        source = await read_source_of_run(self.run.agent_run)
        source = select_events(source, find_redone_events(await self.list_events()), self.run.agent_run)
        await rewind_world_run(self.run, source, cut_at_end(source.events), redone=True)

    async def fork(self, number: int) -> Person:
        """Fork at a turn, by its number from 1."""
        point = await self.find_point(lambda events: cut_before_turn(events, list_turns(events)[number - 1].turn_id))
        return Person(await fork_world_run(self.run, *point))

    async def find_point(self, choose: Callable[[Sequence[Event]], TurnPrefix]) -> tuple[ForkSource, TurnPrefix]:
        if not self.task.done():
            await self.find_turn()
        assert self.run.agent_run is not None
        return await read_settled_source(self.run.agent_run, choose)

    async def list_events(self) -> Sequence[Event]:
        return await self.run.timeline.read_events(self.session_id)

    async def judge_timeline(self) -> bool:
        """Return the verdict on what the timeline says."""
        scenario = self.run.scenario
        return Judge(scenario).judge(list_timeline_trace(await self.list_events(), scenario)).passed


@asynccontextmanager
async def play(scenario: ScenarioImportedFromJson, *, keeps_checkpoints: bool = True) -> AsyncGenerator[Person]:
    """Let a person play a scenario."""
    checkpoints = WorldCheckpoints() if keeps_checkpoints else None
    run = WorldRun(create_default_agent(), scenario, player=Player.HUMAN, timeline=Timeline(), checkpoints=checkpoints)
    person = Person(run)
    try:
        yield person
    finally:
        person.task.cancel()
        await asyncio.wait({person.task})


async def test_an_undone_call_has_not_happened_in_the_world() -> None:
    async with play(build_two_turns()) as person:
        before = await person.look()
        await person.decide(WRONG)
        after = await person.look()
        await person.undo()
        undone = await person.look()
        await person.decide(SEND_A, "Done.", SEND_B, "Done.")
        result = await person.task

        assert after[0] != before[0]
        assert after[1] > before[1]
        assert undone == before
        assert (result.passed, result.call_count, result.message_count) == (True, 2, 2)
        assert await person.judge_timeline()
        sent = [each.arguments.get("subject") for each in person.run.world.find_agent_calls("Emails", "send_email")]
        assert sent == ["one", "two"]


async def test_the_answer_of_an_earlier_turn_is_undone_and_redone_with_the_user_message_after_it() -> None:
    async with play(build_two_turns()) as person:
        await person.decide(SEND_A)
        before = await person.look()
        await person.decide("Done.")
        after = await person.look()
        await person.undo()
        undone = await person.look()
        await person.redo()
        redone = await person.look()
        await person.undo()
        await person.decide("Done again.", SEND_B, "Done.")
        result = await person.task

        assert (before[2], after[2]) == (0, 1)
        assert (undone, redone) == (before, after)
        assert (result.passed, result.message_count) == (True, 2)
        assert await person.judge_timeline()
        counting = remove_undone_events(await person.list_events())
        assert [each.payload.turn for each in counting if isinstance(each.payload, VerdictReached)] == [1, 0]


async def test_a_notification_is_delivered_again_after_an_undo() -> None:
    async with play(build_mail_arrival()) as person:
        before = await person.look()
        await person.decide((WAIT, {"timeout": 60}))
        notified = await person.look()
        await person.decide(WRONG)
        await person.undo()
        assert await person.look() == notified
        await person.undo()
        assert await person.look() == before
        await person.decide((WAIT, {"timeout": 60}))
        assert await person.look() == notified
        await person.decide(SEND_A, "Done.")

        assert (await person.task).passed
        counting = remove_undone_events(await person.list_events())
        assert sum(isinstance(each.payload, NotificationDelivered) for each in counting) == 1


async def test_a_fork_has_a_world_of_its_own() -> None:
    async with play(build_two_turns()) as person:
        before = await person.look()
        await person.decide(WRONG)
        after = await person.look()
        forked = await person.fork(1)
        assert (await forked.look(), await person.look()) == (before, after)
        await forked.decide(SEND_A, "Done.", SEND_B)
        late = await forked.look()
        await forked.decide("Done.")
        await person.decide("Done.")

        assert forked.session_id != person.session_id
        assert ((await forked.task).passed, (await person.task).passed) == (True, False)
        assert (await forked.judge_timeline(), await person.judge_timeline()) == (True, False)
        again = await forked.fork(4)  # of a run that is over
        assert await again.look() == late
        await again.decide("Done.")
        assert (await again.task).passed


async def test_only_turns_can_be_gone_back_to() -> None:
    async with play(build_two_turns()) as person:
        await person.decide(WRONG)
        after = await person.look()
        point = await person.find_point(lambda events: cut_before_message(events, 1))
        with pytest.raises(ForkRefused, match="Choose a call or an answer"):
            await rewind_world_run(person.run, *point)
        assert await person.look() == after


async def test_a_run_whose_past_is_not_kept_refuses() -> None:
    async with play(build_two_turns(), keeps_checkpoints=False) as person:
        await person.decide(WRONG)
        with pytest.raises(ForkRefused, match="was not kept"):
            await person.undo()


async def test_a_stored_session_is_not_forked_without_its_world() -> None:
    store = MemoryStore()
    session_id = await RecordedWorldRun(Judge(SCENARIO)).write(Timeline(store))
    with pytest.raises(ForkRefused, match=r"the world is no longer here.*Run the scenario again"):
        await Simulation.fork_stored(LlmAgent(name="desk"), store, session_id, 1)


class TestClock:
    """A person lets time pass while their turn waits."""

    async def test_what_happens_meanwhile_is_on_the_timeline_and_in_the_next_request(self) -> None:
        async with play(build_mail_arrival()) as person:
            await person.find_turn()
            await person.run.session.pass_time()
            elapsed = person.run.world.elapsed
            await person.decide((WAIT, {"timeout": 1}))
            await person.decide(SEND_A, "Done.")
            result = await person.task
            events = await person.list_events()
        moved = [each.payload for each in events if isinstance(each.payload, WorldTimeChanged)]
        mails = [each.payload for each in events if isinstance(each.payload, NotificationDelivered)]
        assert (elapsed, result.passed) == (10, True)
        assert (moved[0].from_seconds, moved[0].to_seconds, moved[0].reason) == (0, 10, BY_PERSON)
        assert [each.elapsed_seconds for each in mails if "email" in each.text] == [10]
        assert await person.judge_timeline()

    async def test_each_move_is_undone_and_redone_by_itself(self) -> None:
        async with play(build_mail_arrival()) as person:
            before = await person.look()
            await person.run.session.pass_time(4)
            passed = await person.look()
            await person.run.session.pass_time()
            stepped = await person.look()
            for expected in (passed, before):
                await person.undo()
                assert await person.look() == expected
            with pytest.raises(ForkRefused, match="nothing to undo"):
                await person.undo()
            for expected in (passed, stepped):
                await person.redo()
                assert await person.look() == expected
            await person.undo()
            await person.run.session.pass_time(until=5)
            with pytest.raises(ForkRefused, match="nothing to redo"):
                await person.redo()
            await person.decide(SEND_A, "Done.")
            assert (await person.task).passed is False, "the mail was sent before it was asked for"
        assert [each[1:2] for each in (before, passed, stepped)] == [(0,), (4,), (10,)]

    async def test_an_undone_decision_leaves_the_clock_where_it_was_moved_to(self) -> None:
        async with play(build_mail_arrival()) as person:
            await person.find_turn()
            await person.run.session.pass_time()
            stepped = await person.look()
            await person.decide(WRONG)
            after = await person.look()
            await person.undo()
            assert await person.look() == stepped
            await person.redo()
            assert await person.look() == after
            await person.undo()
            await person.decide(SEND_A, "Done.")
            assert (await person.task).passed
            assert await person.judge_timeline()

    async def test_a_fork_of_the_waiting_turn_has_the_clock_of_now(self) -> None:
        async with play(build_mail_arrival()) as person:
            await person.find_turn()
            await person.run.session.pass_time()
            stepped = await person.look()
            fork = Person(await fork_world_run(person.run, *await person.find_point(cut_at_end)))
            assert await fork.look() == stepped
            with pytest.raises(ForkRefused, match="no longer kept"):
                await fork.undo()
            fork.task.cancel()
            await asyncio.wait({fork.task})

    @pytest.mark.parametrize(
        ("times", "message"),
        [
            ({"seconds": 0}, "at 0 s, and time only passes"),
            ({"until": 0}, "at 0 s, and time only passes"),
            ({"seconds": 60}, "over at 60 s"),
            ({"until": 1e9}, "over at 60 s"),
        ],
    )
    async def test_time_neither_goes_back_nor_beyond_the_end(self, times: dict[str, float], message: str) -> None:
        async with play(build_mail_arrival(duration=60)) as person:
            before = await person.look()
            with pytest.raises(InvalidTransition, match=message):
                await person.run.session.pass_time(**times)
            assert await person.look() == before

    async def test_no_time_passes_when_nothing_comes_by_itself_or_no_turn_waits(self) -> None:
        async with play(build_two_turns()) as person:
            with pytest.raises(InvalidTransition, match="none does now"):
                await person.run.session.pass_time(1)
            before = await person.look()
            with pytest.raises(InvalidTransition, match="before the user gets a message"):
                await person.run.session.pass_time()
            assert await person.look() == before
