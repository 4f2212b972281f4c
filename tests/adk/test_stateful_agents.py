"""Agents whose tools are all played by `mock: stateful`: four styles of naming tools, in real runs of ADK."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from mcp import StdioServerParameters
from pydantic import BaseModel

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.adk.steps.steps import Step
from adk_agent_sim.environment.rules_file import parse_rules

_RULES = 'rules: [{match: {tool: "*"}, do: {mock: stateful}}]'
_MCP_SERVER = Path(__file__).parents[1] / "mcp_issues_server.py"


def _refuse() -> NoReturn:
    raise AssertionError("the real tool must not run")


class Pet(BaseModel):
    """A pet."""

    id: int
    name: str
    tag: str


class Pets(BaseModel):
    """A page of pets."""

    data: list[Pet]
    total_count: int


class Player:
    """Plays the model of an agent with mocked tools, and returns what they respond."""

    def __init__(self, *tools: Any) -> None:
        agent = LlmAgent(name="clerk", model="gemini-2.5-flash", tools=list(tools))
        plugin = EnvironmentSimulationFactory.create_plugin(parse_rules(_RULES))
        self.sim = Simulation(App(name="clerk", root_agent=agent, plugins=[plugin]))
        self._step: Step | None = None

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its response."""
        step = self._step or await self.sim.send("hello")
        self._step = await step.call(tool, arguments)
        return [entry.response for entry in self.sim.history() if entry.type == "tool_output"][-1]


async def test_a_rest_api() -> None:
    def post_pets(name: str, tag: str) -> Pet:
        """POST /pets."""
        _refuse()

    def get_pets(tag: str = "") -> Pets:
        """GET /pets."""
        _refuse()

    def get_pets_by_id(id: int) -> Pet:  # noqa: A002 - as REST tools call it
        """GET /pets/{id}."""
        _refuse()

    def delete_pets_id(id: int) -> dict[str, Any]:  # noqa: A002 - as REST tools call it
        """DELETE /pets/{id}."""
        _refuse()

    pets = Player(post_pets, get_pets, get_pets_by_id, delete_pets_id)
    async with pets.sim:
        rex = await pets.call("post_pets", name="Rex", tag="dog")
        tom = await pets.call("post_pets", name="Tom", tag="cat")
        assert await pets.call("get_pets_by_id", id=tom["id"]) == tom
        assert await pets.call("get_pets", tag="dog") == {"data": [rex], "total_count": 1}
        await pets.call("delete_pets_id", id=rex["id"])
        assert (await pets.call("get_pets_by_id", id=rex["id"]))["error_code"] == 404
        assert (await pets.call("get_pets"))["data"] == [tom]


async def test_verbs_in_camel_case() -> None:
    def createBooking(guests: int, day: str) -> dict[str, Any]:  # noqa: N802 - the style under test
        """Book a table."""
        _refuse()

    def findBookings(day: str) -> dict[str, Any]:  # noqa: N802 - the style under test
        """Find bookings of a day."""
        _refuse()

    def getBookingById(bookingId: str) -> dict[str, Any]:  # noqa: N802, N803 - the style under test
        """Show a booking."""
        _refuse()

    def cancelBooking(bookingId: str) -> dict[str, Any]:  # noqa: N802, N803 - the style under test
        """Cancel a booking."""
        _refuse()

    tables = Player(createBooking, findBookings, getBookingById, cancelBooking)
    async with tables.sim:
        made = await tables.call("createBooking", guests=2, day="friday")
        assert (made["guests"], made["day"]) == (2, "friday")
        (key,) = [name for name in made if name.lower().replace("_", "") == "bookingid"]
        assert await tables.call("getBookingById", bookingId=made[key]) == made
        cancelled = await tables.call("cancelBooking", bookingId=made[key])
        assert cancelled["status"] == "cancelled"
        (found,) = (await tables.call("findBookings", day="friday"))["bookings"]
        assert (found[key], found["status"]) == (made[key], "cancelled")
        assert (await tables.call("findBookings", day="monday"))["bookings"] == []
        assert (await tables.call("getBookingById", bookingId="none"))["error_code"] == 404


async def test_one_tool_with_an_action() -> None:
    def tickets(
        action: Literal["create", "get", "list", "close", "delete"],
        ticket_id: str = "",
        title: str = "",
        status: str = "",
    ) -> dict[str, Any]:
        """Do everything about tickets."""
        _refuse()

    desk = Player(tickets)
    async with desk.sim:
        made = await desk.call("tickets", action="create", title="Broken")
        closed = await desk.call("tickets", action="close", ticket_id=made["ticket_id"])
        assert closed["status"] == "closed"
        assert await desk.call("tickets", action="get", ticket_id=made["ticket_id"]) == closed
        assert (await desk.call("tickets", action="list"))["total"] == 1
        await desk.call("tickets", action="delete", ticket_id=made["ticket_id"])
        assert (await desk.call("tickets", action="get", ticket_id=made["ticket_id"]))["error_code"] == 404


@pytest.mark.process
async def test_the_tools_of_a_running_mcp_server() -> None:
    server = StdioServerParameters(command=sys.executable, args=[str(_MCP_SERVER)], env=dict(os.environ))
    tracker = Player(McpToolset(connection_params=StdioConnectionParams(server_params=server, timeout=120)))
    async with tracker.sim:
        made = await tracker.call("tracker__create_issue", repo="a/b", title="It crashes")
        issue = made["structuredContent"]
        assert (issue["repo"], issue["title"], made["isError"]) == ("a/b", "It crashes", False)
        shown = await tracker.call("tracker__get_issue", issue_number=issue["number"])
        assert shown["structuredContent"] == issue
        await tracker.call("tracker__update_issue", issue_number=issue["number"], state="closed")
        found = await tracker.call("tracker__search_issues", query="CRASHES")
        assert found["structuredContent"] == {"issues": [{**issue, "state": "closed"}]}
        missing = await tracker.call("tracker__get_issue", issue_number=issue["number"] + 1)
        assert missing["isError"] is True
        assert "There is no issue" in missing["content"][0]["text"]
