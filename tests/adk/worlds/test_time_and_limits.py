"""The time of a world in which an agent works, and what ends its run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from pydantic import Field
from scripted_model import call_response, text_response
from world_runs import SEND_A, SEND_B, WAIT, build_mail_arrival, build_two_turns, create_run, create_scripted_agent

from adk_agent_sim.adk.worlds.run_options import (
    RANDOM_RANGE,
    ThinkingTime,
    WorldRunOptions,
    parse_duration,
    parse_thinking_time,
)
from adk_agent_sim.adk.worlds.run_result import RunEnd, WorldRunResult
from adk_agent_sim.errors import InvalidRunOption, NotJudgeable
from adk_agent_sim.scenario import Judge, SoftCheck
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus

PERFECT = (call_response(SEND_A), text_response("Sent one."), call_response(SEND_B), text_response("Sent two."))


async def _list_times(thinking: str, run_number: int = 1) -> list[float]:
    options = WorldRunOptions(thinking=parse_thinking_time(thinking), run_number=run_number)
    run = create_run(create_scripted_agent(*PERFECT), build_two_turns(), options)
    assert (await run.run()).passed
    return [round(each.time - 1000, 3) for each in run.world.event_log() if each.kind == "AGENT"]


async def test_the_thinking_time_passes_with_each_model_call() -> None:
    # The turn ends at the next whole second after the message, and the user's second message comes 5 s later.
    assert await _list_times("zero") == [0, 0, 6, 6]
    assert await _list_times("fixed:1s") == [1, 2, 9, 10]
    assert await _list_times("fixed:1500ms") == [1.5, 3, 10.5, 12]


async def test_random_thinking_depends_on_the_run_and_on_nothing_else() -> None:
    first = await _list_times("random")
    assert first == await _list_times("random")
    assert first != await _list_times("random", run_number=2)
    assert RANDOM_RANGE[0] <= first[0] <= RANDOM_RANGE[1]


class _WatchingModel(BaseLlm):
    """Lets other tasks run while it thinks, and looks at the world's clock."""

    model: str = "watching"
    run: Any = None
    seen: list[tuple[str, float]] = Field(default_factory=list[tuple[str, float]])

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        before = self.run.world.elapsed
        for _ in range(20):
            await asyncio.sleep(0)
        assert self.run.world.elapsed == before
        self.seen.append((self.run.world.status, before))
        yield LlmResponse.model_validate(text_response("Done."))


async def test_time_stops_while_the_model_thinks() -> None:
    model = _WatchingModel()
    run = model.run = create_run(LlmAgent(name="assistant", model=model), build_two_turns())
    await run.run()
    assert model.seen == [("PAUSED", 0.0)]


async def _run_until(limits: WorldRunOptions, *script: dict[str, Any], **definition: Any) -> WorldRunResult:
    return await create_run(create_scripted_agent(*script), build_mail_arrival(**definition), limits).run()


async def test_a_limit_of_model_calls_ends_the_run_with_a_verdict() -> None:
    result = await _run_until(WorldRunOptions(max_steps=3), call_response(("SystemApp__get_current_time", {})))
    assert (result.passed, result.ended, result.step_count) == (False, RunEnd.MAX_STEPS, 3)
    assert result.reason.startswith("The run was stopped after 3 model calls, the limit. Turn 1:")
    assert not result.metadata.has_exception


async def test_a_limit_of_simulated_time_ends_the_run_with_a_verdict() -> None:
    waiting = call_response((WAIT, {"timeout": 20}))
    result = await _run_until(WorldRunOptions(max_duration=40), waiting)
    assert (result.passed, result.ended) == (False, RunEnd.MAX_DURATION)
    assert result.reason.startswith("The run was stopped after ")
    own = await _run_until(WorldRunOptions(), waiting, duration=30)
    assert (own.ended, own.simulated_seconds) == (RunEnd.MAX_DURATION, 30)


async def test_a_limit_of_no_simulated_time_ends_the_run_before_the_first_model_call() -> None:
    result = await _run_until(WorldRunOptions(max_duration=0), text_response("Done."))
    assert (result.ended, result.step_count, result.simulated_seconds) == (RunEnd.MAX_DURATION, 0, 0)


async def test_a_limit_of_real_time_ends_the_run_with_a_verdict() -> None:
    class _SlowModel(BaseLlm):
        model: str = "slow"

        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            await asyncio.Event().wait()
            yield LlmResponse()

    run = create_run(
        LlmAgent(name="assistant", model=_SlowModel()), build_mail_arrival(), WorldRunOptions(max_wall_time=0.05)
    )
    result = await run.run()
    assert (result.passed, result.ended) == (False, RunEnd.MAX_WALL_TIME)
    assert "0.05 s of real time" in result.reason


async def test_an_agent_that_raises_has_failed_whatever_it_did_before() -> None:
    def explode(request: object) -> LlmResponse:
        raise LookupError("no such model")

    result = await create_run(create_scripted_agent(), build_mail_arrival(), player=explode).run()
    assert (result.passed, result.ended) == (False, RunEnd.EXCEPTION)
    assert result.reason == "The agent's run failed: LookupError: no such model"
    assert (result.metadata.exception_type, result.metadata.has_exception) == ("LookupError", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fixed", ThinkingTime(kind="fixed", seconds=1)),
        ("fixed:2m", ThinkingTime(kind="fixed", seconds=120)),
        ("measured", ThinkingTime(kind="measured")),
    ],
)
def test_thinking_times_are_parsed(text: str, expected: ThinkingTime) -> None:
    assert parse_thinking_time(text) == expected


@pytest.mark.parametrize("text", ["", "fast", "fixed:", "fixed:-1s", "zero:1s", "fixed:1w"])
def test_other_thinking_times_are_refused_with_the_forms(text: str) -> None:
    with pytest.raises(InvalidRunOption, match="cannot be used: write "):
        parse_thinking_time(text)


def test_measured_thinking_is_what_was_measured() -> None:
    assert ThinkingTime(kind="measured").compute(2.5, 0, 1, 1) == 2.5
    assert parse_duration("90") == 90


async def test_a_run_that_is_cancelled_stops_the_agent_and_closes_its_session() -> None:
    called = asyncio.Event()

    async def wait_forever(request: LlmRequest) -> LlmResponse:
        called.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    run = create_run(create_scripted_agent(), build_mail_arrival(), player=wait_forever)
    running = asyncio.create_task(run.run())
    await called.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert run.agent_run is not None
    assert not run.agent_run.is_running
    summary = await run.timeline.get_summary(run.agent_run.recorded_session.session_id)
    assert summary.status is SessionStatus.CLOSED


@pytest.mark.parametrize("turn", [1, 2])
async def test_a_judge_that_cannot_decide_makes_the_run_not_judgeable(turn: int) -> None:
    asked: list[str] = []

    def answer(check: SoftCheck) -> bool:
        asked.append(check.argument)
        if len(asked) >= turn:
            raise NotJudgeable("the run", "nobody answers")
        return True

    scenario = build_two_turns()
    script = (call_response(SEND_A), text_response("One was sent."), call_response(SEND_B), text_response("Two."))
    run = create_run(create_scripted_agent(*script), scenario, judge=Judge(scenario, soft=answer))
    result = await run.run()
    assert (result.passed, result.verdict) == (None, None)
    assert isinstance(run.judge_failure, NotJudgeable)
    assert result.reason == "Cannot judge the run: nobody answers."
    assert not result.metadata.has_exception
