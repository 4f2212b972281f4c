"""The times of the user's messages in a session that is restored into a database of ADK, which sorts events by time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from google.adk.events import Event as AdkEvent
from google.adk.sessions import DatabaseSessionService
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from timeline_builders import user_content

from adk_agent_sim.adk.runs.session_storage import RunnerServices, SessionStorage
from adk_agent_sim.adk.time_travel.session_restore import KnownEvents, find_message_times, restore_session
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, UserSpoke

_START = 1_795_000_000.0


def _build_timeline(*times: tuple[str, float]) -> list[Event]:
    """Return the events of messages of the user and events of an agent, each with its time."""
    payloads: list[tuple[Payload, float]] = []
    for number, (author, time) in enumerate(times):
        if author == "user":
            payloads.append((UserSpoke(content=user_content(f"message {number}")), time))
        else:
            content = types.Content(role="model", parts=[types.Part(text=f"response {number}")])
            event = AdkEvent(author="desk", invocation_id=f"run-{number}", content=content, timestamp=time)
            value: Any = event.model_dump(mode="json", exclude_none=True)
            payloads.append((AgentEvent(invocation_id=f"run-{number}", event=value, final=True), time))
    return [
        Event(event_id=str(seq), session_id="s", seq=seq, timestamp=time, payload=payload)
        for seq, (payload, time) in enumerate(payloads, start=1)
    ]


async def _load_nothing(filename: str, version: int) -> types.Part | None:
    return None


async def _restore_in_database(file: Path, events: list[Event]) -> list[str]:
    """Restore a session with a database, and return the texts of its events as they are read from there."""
    service = DatabaseSessionService(f"sqlite+aiosqlite:///{file}")
    storage = SessionStorage(RunnerServices(session=service), app_name="desk", user_id="u")
    restored = await restore_session(events, KnownEvents(), _load_nothing)
    await storage.restore(restored.state, restored.events, restored.artifacts)
    loaded = await storage.load()
    await service.close()
    assert loaded is not None
    return [str(part.text) for event in loaded.events if event.content for part in event.content.parts or ()]


@pytest.mark.parametrize("late", [0.0, 0.02, 30.0, -30.0])
async def test_messages_stay_between_the_runs_around_them_whatever_the_clock_of_the_server_says(
    tmp_path: Path, late: float
) -> None:
    # The parts of a microsecond matter: a millionth of a second earlier may be the same microsecond for a database.
    runs = [(_START + 10 * run, _START + 10 * run + step * 1.3e-7) for run, step in enumerate(range(40))]
    times = [
        each for asked, responded in runs for each in (("user", asked + late), ("desk", responded), ("desk", asked + 2))
    ]
    events = _build_timeline(*times)

    texts = await _restore_in_database(tmp_path / "adk.db", events)

    assert texts == [f"{'message' if number % 3 == 0 else 'response'} {number}" for number in range(len(times))]


_AUTHORS = st.lists(st.sampled_from(["user", "desk"]), min_size=2, max_size=12)


@pytest.mark.property
@given(_AUTHORS, st.data())
def test_a_message_is_later_than_all_events_before_it_and_earlier_than_all_after_it(
    authors: list[str], data: st.DataObject
) -> None:
    # The agent's clock goes on; the server's is any other one.
    steps = data.draw(st.lists(st.floats(2e-5, 5), min_size=len(authors), max_size=len(authors)))
    skew = data.draw(st.floats(-20, 20))
    agent_times = [_START + sum(steps[: place + 1]) for place in range(len(steps))]
    events = _build_timeline(
        *(
            (author, time + skew if author == "user" else time)
            for author, time in zip(authors, agent_times, strict=True)
        )
    )

    found = find_message_times(events)

    ordered = [found.get(place, time) for place, time in enumerate(agent_times)]
    rounded = [datetime.fromtimestamp(time, tz=UTC) for time in ordered]
    assert rounded == sorted(rounded)
    assert all(rounded[place] < rounded[place + 1] for place in found if place + 1 < len(rounded))
    assert all(rounded[place - 1] < rounded[place] for place in found if place > 0)


def test_a_message_that_is_in_order_keeps_its_time() -> None:
    times = [("user", _START), ("desk", _START + 1), ("desk", _START + 0.5), ("user", _START + 2)]

    assert find_message_times(_build_timeline(*times)) == {0: _START, 3: _START + 2}


def test_a_message_is_earlier_than_all_events_of_its_run_of_which_parallel_agents_report_the_later_one_first() -> None:
    times = [("user", _START + 0.7), ("desk", _START + 1), ("desk", _START + 0.5)]

    assert find_message_times(_build_timeline(*times))[0] == pytest.approx(_START + 0.499999, abs=1e-7)
