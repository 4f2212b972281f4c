"""What the user says: text, pictures and files."""

from __future__ import annotations

import json
from pathlib import Path

import kitchen
from playing import Player
from playwright.async_api import Page, expect


async def test_pictures_and_files_go_with_a_message(page: Page, tmp_path: Path) -> None:
    player = Player(page)
    await player.choose("math_agent")
    await player.composer.get_by_label("Files to attach").set_input_files(
        [
            {"name": "dot.png", "mimeType": "image/png", "buffer": kitchen.PIXEL},
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"two and two"},
        ]
    )
    await expect(player.composer).to_contain_text("dot.png")
    await player.say("What is in these?")
    await player.my_turn()
    inside = await player.open(player.row("What is in these?"))
    await expect(inside.locator("img")).to_be_visible()
    await player.answer("A dot, and two and two.")
    await player.done()
    await player.composer.get_by_role("button", name="Export").click()
    await page.get_by_role("dialog").get_by_role("button", name="Write the case").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Written as")
    (case,) = json.loads((tmp_path / "math_agent.evalset.json").read_text())["eval_cases"]
    parts = case["conversation"][0]["user_content"]["parts"]
    assert [part.get("inline_data", {}).get("mime_type") for part in parts] == [None, "image/png", "text/plain"]


async def test_a_file_that_was_attached_can_be_removed(page: Page) -> None:
    player = Player(page)
    await player.choose("math_agent")
    await player.composer.get_by_label("Files to attach").set_input_files(
        {"name": "dot.png", "mimeType": "image/png", "buffer": kitchen.PIXEL}
    )
    await player.composer.get_by_role("button", name="Remove dot.png").click()
    await expect(player.composer).not_to_contain_text("dot.png")
