"""An agent in a process of its own whose model is played at a server: python agent_process.py KIND [leave]

The server's address is in ADK_SIM_SERVER_URL. Prints the text of the last answer. With `leave` it ends without closing
its runner, as many scripts do.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections.abc import Callable
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent, ParallelAgent  # pyright: ignore[reportDeprecated] - users still have them
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import BaseModel, field_validator
from scripted_model import ScriptedModel, text_response

from adk_agent_sim import SimulatorPlugin, ToolErrorPlugin
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def _agent(name: str, description: str = "") -> LlmAgent:
    return LlmAgent(name=name, description=description, model="no-such-model", tools=[add])


def _parallel() -> App:
    agents: list[BaseAgent] = [_agent(f"a{number}") for number in range(3)]
    return App(name="parallel", root_agent=ParallelAgent(name="all", sub_agents=agents))  # pyright: ignore[reportDeprecated]


class _Rating(BaseModel):
    """A rating, with a rule that no JSON Schema contains."""

    title: str
    stars: int

    @field_validator("title")
    @classmethod
    def _refuse_todo(cls, value: str) -> str:
        if "TODO" in value:
            raise ValueError("it must not contain TODO")
        return value


def _rater() -> App:
    root = LlmAgent(name="rater", model="gemini-1.5-pro", tools=[add], output_schema=_Rating)
    return App(name="rater", root_agent=root)


def _hybrid() -> App:
    model = ScriptedModel(script=[_transfer(), text_response("never")])
    root = LlmAgent(name="real", model=model, sub_agents=[_agent("human", description="a person")])
    return App(name="hybrid", root_agent=root)


def _transfer() -> dict[str, object]:
    call = types.FunctionCall(name="transfer_to_agent", args={"agent_name": "human"})
    return {"content": types.Content(role="model", parts=[types.Part(function_call=call)])}


_KINDS: dict[str, tuple[Callable[[], App], list[str], dict[str, Any]]] = {
    "math": (lambda: math_app, ["What is 2+2, and 3*3?", "And 1/0?"], {}),
    "shop": (lambda: shop_app, ["Two cables to Ada in Berlin, please.", "Refund ORD-0001."], {"customer": "Ada"}),
    "parallel": (_parallel, ["go"], {}),
    "rater": (_rater, ["Rate it."], {}),
    "hybrid": (_hybrid, ["go"], {}),
    "sums": (lambda: App(name="sums", root_agent=_agent("sums")), ["sum up"], {}),
}


async def _main(kind: str, leaves: str = "") -> None:
    build, messages, state = _KINDS[kind]
    app = build()
    targets = ["human"] if kind == "hybrid" else None
    plugins = [SimulatorPlugin(target_agents=targets), ToolErrorPlugin()]
    runner = InMemoryRunner(app=app.model_copy(update={"plugins": plugins}))
    session = await runner.session_service.create_session(app_name=app.name, user_id="u", state=state)
    answer = ""
    for message in messages:
        content = types.Content(role="user", parts=[types.Part(text=message)])
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=content):
            parts = event.content.parts if event.content else None
            answer = (parts[0].text if parts else None) or answer
    if not leaves:
        await runner.close()
    print(answer)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asyncio.run(_main(*sys.argv[1:]))
