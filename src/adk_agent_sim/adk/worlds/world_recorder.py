"""Records what happens in a run's world on the timeline of its session: events, notifications, time and verdicts.

The world works synchronously, so what happens in it is collected first, and appended between two steps of the run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

from adk_agent_sim.scenario.verdict.verdict import Verdict
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.notifications import DeliveredNotification
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.scenario.world.world_facts import build_notification, build_world_event, build_world_start
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Payload
from adk_agent_sim.timeline.world_events import BY_PERSON, VerdictReached, WorldTimeChanged


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

    def record_notifications(self, notifications: Sequence[DeliveredNotification]) -> None:
        """Record what the agent is notified of."""
        self._collected += [build_notification(each) for each in notifications]

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
