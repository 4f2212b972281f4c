"""What the user says: text, pictures and files."""

from __future__ import annotations

import json
from pathlib import Path

import kitchen_sink_agents
from playwright.async_api import Page, expect
from workbench_user import WorkbenchUser


async def test_pictures_and_files_go_with_a_message(page: Page, tmp_path: Path) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.composer.get_by_label("Files to attach").set_input_files(
        [
            {"name": "dot.png", "mimeType": "image/png", "buffer": kitchen_sink_agents.PIXEL},
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"two and two"},
        ]
    )
    await expect(player.composer).to_contain_text("dot.png")
    await player.send_message("What is in these?")
    await player.wait_for_turn()
    inside = await player.open_row(player.find_rows("What is in these?"))
    await expect(inside.locator("img")).to_be_visible()
    await player.respond("A dot, and two and two.")
    await player.wait_until_done()
    await player.composer.get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the file").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Written as")
    (case,) = json.loads((tmp_path / "math_agent.evalset.json").read_text())["eval_cases"]
    parts = case["conversation"][0]["user_content"]["parts"]
    assert [part.get("inline_data", {}).get("mime_type") for part in parts] == [None, "image/png", "text/plain"]


async def test_a_file_that_was_attached_can_be_removed(page: Page) -> None:
    player = WorkbenchUser(page)
    await player.start_session("math_agent")
    await player.composer.get_by_label("Files to attach").set_input_files(
        {"name": "dot.png", "mimeType": "image/png", "buffer": kitchen_sink_agents.PIXEL}
    )
    await player.composer.get_by_role("button", name="Remove dot.png").click()
    await expect(player.composer).not_to_contain_text("dot.png")
