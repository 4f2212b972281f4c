"""Records what happens in a run's world on the timeline of its session: events, notifications, time and verdicts.

The world works synchronously, so what happens in it is collected first, and appended between two steps of the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from adk_agent_sim.scenario.world.event_log import CompletedEvent, mark_empty_texts
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Payload
from adk_agent_sim.timeline.verdict import Verdict
from adk_agent_sim.timeline.world_events import (
    BY_PERSON,
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
    WorldTimeChanged,
)


def build_world_start(
    world: World, *, source: str | Path | None = None, options: Mapping[str, Json] | None = None
) -> WorldStarted:
    """Build the event of a world's start.

    Args:
        world: The world.
        source: The file that its scenario was read from, if there is one.
        options: How it was configured beyond its scenario.
    """
    scenario = world.scenario
    file = None if source is None else Path(source)
    return WorldStarted(
        scenario_id=scenario.scenario_id,
        start_time=float(scenario.start_time or 0),
        seed=world.seed,
        source="" if file is None else str(file),
        digest=hashlib.sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else "",
        options=dict(options or {}),
    )


def build_world_event(completed: CompletedEvent, start_time: float, *, call_id: str = "") -> WorldEventHappened:
    """Build the event of something that happened in a world.

    Args:
        completed: What happened.
        start_time: The scenario's start.
        call_id: The tool call that it comes from, if it comes from one.
    """
    return WorldEventHappened(
        event=mark_empty_texts(completed.exported_event).model_dump(mode="json"),
        elapsed_seconds=max(0.0, round(completed.time - start_time, 6)),
        call_id=call_id,
    )


class WorldRecorder:
    """Collects what happens in a world, in order."""

    def __init__(self, world: World, *, judge_name: str) -> None:
        """Listen to a world from now on.

        Args:
            world: The world, before its first tick.
            judge_name: Who answers the judge's soft checks.
        """
        self._world = world
        self._judge_name = judge_name
        self._start_time = float(world.scenario.start_time or 0)
        self._collected: list[Payload] = []
        self._call_id = ""
        self.append: Callable[[Sequence[Payload]], Awaitable[None]] | None = None
        """Appends events to the timeline."""
        self.get_position: Callable[[], Awaitable[int]] = _get_no_position
        """Returns the seq of the last event on the timeline."""
        world.on_event = self._collect_event

    def record_start(self, source: str, options: Mapping[str, Json]) -> None:
        """Record that the world was created."""
        self._collected.append(build_world_start(self._world, source=source or None, options=options))

    def record_notifications(self, notifications: Sequence[NotificationDelivered]) -> None:
        """Record what the agent is notified of."""
        self._collected += notifications

    def record_turn_verdict(self, verdict: Verdict) -> None:
        """Record the verdict on the turns so far."""
        judged = sum(each.status != "not judged" for each in verdict.turns)
        self._collected.append(self._build_verdict(verdict, judged))

    def record_verdict(self, verdict: Verdict) -> None:
        """Record the verdict on the whole run."""
        self._collected.append(self._build_verdict(verdict, 0))

    @contextmanager
    def record_time(self, reason: str) -> Generator[None]:
        """Record the time that passes inside the context, before what happens in it.

        What a person does is recorded even if no time passes, so that it can be undone.
        """
        place, before = len(self._collected), self._world.elapsed
        yield
        if self._world.elapsed > before or reason == BY_PERSON:
            changed = WorldTimeChanged(from_seconds=before, to_seconds=self._world.elapsed, reason=reason)
            self._collected.insert(place, changed)

    @contextmanager
    def record_call(self, call_id: str) -> Generator[None]:
        """Record which tool call the agent's actions inside the context come from."""
        self._call_id = call_id
        try:
            yield
        finally:
            self._call_id = ""

    async def flush(self) -> None:
        """Append to the timeline what was collected."""
        if self._collected and self.append is not None:
            # Emptied before the await: what happens meanwhile belongs to the next flush.
            collected, self._collected = self._collected, []
            await self.append(collected)

    def drop(self) -> None:
        """Forget what was collected: it was undone."""
        self._collected = []

    def _collect_event(self, event: CompletedEvent) -> None:
        call_id = self._call_id if event.kind == "AGENT" else ""
        self._collected.append(build_world_event(event, self._start_time, call_id=call_id))

    def _build_verdict(self, verdict: Verdict, turn: int) -> VerdictReached:
        return VerdictReached(
            turn=turn, passed=verdict.passed, reason=verdict.reason, verdict=verdict.to_json(), judge=self._judge_name
        )


async def _get_no_position() -> int:
    return 0
