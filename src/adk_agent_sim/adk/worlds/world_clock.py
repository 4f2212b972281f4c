"""The world's time for everything else that has a clock: the timeline, the rules, and ADK itself."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import count
from uuid import UUID

from google.adk.platform import time as platform_time
from google.adk.platform import uuid as platform_uuid

from adk_agent_sim.scenario.world.world import World


class WorldClock:
    """A clock and a sleeper: durations are simulated, and a wait lets the world's time pass."""

    def __init__(self, world: World) -> None:
        self._world = world

    def now(self) -> float:
        """Return the simulated time, in seconds since the Unix epoch."""
        return self._world.now

    def monotonic(self) -> float:
        """Return the seconds since the scenario's start."""
        return self._world.elapsed

    async def sleep(self, seconds: float) -> None:
        """Let this much simulated time pass, and let other tasks run, as a real wait does."""
        if self._world.status == "RUNNING":
            self._world.advance(seconds)
        await asyncio.sleep(0)


@contextmanager
def use_world_time(world: World, run_number: int, numbers: Iterator[int] | None = None) -> Generator[None]:
    """Let ADK take times from the world, and ids from the seed and the run's number, in the current task.

    ADK's providers are context variables: other tasks, and so other runs, are not affected.

    Args:
        world: The world.
        run_number: The number of the run.
        numbers: The numbers of the ids, if other tasks create ids of the same run.
    """
    used_numbers = numbers if numbers is not None else count()

    def create_id() -> str:
        text = f"{world.seed}/{run_number}/{world.scenario.scenario_id}/{next(used_numbers)}"
        # The id of a scenario comes from a file and may contain half of a surrogate pair.
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        return str(UUID(bytes=digest, version=4))

    platform_time.set_time_provider(lambda: world.now)
    platform_uuid.set_id_provider(create_id)
    try:
        yield
    finally:
        platform_time.reset_time_provider()
        platform_uuid.reset_id_provider()
