"""Tool calls are timed, can be cancelled one by one, and never block the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools import BaseTool, FunctionTool, ToolContext
from google.genai import types
from polling import MAX_WAIT_SECONDS, wait_until
from pydantic import BaseModel

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import ModelTurn, Step
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.events import ToolFailed, ToolFinished, ToolStarted
from adk_agent_sim.timeline.json_conversion import to_json_value


def _agent(*tools: Callable[..., Any] | BaseTool) -> LlmAgent:
    return LlmAgent(name="worker", model="m", tools=list(tools))


async def _until_running(sim: Simulation, count: int = 1) -> list[str]:
    await wait_until(lambda: len(sim.running()) >= count)
    return sim.running()


def _responses(turn: Step) -> list[dict[str, Any] | None]:
    assert isinstance(turn, ModelTurn)
    parts = turn.request.contents[-1].parts or []
    return [part.function_response.response for part in parts if part.function_response]


async def test_a_sync_tool_does_not_block_the_loop() -> None:
    released = threading.Event()

    def block() -> str:
        """Block."""
        released.wait(MAX_WAIT_SECONDS)
        return "released"

    async with Simulation(_agent(block)) as sim:
        turn = await sim.send("go")
        calling = asyncio.ensure_future(turn.call("block"))
        await _until_running(sim)
        released.set()  # reached only if the event loop is not blocked

        assert _responses(await calling) == [{"result": "released"}]


async def test_many_blocked_sync_tools_starve_no_other_call() -> None:
    released = threading.Event()

    def block(number: int) -> int:
        """Block."""
        released.wait(MAX_WAIT_SECONDS)
        return number

    def quick() -> str:
        """Answer at once."""
        return "quick"

    async with Simulation(_agent(block, quick)) as sim, Simulation(_agent(quick)) as other:
        turn = await sim.send("go")
        calling = asyncio.ensure_future(turn.calls([("block", {"number": number}) for number in range(50)]))
        await _until_running(sim, 50)
        second = await other.send("go")
        assert _responses(await second.call("quick")) == [{"result": "quick"}]
        released.set()

        assert _responses(await calling) == [{"result": number} for number in range(50)]


@pytest.mark.req("001/FR-033")
@pytest.mark.parametrize("kind", ["sync", "async", "stubborn"])
async def test_one_call_is_cancelled_and_the_others_go_on(kind: str) -> None:
    released = threading.Event()
    stopped: list[str] = []

    def sync_forever() -> str:
        """Never end."""
        released.wait(MAX_WAIT_SECONDS)
        return "late"

    async def async_forever() -> str:
        """Never end."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append("async")
            raise
        return "late"

    async def stubborn_forever() -> str:
        """Never end, and ignore being cancelled."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append("stubborn")
            await asyncio.to_thread(released.wait, MAX_WAIT_SECONDS)
        return "late"

    async def wait_for_release() -> str:
        """Wait until released."""
        await asyncio.to_thread(released.wait, MAX_WAIT_SECONDS)
        return "in time"

    async with Simulation(_agent(sync_forever, async_forever, stubborn_forever, wait_for_release)) as sim:
        turn = await sim.send("go")
        calling = asyncio.ensure_future(turn.calls([(f"{kind}_forever", {}), ("wait_for_release", {})]))
        first, second = await _until_running(sim, 2)
        assert sim.cancel(first)
        assert not sim.cancel(first)
        await wait_until(lambda: sim.running() == [second])
        released.set()
        turn = await calling
        error, result = _responses(turn)
        assert (await turn.respond("done")).text == "done"

    assert error is not None
    assert error["error"]["type"] == "Cancelled"
    assert ("it still runs" in error["error"]["message"]) == (kind == "sync")
    assert result == {"result": "in time"}
    assert stopped == ([] if kind == "sync" else [kind])
    (failed,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFailed)]
    assert (failed.call_id, failed.error_type) == (first, "Cancelled")
    assert [event.payload.call_id for event in sim.log() if isinstance(event.payload, ToolFinished)] == [second]


async def test_a_late_result_is_dropped() -> None:
    released, ended = threading.Event(), threading.Event()

    def slow() -> str:
        """Be slow."""
        released.wait(MAX_WAIT_SECONDS)
        ended.set()
        return "late"

    async with Simulation(_agent(slow)) as sim:
        turn = await sim.send("go")
        calling = asyncio.ensure_future(turn.call("slow"))
        (call_id,) = await _until_running(sim)
        sim.cancel(call_id)
        turn = await calling
        before = len(sim.log())
        released.set()
        await asyncio.to_thread(ended.wait, MAX_WAIT_SECONDS)
        await asyncio.to_thread(int)

        assert len(sim.log()) == before
        assert not sim.cancel(call_id)


_HANGS = """
    import asyncio, threading
    from google.adk.agents import LlmAgent
    from adk_agent_sim import Simulation

    def hang():
        "Hang."
        threading.Event().wait()

    async def main(cancel):
        async with Simulation(LlmAgent(name="worker", model="m", tools=[hang])) as sim:
            turn = await sim.send("go")
            calling = asyncio.ensure_future(turn.call("hang"))
            while not sim.running():
                await asyncio.to_thread(int)
            if cancel:
                sim.cancel(sim.running()[0])
                await (await calling).respond("done")
            else:
                calling.cancel()
        print("left")

    for cancel in (True, False):
        asyncio.run(main(cancel))
    print("ended")
