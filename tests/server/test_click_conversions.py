"""How many conversions a click on Execute takes until the tab has its row, counted while it happens."""

from __future__ import annotations

import asyncio
from pathlib import Path

from api_client import serve_agents
from conversion_tracer import ConversionTracer
from google.adk.agents import LlmAgent

_CLICKED = "zebra-4711"
_MAX_CONVERSIONS = 8


async def test_a_click_is_converted_at_most_eight_times_until_the_tab_has_its_row(tmp_path: Path) -> None:
    """The text that a person typed as an argument is followed through all of our functions, in all threads.

    It begins in the request's body, and ends in the row that the browser tab is sent over the socket: decided, stored,
    given to ADK, reported by ADK as an event, stored and folded. `ConversionTracer` says what counts as a conversion;
    a failure lists each with the function that does it.
    """
    tracer = ConversionTracer(_CLICKED)
    is_started, may_end = asyncio.Event(), asyncio.Event()

    async def greet(name: str) -> str:
        """Greet somebody."""
        is_started.set()
        await may_end.wait()
        return f"Hello {name}"

    agent = LlmAgent(name="desk", model="gemini-2.5-flash", tools=[greet])
    with tracer.install():
        async with serve_agents(tmp_path, agent, database=tmp_path / "s.db") as browser, browser.open_tab() as tab:
            session_id = await browser.start_session("desk", "hi")
            await browser.wait_for_turn(session_id)
            await tab.follow(session_id)
            await tab.wait_for_update(type="session")
            tracer.is_on = True
            await browser.call_tools(session_id, ("greet", {"name": _CLICKED}))
            async for _ in tab.iter_updates():
                if any(_CLICKED in row["summary"] for row in tab.rows.values()):
                    break
            await is_started.wait()
            tracer.is_on = False
            may_end.set()
    conversions = tracer.list_conversions()
    targets = {target for _, target in conversions}

    assert any("TimelineRow" in target for target in targets), "the tracer has not seen the row"
    assert any("TurnDecision" in target for target in targets), "the tracer has not seen the decision"
    assert len(conversions) <= _MAX_CONVERSIONS, "\n".join(f"{pair}: {where}" for pair, where in conversions.items())
