"""The actions of a person in the workbench."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from playwright.async_api import Locator, Page, expect
from playwright.async_api import TimeoutError as ClickTimeout

_EXECUTE = re.compile("^Execute")


class WorkbenchUser:
    """A person who uses the workbench."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.composer = page.get_by_label("Composer", exact=True)
        self.timeline = page.get_by_label("Timeline", exact=True)
        self.status = page.locator("header .pill")
        self._decided: str | None = None

    async def start_session(self, agent: str) -> None:
        """Start a session of an agent."""
        await self.page.get_by_role("button", name=f"Play {agent}", exact=True).click()
        await expect(self.status).to_have_text("Waiting for a message")

    async def send_message(self, text: str) -> None:
        """Send a message as the user."""
        await self.composer.get_by_role("textbox", name=re.compile("message", re.IGNORECASE)).fill(text)
        await self.composer.get_by_role("button", name=re.compile("Send message")).click()

    async def choose_tool(self, tool: str) -> None:
        """Choose a tool by typing its name."""
        await self.composer.get_by_role("radio", name="Call a Tool").click()
        other = self.composer.get_by_role("button", name="Other tool")
        finder = self.composer.get_by_role("combobox", name="Find a tool")
        await expect(other.or_(finder)).to_be_visible()
        while not await finder.is_visible():
            # The form may close by itself just now, because its call was added to the turn.
            with suppress(ClickTimeout):
                await other.click(timeout=2_000)
        await finder.fill(tool)
        await self.composer.get_by_role("option").filter(has=self.page.get_by_text(tool, exact=True)).click()

    def find_field(self, name: str) -> Locator:
        """Return the form field with this label."""
        return self.composer.get_by_label(name, exact=True).and_(self.page.locator("input, textarea, select"))

    def find_field_frame(self, *path: str | int) -> Locator:
        """Return the container of a field, with its label, description and problem."""
        return self.composer.locator(f"[data-path='{json.dumps(path, separators=(',', ':'))}']")

    async def call_tool(self, tool: str, **fields: str) -> None:
        """Call a tool, with values for some of its fields."""
        await self.choose_tool(tool)
        for name, text in fields.items():
            await self.find_field(name).fill(text)
        await self.execute()

    async def execute(self, name: str | re.Pattern[str] = _EXECUTE) -> None:
        """Press Execute, or the button of this name."""
        await self._note_turn()
        await self.composer.get_by_role("button", name=name).click()

    async def respond(self, text: str) -> None:
        """Send the final response."""
        await self.composer.get_by_role("radio", name="Send Final Response").click()
        await self.composer.get_by_role("textbox", name="Final response").fill(text)
        await self.submit_response()

    async def submit_response(self) -> None:
        """Press the button that sends the final response."""
        await self._note_turn()
        await self.composer.get_by_role("button", name=re.compile("^Send Final Response")).click()

    async def export_session(self) -> Locator:
        """Export the session in the first format, and return the dialog that says what was written."""
        await self.page.get_by_role("banner").get_by_role("button", name="Export").click()
        dialog = self.page.get_by_role("dialog")
        await dialog.get_by_role("button", name="Write the file").click()
        await expect(dialog).to_contain_text("Written as")
        return dialog

    def find_rows(self, *words: str) -> Locator:
        """Return the timeline rows that contain all these words."""
        found = self.timeline.get_by_role("article")
        for word in words:
            found = found.filter(has_text=word)
        return found

    async def open_row(self, row: Locator) -> Locator:
        """Open a row and return its details."""
        await row.get_by_role("button").first.click()
        inside = row.locator(".row-body")
        await expect(inside.locator(".row-foot")).to_be_visible()
        return inside

    async def wait_for_turn(self) -> None:
        """Wait until a model turn is pending; after a decision, the next one (the page shows the last one a while)."""
        if self._decided is not None:
            await expect(self.composer).not_to_have_attribute("data-turn", self._decided)
        await expect(self.composer).to_have_attribute("data-turn", re.compile("."))
        await expect(self.status).to_have_text("Your turn")

    async def _note_turn(self) -> None:
        self.note_turn(await self.composer.get_attribute("data-turn"))

    def note_turn(self, turn_id: str | None) -> None:
        """Remember the turn that is decided next, so that `wait_for_turn` waits for another one."""
        self._decided = turn_id

    async def wait_until_done(self) -> None:
        """Wait until the agent has answered."""
        await expect(self.status).to_have_text("Done")
