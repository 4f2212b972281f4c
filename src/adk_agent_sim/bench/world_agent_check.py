"""Checks in another process, which loads the agents of a bench, that some of them get the tools of the world."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from adk_agent_sim.adk.worlds.run_plan import check_world_agents, load_agent
from adk_agent_sim.bench.process_pool import get_process_context, keep_start_method
from adk_agent_sim.errors import SimulatorError


def find_world_agent_problem(agents: Sequence[str], names: Collection[str]) -> str:
    """Return why an agent cannot be loaded, or has no agent of one of the names; empty if all have one.

    Args:
        agents: Folders, or `default`.
        names: What `--world-agent` names.
    """
    context = get_process_context()
    receiver, sender = context.Pipe(duplex=False)
    with keep_start_method():
        process = context.Process(target=_check_agents, args=(sender, tuple(agents), frozenset(names), Path.cwd()))
        process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        return "the process that loaded the agents has ended"
    finally:
        process.kill()  # agents may have started threads that would keep it running
        process.join()
        receiver.close()


def _check_agents(sender: Connection, agents: Sequence[str], names: frozenset[str], folder: Path) -> None:
    os.chdir(folder)
    silent = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(silent, descriptor)  # what agents print is not the result of the command
    try:
        for agent in agents:
            check_world_agents(load_agent(agent).root_agent, names)
    except SimulatorError as error:
        sender.send(str(error))
    else:
        sender.send("")