"""


@pytest.mark.process
def test_sync_tools_that_hang_do_not_hold_up_the_exit_whether_cancelled_or_left() -> None:
    # A new interpreter, because how it ends is tested; one for both, because its imports take seconds.
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_HANGS)],
        capture_output=True,
        text=True,
        timeout=MAX_WAIT_SECONDS,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        cwd=Path(__file__).parent,
    )

    assert done.stdout.split() == ["left", "left", "ended"], done.stderr
    assert done.returncode == 0


async def test_tools_see_the_context_variables_of_the_run() -> None:
    colour: contextvars.ContextVar[str] = contextvars.ContextVar("colour", default="none")

    def look() -> str:
        """Look."""
        return colour.get()

    colour.set("red")
    async with Simulation(_agent(look)) as sim:
        turn = await sim.send("go")

        assert _responses(await turn.call("look")) == [{"result": "red"}]


async def test_every_kind_of_callable_is_a_tool() -> None:
    def base(n: int, m: int) -> int:
        """Add."""
        return n + m

    class Adder:
        """Adds."""

        def __call__(self, n: int) -> int:
            return n + 1

        def method(self, n: int) -> int:
            """Add two."""
            return n + 2

        async def later(self, n: int) -> int:
            """Add three."""
            return n + 3

    partial = functools.partial(base, m=4)
    setattr(partial, "__name__", "partial_add")  # noqa: B010 - ADK requires a name
    tools = [Adder(), Adder().method, Adder().later, partial]
    async with Simulation(_agent(*tools)) as sim:
        turn = await sim.send("go")
        assert isinstance(turn, ModelTurn)
        names = list(turn.tools)
        results = _responses(await turn.calls([(name, {"n": 1}) for name in names], force=True))

    assert results == [{"result": 2}, {"result": 3}, {"result": 4}, {"result": 5}]


class _Custom(BaseTool):
    """A tool that is not a function."""

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(name=self.name, description=self.description)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return {"ran": self.name, "call": bool(tool_context.function_call_id)}


async def test_a_tool_that_is_not_a_function_gets_a_seat_too() -> None:
    tool = _Custom(name="custom", description="Custom.")
    async with Simulation(_agent(tool)) as sim:
        turn = await sim.send("go")
        got = _responses(await turn.call("custom"))

    assert got == [{"ran": "custom", "call": True}]
    assert len([event for event in sim.log() if isinstance(event.payload, ToolFinished)]) == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [(StopIteration("stop"), "RuntimeError"), (KeyError("k"), "KeyError"), (OSError("r"), "OSError")],
)
async def test_whatever_a_sync_tool_raises_reaches_the_model(error: Exception, told: str) -> None:
    def fail() -> None:
        """Fail."""
        raise error

    async with Simulation(_agent(fail)) as sim:
        turn = await sim.send("go")
        (response,) = _responses(await turn.call("fail"))

    assert response is not None
    assert response["error"]["type"] == told


class _Counting(FunctionTool):
    """Remembers how often it was called."""

    count = 0

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        self.count += 1
        return {"count": self.count, "result": await super().run_async(args=args, tool_context=tool_context)}


async def test_a_tool_keeps_its_own_state_between_calls() -> None:
    def nothing() -> None:
        """Do nothing."""

    tool = _Counting(nothing)
    async with Simulation(_agent(tool)) as sim:
        turn = await sim.send("go")
        counts: list[Any] = []
        for _ in range(3):
            turn = await turn.call("nothing")
            counts += _responses(turn)

    assert [one["count"] for one in counts] == [1, 2, 3]
    assert tool.count == 3


async def test_a_tool_that_was_given_its_own_run_keeps_it() -> None:
    def original() -> str:
        """Original."""
        return "original"

    async def run_patched(*, args: dict[str, Any], tool_context: ToolContext) -> str:
        return "patched"

    tool = FunctionTool(original)
    vars(tool)["run_async"] = run_patched
    async with Simulation(_agent(tool)) as sim:
        turn = await sim.send("go")
        assert _responses(await turn.call("original")) == [{"result": "patched"}]


async def test_calls_that_share_an_id_are_calls_of_their_own(tmp_path: Path) -> None:
    def add(a: int) -> int:
        """Add."""
        return a + 1

    parts = [
        types.Part(function_call=types.FunctionCall(id="same", name="add", args={"a": number})) for number in (1, 3)
    ]
    async with Simulation(_agent(add)) as sim:
        turn = await sim.send("go")
        for _ in range(2):
            turn = await turn.decide(types.Content(role="model", parts=parts))
            assert _responses(turn) == [{"result": 2}, {"result": 4}]
        await turn.respond("done")
        case = sim.export(tmp_path / "x.json")

    data = (case.conversation or [])[0].intermediate_data
    assert [use.id for use in getattr(data, "tool_uses", ())] == ["same", "same#2", "same#3", "same#4"]


def _deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"in": value}
    return value


def _cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {"name": "loop"}
    value["self"] = value
    return value


class _Result(BaseModel):
    found: str | None = None
    when: date = date(2026, 1, 1)


_ODD: list[tuple[Any, Any]] = [
    ({"v": map(str, [1, 2])}, None),
    (_Result(), {"found": None, "when": "2026-01-01"}),
    ({"nan": float("inf"), "big": 2**80, "none": None}, {"nan": float("inf"), "big": 2**80, "none": None}),
    ({"raw": b"\xff\x00", "set": {2, 1}}, {"raw": "_wA=", "set": [1, 2]}),
]


@pytest.mark.parametrize(("value", "recorded"), _ODD)
async def test_an_odd_result_is_recorded_and_reaches_the_model_as_it_is(value: Any, recorded: Any) -> None:
    def odd() -> Any:
        """Be odd."""
        return value

    async with Simulation(_agent(odd)) as sim:
        turn = await sim.send("go")
        (got,) = _responses(await turn.call("odd"))

    (finished,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFinished)]
    assert got is not None
    assert got == value or got["result"] is value
    assert recorded is None or finished.result == recorded


@pytest.mark.parametrize("value", [_deep(300), _cyclic()], ids=["deep", "cyclic"])
def test_a_value_without_end_can_be_recorded(value: Any) -> None:
    assert len(encode_json(to_json_value(value))) < 100_000


async def test_arguments_on_the_timeline_do_not_change_when_the_tool_changes_them() -> None:
    def consume(items: list[int]) -> int:
        """Consume."""
        items.clear()
        return 0

    async with Simulation(_agent(consume)) as sim:
        turn = await sim.send("go")
        await turn.call("consume", {"items": [1, 2]})

    (started,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolStarted)]
    assert started.arguments == {"items": [1, 2]}


async def test_a_result_that_has_no_json_form_is_shown_as_text() -> None:
    class Opaque:
        def __repr__(self) -> str:
            return "<opaque>"

    def make() -> dict[str, Any]:
        """Make."""
        return {"thing": Opaque(), "when": {1, 2}}

    async with Simulation(_agent(make)) as sim:
        turn = await sim.send("go")
        turn = await turn.call("make")
        await turn.respond("made")
        sim.session()

    (finished,) = [event.payload for event in sim.log() if isinstance(event.payload, ToolFinished)]
    assert finished.result == {"thing": "<opaque>", "when": [1, 2]}
