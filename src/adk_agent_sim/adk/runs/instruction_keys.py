"""Finds the keys of the session state that instructions need, and explains runs that failed because one is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from google.adk.agents import LlmAgent
from google.adk.sessions import State

from adk_agent_sim.adk.adk_messages import find_missing_variable
from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.errors import SimulatorError, StateKeyMissing

_VARIABLE = re.compile(r"(?<![\$\{\\]){+[^{}]*}+")
"""A variable in an instruction, as ADK finds it."""

_PREFIXES = (State.APP_PREFIX, State.USER_PREFIX)


def find_instruction_keys(root: object) -> dict[str, list[str]]:
    """Return the keys that the instructions of an agent and those below it need, each with the agents that need it.

    A key that an agent writes as its `output_key` is left out, and so is one of an instruction that a function returns.
    """
    agents = [agent for agent in iter_agents(root) if isinstance(agent, LlmAgent)]
    written = {agent.output_key for agent in agents}
    needed: dict[str, list[str]] = {}
    for agent in agents:
        for text in (agent.global_instruction, agent.instruction):
            for key in _iter_keys(text) if isinstance(text, str) else ():
                users = needed.setdefault(key, [])
                users += [agent.name] if agent.name not in users and key not in written else []
    return {key: users for key, users in needed.items() if users}


def find_missing_keys(root: object, state: Collection[str]) -> list[str]:
    """Return the keys that instructions need and the state does not have; callbacks and nodes may set them in a run."""
    return [key for key in find_instruction_keys(root) if key not in state]


def explain_missing_key(error: BaseException, root: object, state: Collection[str]) -> StateKeyMissing | None:
    """Return what to do about a run that failed because an instruction needs a key that the state does not have.

    Args:
        error: The exception that ended the run.
        root: The root agent.
        state: The session state.

    Returns:
        None if the run failed for another reason.
    """
    found = find_missing_variable(error)
    if found is None:
        return None
    key, agent_name = found
    others = [
        each
        for each, users in find_instruction_keys(root).items()
        if each not in state and each != key and agent_name in users
    ]
    return StateKeyMissing([key, *others], agent_name)


def is_explained(error: BaseException) -> bool:
    """Return whether people are told in words what a failed run is about, so that its traceback would add nothing."""
    has_words = isinstance(error, SimulatorError) or isinstance(error.__cause__, SimulatorError)
    return has_words or find_missing_variable(error) is not None


def _iter_keys(instruction: str) -> Iterator[str]:
    for match in _VARIABLE.finditer(instruction):
        key = match.group().lstrip("{").rstrip("}").strip()
        name = next((key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix)), key)
        # Other texts in braces need no key: they are optional (`key?`), name an artifact, or are left alone by ADK.
        if name.isidentifier():
            yield key
