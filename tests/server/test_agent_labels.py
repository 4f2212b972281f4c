"""The names that lists show of agents: they are in sessions and requests, and the filter and the search know them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, build_config, serve_agents
from google.adk.agents import LlmAgent
from google.adk.tools import AgentTool

from adk_agent_sim import SimulatedAgentConfig


def build_shop() -> LlmAgent:
    helper = LlmAgent(name="helper", model="gemini-2.5-flash", description="Helps.")
    return LlmAgent(name="shop_agent", model="gemini-2.5-flash", tools=[AgentTool(helper)])


def build_configs(folder: Path) -> list[SimulatedAgentConfig]:
    """Two agents of one name, as two countries have them, and one whose display name is its own."""
    talker = LlmAgent(name="talker", model="gemini-2.5-flash")
    return [
        build_config(build_shop(), folder, "Shop (Europe)"),
        build_config(build_shop(), folder, "Shop (America)"),
        build_config(talker, folder),
    ]


async def start_sessions(client: ApiClient) -> dict[str, str]:
    """Start a session of each agent, up to its first turn; return the labels by session."""
    labels: dict[str, str] = {}
    for agent in await client.get("/agents"):
        session_id = await client.start_session(agent["key"], "hello")
        await client.wait_for_turn(session_id)
        labels[session_id] = agent["name"]
    return labels


async def list_labels(client: ApiClient, **query: Any) -> list[str]:
    return [session["agent_label"] for session in await client.list_sessions(**query)]


@pytest.mark.parametrize("is_stored", [False, True])
async def test_what_lists_show_can_be_filtered_and_searched(tmp_path: Path, is_stored: bool) -> None:
    database = tmp_path / "simulator.db" if is_stored else None
    async with serve_agents(tmp_path, *build_configs(tmp_path), database=database) as client:
        labels = await start_sessions(client)
        shown = await list_labels(client)
        queue = (await client.get("/queue"))["items"]

        assert sorted(shown) == sorted(labels.values())
        for label in shown:
            assert await list_labels(client, agent=label) == [label]
        assert await list_labels(client, q="(europe") == ["Shop (Europe)"]
        assert await list_labels(client, q="SHOP (") == ["Shop (America)", "Shop (Europe)"]
        assert await list_labels(client, q="hello", agent="Shop (America)") == ["Shop (America)"]
        assert await list_labels(client, q="(europe", agent="Shop (America)") == []
        assert await list_labels(client, agent="shop_agent") == ["Shop (America)", "Shop (Europe)"]
        assert {item["session_id"]: item["agent_label"] for item in queue} == labels


async def test_an_agent_inside_another_has_its_own_name_in_the_queue(tmp_path: Path) -> None:
    async with serve_agents(tmp_path, build_config(build_shop(), tmp_path, "Shop")) as client:
        session_id = await client.start_session("shop", "hello")
        await client.call_tools(session_id, ("helper", {"request": "help"}))
        await client.wait_for_turn(session_id)
        (item,) = (await client.get("/queue"))["items"]

        assert item["agent_label"] == "helper"
        assert await list_labels(client, agent="Shop") == ["Shop"]


async def test_sessions_of_an_earlier_server_belong_to_the_first_agent_of_their_app(tmp_path: Path) -> None:
    database = tmp_path / "simulator.db"
    async with serve_agents(tmp_path, *build_configs(tmp_path), database=database) as client:
        await start_sessions(client)
    async with serve_agents(tmp_path, *build_configs(tmp_path), database=database) as client:
        (america,) = [each["key"] for each in await client.get("/agents") if each["name"] == "Shop (America)"]
        await client.start_session(america)

        for label in ("Shop (Europe)", "Shop (America)", "talker"):
            expected = [shown for shown in await list_labels(client) if shown == label]
            assert expected
            assert await list_labels(client, agent=label) == expected
