"""Agents for the journeys in the browser: one has a tool for every kind of field, others fail, wait or ask."""

from __future__ import annotations

import asyncio
import threading
import warnings
from datetime import date
from enum import Enum, IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from google.adk.agents import (
    BaseAgent,
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.models import BaseLlm
from google.adk.tools import FunctionTool, ToolContext
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from pydantic import BaseModel, Field

from adk_agent_sim import SimulatedAgentConfig

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100"
    "c9fe92ef0000000049454e44ae426082"
)
"""A PNG of one pixel."""

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "[click](javascript:document.title='owned') ![spy](http://example.com/spy.png) "
    "<iframe src='http://example.com'></iframe> <style>body{display:none}</style>"
)
"""What a model or a tool might say to take over the page."""


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    """How much."""

    LOW = 1
    HIGH = 3


class Address(BaseModel):
    """Where to."""

    street: str = Field(description="Street and number")
    zip_code: str | None = None


class Card(BaseModel):
    """A card."""

    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    """Coins and notes."""

    kind: Literal["cash"]
    amount: float


class Folder(BaseModel):
    """A folder in folders."""

    name: str
    folders: list[Folder] = Field(default_factory=list["Folder"])


def search(query: str, limit: int = 10) -> str:
    """Search for something.

    Args:
        query: What to look for.
        limit: How many results at most.
    """
    return f"{query}:{limit}:{type(limit).__name__}"


def convert(text: str, format: Literal["json", "xml"]) -> str:  # noqa: A002 - as users write it
    """Convert a text."""
    return f"{format}:{text}"


def order(
    items: Annotated[
        list[Annotated[str, Field(description="A product or a service")]], Field(description="What to buy")
    ],
    address: Address,
    payment: Card | Cash,
    colour: Colour,
    level: Level,
    gift: bool,
    weight: Annotated[float, Field(ge=0, le=50, description="In kilograms")],
    when: date,
    notes: dict[str, Annotated[int, Field(description="Marks out of ten")]] | None = None,
    code: Annotated[str, Field(pattern="^[A-Z]{3}$", description="The code of the shop")] = "ABC",
    hurry: bool | None = None,
    size: Literal["XXS", "XS", "S", "M", "L", "XL", "XXL"] = "M",
) -> dict[str, Any]:
    """Order things: a field of every kind."""
    return {
        "items": items,
        "address": address.model_dump(),
        "payment": payment.model_dump(),
        "colour": colour.value,
        "level": int(level),
        "gift": gift,
        "weight": weight,
        "when": when.isoformat(),
        "notes": notes,
        "code": code,
        "hurry": hurry,
        "size": size,
    }


def tidy(folder: Folder) -> str:
    """Tidy a folder and those in it."""
    return folder.model_dump_json()


def count_bits(number: int) -> str:
    """Say a number digit by digit."""
    return f"{number} {type(number).__name__}"


def fetch(url: str) -> str:
    """Fetch a page; there is no network."""
    raise ConnectionError(f"cannot reach {url}")


def big(lines: int) -> list[dict[str, Any]]:
    """Give a long result."""
    return [{"line": number, "text": "x" * 40} for number in range(lines)]


def hostile() -> str:
    """Give what an attacker wrote."""
    return HOSTILE


def nested_json() -> str:
    """Give JSON in a text."""
    return '{"inner": {"deep": [1, 2, 3]}}'


async def wait_for_ever(name: str = "one") -> str:
    """Wait until cancelled."""
    await asyncio.Event().wait()
    return name


def block_for_ever() -> str:
    """Block a thread until the process ends."""
    threading.Event().wait()
    return ""


async def paint(tool_context: ToolContext) -> str:
    """Save a picture, and remember it."""
    await tool_context.save_artifact("picture.png", types.Part.from_bytes(data=PIXEL, mime_type="image/png"))
    tool_context.state["painted"] = {"pictures": 1}
    return "painted"


def refund(amount: int) -> str:
    """Give money back; asks first."""
    return f"refunded {amount}"


TOOLS: list[Any] = [
    search,
    convert,
    order,
    tidy,
    count_bits,
    fetch,
    big,
    hostile,
    nested_json,
    wait_for_ever,
    block_for_ever,
    paint,
    FunctionTool(refund, require_confirmation=True),
]


class Question(BaseModel):
    """What the structured agent is asked."""

    query: str = Field(description="What to find out")
    max_results: int = 5


class Verdict(BaseModel):
    """What the structured agent answers."""

    answer: str
    confidence: float = Field(ge=0, le=1)


class BrokenToolset(BaseToolset):
    """Tools whose server is not there."""

    async def get_tools(self, readonly_context: Any = None) -> list[Any]:
        raise ConnectionError("the tool server at 127.0.0.1:1 refused the connection")

    async def close(self) -> None:
        return


def build_kitchen_agent(model: BaseLlm | str = "gemini-2.5-flash") -> LlmAgent:
    """The agent with a tool for everything."""
    return LlmAgent(
        name="kitchen",
        model=model,
        description="Has a tool for every kind of field.",
        instruction="# Kitchen\n\nUse the **tools**. The guest is {guest?}.",
        tools=TOOLS,
    )


def build_structured_agent() -> LlmAgent:
    """An agent that is asked and answers in a structure."""
    return LlmAgent(
        name="structured",
        model="gemini-2.5-flash",
        description="Is asked and answers in a structure.",
        input_schema=Question,
        output_schema=Verdict,
    )


def build_talker_agent() -> LlmAgent:
    """An agent without tools."""
    return LlmAgent(name="talker", model="gemini-2.5-flash", description="Only talks.", instruction="Talk.")


def build_broken_agent() -> LlmAgent:
    """An agent whose tools do not load."""
    return LlmAgent(name="broken", model="gemini-2.5-flash", tools=[BrokenToolset()])


def build_twins_agent() -> BaseAgent:
    """Two agents at once."""
    agents: list[Any] = [LlmAgent(name=name, model="gemini-2.5-flash", tools=[search]) for name in ("left", "right")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ADK has no successor yet that takes its place everywhere
        return ParallelAgent(name="twins", sub_agents=agents)  # pyright: ignore[reportDeprecated]


def build_agent_config(agent: Any, folder: Path) -> SimulatedAgentConfig:
    """An agent with its EvalSet in a folder."""
    return SimulatedAgentConfig(name=agent.name, agent=agent, eval_set_path=folder / f"{agent.name}.evalset.json")
