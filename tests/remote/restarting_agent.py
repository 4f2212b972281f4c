"""An agent whose process can restart its sessions: python restarting_agent.py [plain] [stamp]

The server's address is in ADK_SIM_SERVER_URL. It prints what runs, and lives until it is stopped. With `plain`, it
cannot restart anything; with `stamp`, a callback does something else in each run.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from itertools import count

from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.adk.tools import ToolContext
from google.genai import types

from adk_agent_sim import SimulatorPlugin
from adk_agent_sim.errors import RunUndone

_STAMPS = count()


async def add(a: int, b: int, tool_context: ToolContext) -> int:
    """Add two numbers, and remember the sum."""
    print(f"add {a} {b}", flush=True)
    tool_context.state["sum"] = a + b
    await tool_context.save_artifact("sum.txt", types.Part(text=str(a + b)))
    return a + b


def stamp(callback_context: CallbackContext) -> None:
    """Change the state, differently in each run."""
    callback_context.state["stamp"] = next(_STAMPS)


async def _main(*options: str) -> None:
    callback = stamp if "stamp" in options else None
    name = "plain_adder" if "plain" in options else "adder"
    agent = LlmAgent(
        name=name,
        model="no-such-model",
        instruction="The last sum was {sum?}, the stamp is {stamp?}.",
        tools=[add],
        before_agent_callback=callback,
    )
    plugin = SimulatorPlugin(restart=None if "plain" in options else lambda session: session.run(runner))
    runner = InMemoryRunner(app=App(name=name, root_agent=agent, plugins=[plugin]))
    session = await runner.session_service.create_session(app_name=name, user_id="u", state={"sum": 0})
    for text in ("1+1?", "2+2?"):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        try:
            async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
                if event.is_final_response() and event.content and event.content.parts:
                    print(f"said {event.content.parts[0].text}", flush=True)
        except RunUndone:
            print("undone", flush=True)
    print("over", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(_main(*sys.argv[1:]))
