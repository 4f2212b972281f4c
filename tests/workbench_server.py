"""A real server that a browser can open, in a separate thread with its own event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol


class WorkbenchServer(Protocol):
    """A running server of a simulator."""

    @property
    def url(self) -> str:
        """A URL for the browser, with a one-time code."""
        ...

    async def stop(self) -> None:
        """Close every connection and free the port."""
        ...


class Simulator(Protocol):
    """The part of `AgentSimulator` that tests use."""

    async def start(self, *, port: int) -> WorkbenchServer:
        """Start the server; port 0 selects a free one."""
        ...


def build_demo_simulator(folder: Path) -> Simulator:
    """Build a simulator with both demo agents; exports go to the folder."""
    from adk_agent_sim import AgentSimulator, SimulatedAgentConfig
    from adk_agent_sim.adk.demo.math_agent.agent import root_agent as math_agent
    from adk_agent_sim.adk.demo.shop_agent.agent import root_agent as shop_agent

    return AgentSimulator(
        [
            SimulatedAgentConfig(name=agent.name, agent=agent, eval_set_path=folder / f"{agent.name}.evalset.json")
            for agent in (math_agent, shop_agent)
        ]
    )


@asynccontextmanager
async def run_workbench(make: Callable[[], Simulator]) -> AsyncGenerator[WorkbenchServer]:
    """Run the simulator that `make` creates, in a separate thread, until the block ends."""
    started: Future[tuple[WorkbenchServer, Callable[[], object]]] = Future()
    thread = asyncio.create_task(asyncio.to_thread(asyncio.run, _serve(make, started)))
    thread.add_done_callback(lambda ended: started.done() or started.set_exception(ended.exception()))
    server, end = await asyncio.wrap_future(started)
    try:
        yield server
    finally:
        end()
        await thread


async def _serve(make: Callable[[], Simulator], started: Future[tuple[WorkbenchServer, Callable[[], object]]]) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    server = await make().start(port=0)
    try:
        started.set_result((server, lambda: loop.call_soon_threadsafe(ended.set)))
        await ended.wait()
    finally:
        await server.stop()
