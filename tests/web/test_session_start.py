"""Starting a session in the browser: state and user, a key that is missing, an edit, and criteria with the export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from google.adk.tools import ToolContext
from playwright.async_api import Page, expect
from workbench_server import Simulator
from workbench_user import WorkbenchUser


def read_mood(tool_context: ToolContext) -> str:
    """Read the mood."""
    return f"The mood is {tool_context.state['mood']}."


@pytest.fixture
def simulator(tmp_path: Path) -> Callable[[], Simulator]:
    """An agent whose instruction needs a key of the state, with a service of the user's, beside another agent."""

    def build() -> Simulator:
        from google.adk.agents import LlmAgent
        from google.adk.sessions import DatabaseSessionService

        from adk_agent_sim import AgentSimulator, SimulatedAgentConfig

        agents = [
            LlmAgent(name="tone", model="gemini-2.5-flash", instruction="Be {mood}.", tools=[read_mood]),
            LlmAgent(name="plain", model="gemini-2.5-flash"),
        ]
        simulator = AgentSimulator(
            [
                SimulatedAgentConfig(
                    name=agent.name, agent=agent, eval_set_path=tmp_path / f"{agent.name}.evalset.json"
                )
                for agent in agents
            ],
            session_service=DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path}/sessions.db"),
        )
        simulator.closes_services = True
        return simulator

    return build


async def test_a_missing_key_is_set_in_the_page_and_the_session_is_exported_with_criteria(
    page: Page, tmp_path: Path
) -> None:
    player = WorkbenchUser(page)
    await player.start_session("tone")
    notice = player.composer.get_by_label("Missing state")
    await expect(notice).to_contain_text("The instruction needs {mood}")
    await player.send_message("Hello")
    await expect(player.composer).to_contain_text("The session state has no key 'mood'")
    await notice.get_by_label("mood").fill("calm")
    await notice.get_by_role("button", name="Set state").click()
    await expect(player.find_rows("state edited", "mood=calm")).to_have_count(1)
    await expect(notice).to_have_count(0)

    await player.send_message("Hello")
    await player.wait_for_turn()
    await expect(page.get_by_role("region", name="What the model reads")).to_contain_text("Be calm.")
    await player.respond("Hi")
    await player.wait_until_done()
    await page.get_by_role("tab", name="State").click()
    await page.get_by_role("button", name="Edit state").click()
    await page.get_by_label("State, as JSON").fill('{"mood": "stern"}')
    await page.get_by_role("button", name="Set state").click()
    await expect(player.find_rows("state edited", "mood=stern")).to_have_count(1)

    await page.get_by_role("banner").get_by_role("button", name="Export").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Also write the criteria").check()
    await dialog.get_by_role("radio", name="Any order").click()
    await dialog.get_by_label("Similarity of the response").fill("2")
    await expect(dialog.get_by_role("button", name="Write the file")).to_be_disabled()
    await dialog.get_by_label("Similarity of the response").fill("0.5")
    await dialog.get_by_label("Rubrics for the response").fill("It is polite.\nIt is short.")
    await dialog.get_by_label("Model that judges the rubrics").fill("my-judge")
    await dialog.get_by_role("button", name="Write the file").click()
    await expect(dialog).to_contain_text(f"--config_file_path {tmp_path / 'test_config.json'}")
    await expect(dialog).to_contain_text("The rubrics are judged by my-judge")

    (case,) = json.loads((tmp_path / "tone.evalset.json").read_text())["eval_cases"]
    assert case["session_input"]["state"] == {"mood": "calm"}
    criteria = json.loads((tmp_path / "test_config.json").read_text())["criteria"]
    assert criteria["tool_trajectory_avg_score"]["match_type"] == "ANY_ORDER"
    assert criteria["response_match_score"] == 0.5
    assert len(criteria["rubric_based_final_response_quality_v1"]["rubrics"]) == 2


async def test_the_state_and_the_user_of_new_sessions_are_remembered(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await page.get_by_role("button", name="State and user of tone").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("User id").fill("ada")
    await dialog.get_by_label("mood").fill("calm")
    await dialog.get_by_label("Other keys, as JSON").fill("[1]")
    await dialog.get_by_role("button", name="Start session").click()
    await expect(dialog).to_contain_text("The state is a JSON object")
    await dialog.get_by_label("Other keys, as JSON").fill('{"n": 12345678901234567890}')
    await dialog.get_by_role("button", name="Start session").click()
    await expect(player.status).to_have_text("Waiting for a message")
    await page.get_by_role("tab", name="State").click()
    await expect(page.get_by_role("region", name="What the model reads")).to_contain_text("12345678901234567890")

    await page.reload()
    await page.get_by_role("banner").get_by_role("button", name="tone", exact=True).first.click()
    await page.get_by_role("menuitem", name="All agents").click()
    await expect(page.get_by_role("article", name="tone")).to_contain_text("user ada, state")
    await player.start_session("tone")
    await player.send_message("Hello")
    await player.wait_for_turn()
    await player.respond("Hi")
    await player.wait_until_done()
    await player.export_session()
    (case,) = json.loads((tmp_path / "tone.evalset.json").read_text())["eval_cases"]
    assert case["session_input"]["user_id"] == "ada"
    assert case["session_input"]["state"] == {"mood": "calm", "n": 12345678901234567890}


async def test_the_state_is_edited_while_a_turn_waits_and_the_tools_it_calls_see_the_edit(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("tone")
    await player.composer.get_by_label("Missing state").get_by_label("mood").fill("calm")
    await player.composer.get_by_role("button", name="Set state").click()
    await expect(player.find_rows("state edited", "mood=calm")).to_have_count(1)
    await player.send_message("Hello")
    await player.wait_for_turn()
    read = page.get_by_role("region", name="What the model reads")
    await expect(read).to_contain_text("Be calm.")

    await page.get_by_role("tab", name="State").click()
    await expect(read).to_contain_text("The turn that waits has its request already")
    await page.get_by_role("button", name="Edit state").click()
    await page.get_by_label("State, as JSON").fill('{"mood": "stern"}')
    await read.get_by_role("button", name="Set state").click()
    edit = player.find_rows("state edited", "mood=stern")
    await expect(edit).to_have_count(1)
    await expect(read).to_contain_text("stern")
    await expect(player.status).to_have_text("Your turn")
    await page.reload()
    await expect(edit).to_have_count(1)

    await player.call_tool("read_mood")
    await player.wait_for_turn()
    await expect(player.find_rows("read_mood", "The mood is stern.")).to_have_count(1)
    await page.get_by_role("tab", name="Instruction").click()
    await expect(read).to_contain_text("Be stern.")
    await player.respond("Hi")
    await player.wait_until_done()
    kinds = await player.timeline.get_by_role("article").all_inner_texts()
    order = [next(at for at, text in enumerate(kinds) if word in text) for word in ("Hello", "mood=stern", "read_mood")]
    assert order == sorted(order)
