"""The agent of `--agent default`, and the check of the names of the agents that alone get the tools of a world."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.apps import App
from google.adk.workflow import BaseNode

from adk_agent_sim.adk.loading.agent_tree import iter_agents
from adk_agent_sim.errors import InvalidRunOption

DEFAULT_MODEL = "gemini-2.5-flash"

INSTRUCTION = """\
You are the personal assistant of one user, and act for them in their apps: email, messages, calendar, contacts, files,
shopping, cabs, apartments and others. The names of your tools begin with the name of the app.

How you work:
- Read before you act. Look up names, ids, addresses, dates and contents with the tools; never invent them.
- Do exactly what the user asks, completely, and nothing else. Every change you make is real: do not send, book, buy,
  delete or edit anything that was not asked for, and do nothing twice.
- Read long lists to their end: tools return pages. Search again with other words before you conclude that something
  does not exist.
- If a call fails, read the error, correct the call, and try again; try another way before you give up.
- The time in the apps is simulated. Ask the system app for it, and reckon words such as "tomorrow" from there.
- If the user wants something to happen later or after something else, wait for notifications with the system app, as
  often as necessary, and act as soon as it is time.
- Notifications tell you what has happened meanwhile. Act on them if they concern your task; otherwise ignore them.
- If the request is ambiguous or impossible, and the apps do not answer it, ask the user one precise question instead
  of guessing.

When you are done, and not before, give the user one short answer: what was asked for, or what you did. It ends your
turn. Do not announce what you are going to do.
"""


def create_default_agent() -> App:
    """Return a new default agent."""
    agent = LlmAgent(
        name="default_agent",
        model=DEFAULT_MODEL,
        description="A personal assistant that acts in the apps of its user.",
        instruction=INSTRUCTION,
    )
    return App(name="default_agent", root_agent=agent)


def check_world_agents(root: BaseNode | None, names: AbstractSet[str]) -> None:
    """Raise InvalidRunOption if no agent of a tree has one of the names: nobody would get the world's tools.

    Some names may belong to other agents of a bench. Workflows, which can make agents while they run, are not checked.
    """
    if not names or not isinstance(root, BaseAgent):
        return
    found = [agent.name for agent in iter_agents(root)]
    if names.isdisjoint(found):
        raise InvalidRunOption(
            "the world agent", ", ".join(sorted(names)), f"no agent has that name, only {', '.join(found)[:300]}"
        )
