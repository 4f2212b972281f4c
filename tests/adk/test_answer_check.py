"""Structured responses of agents that have tools: they are validated before they count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from google.genai import types
from pydantic import BaseModel, Field, field_validator

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import Done, ModelTurn, Step
from adk_agent_sim.errors import InvalidAnswer
from adk_agent_sim.golden.adk_test_fixture import find_replay_obstacles
from adk_agent_sim.golden.trace_omissions import remove_rejected_responses
from adk_agent_sim.timeline.read_model.timeline_row import RowStatus, TimelineRow


class Grade(BaseModel):
    """A grade with every kind of constraint."""

    title: str = Field(min_length=3)
    score: int = Field(ge=0, le=10)
    tags: list[str] = Field(default_factory=list[str], max_length=2)

    @field_validator("title")
    @classmethod
    def _refuse_todo(cls, value: str) -> str:
        if "TODO" in value:
            raise ValueError("it must not contain TODO")
        return value


class Failure(BaseModel):
    """An output model with a field that looks like a rejection."""

    error: str


def look_up(name: str) -> str:
    """Look up a name."""
    return f"{name} is known"


def build_agent(output_schema: Any) -> LlmAgent:
    return LlmAgent(name="grader", model="gemini-1.5-pro", tools=[look_up], output_schema=output_schema)


async def start(sim: Simulation) -> ModelTurn:
    return as_turn(await sim.send("Grade it"))


def as_turn(step: Step) -> ModelTurn:
    assert isinstance(step, ModelTurn)
    return step


GOOD = {"title": "Essay", "score": 7}


@pytest.mark.parametrize(
    ("answer", "path", "message"),
    [
        ({"title": "Essay", "score": 11}, "score", "10"),
        ({"title": "ab", "score": 1}, "title", "3"),
        ({"title": "Essay", "score": 1, "tags": ["a", "b", "c"]}, "tags", "2"),
        ({"title": "TODO essay", "score": 1}, "title", "must not contain TODO"),
        ({"title": "Essay"}, "score", "required"),
    ],
)
async def test_a_response_that_violates_a_constraint_is_refused_and_can_be_corrected(
    answer: dict[str, Any], path: str, message: str
) -> None:
    async with Simulation(build_agent(Grade)) as sim:
        turn = await start(sim)
        with pytest.raises(InvalidAnswer) as refused:
            await turn.respond(answer)

        (problem,) = refused.value.problems
        assert problem.path == path
        assert message in problem.message
        done = await turn.respond(GOOD)
        assert isinstance(done, Done)
        assert json.loads(done.text) == {**GOOD, "tags": []}


@pytest.mark.parametrize(
    ("output_schema", "good", "bad", "path"),
    [
        (list[Grade], [GOOD], [GOOD, {"title": "TODO essay", "score": 1}], "items[1].title"),
        (list[Grade], [GOOD], [{"title": "Essay", "score": 11}], "items[0].score"),
        (list[int], [1, 2], ["x"], "response[0]"),
        ({"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}}}, {"n": 3}, {"n": 4}, "response.n"),
        (
            types.Schema(type=types.Type.OBJECT, properties={"n": types.Schema(type=types.Type.INTEGER, maximum=3)}),
            {"n": 3},
            {"n": 4},
            "response.n",
        ),
    ],
)
async def test_responses_of_other_types_are_validated(output_schema: Any, good: Any, bad: Any, path: str) -> None:
    async with Simulation(build_agent(output_schema)) as sim:
        turn = await start(sim)
        with pytest.raises(InvalidAnswer) as refused:
            await turn.respond(bad)

        assert [problem.path for problem in refused.value.problems] == [path]
        assert isinstance(await turn.respond(good), Done)


async def test_a_rejected_response_is_an_error_and_not_in_the_golden_trace(tmp_path: Path) -> None:
    async with Simulation(build_agent(Grade)) as sim:
        turn = await start(sim)
        turn = as_turn(await turn.call("look_up", {"name": "Ada"}))
        turn = as_turn(await turn.respond({"title": "TODO essay", "score": 1}, force=True))
        await turn.respond(GOOD)

        rows = await list_rows(sim, "set_model_response")
        assert [row.status for row in rows] == [RowStatus.FAILED, RowStatus.DONE]
        assert "must not contain TODO" in rows[0].result

        sim.export(tmp_path / "clean.evalset.json")
        sim.export(tmp_path / "whole.evalset.json", include_rejected=True, again=True)
        clean = remove_rejected_responses(sim.log())
        assert not [each for each in find_replay_obstacles(sim.session(), clean) if "answer" in each]
        sim.export_adk_test(tmp_path / "tests" / "clean.json", force=True)

    assert list_calls(tmp_path / "clean.evalset.json") == ["look_up", "set_model_response"]
    assert list_calls(tmp_path / "whole.evalset.json") == ["look_up", "set_model_response", "set_model_response"]
    assert "TODO" not in (tmp_path / "clean.evalset.json").read_text()
    assert "TODO" not in (tmp_path / "tests" / "clean.json").read_text()


async def test_other_calls_of_a_turn_with_a_rejected_response_are_kept(tmp_path: Path) -> None:
    async with Simulation(build_agent(Grade)) as sim:
        turn = await start(sim)
        rejected = ("set_model_response", {"title": "TODO essay", "score": 1})
        turn = as_turn(await turn.calls([("look_up", {"name": "Ada"}), rejected], force=True))
        await turn.respond(GOOD)
        sim.export(tmp_path / "clean.evalset.json")

    assert list_calls(tmp_path / "clean.evalset.json") == ["look_up", "set_model_response"]
    assert "TODO" not in (tmp_path / "clean.evalset.json").read_text()


async def test_an_accepted_response_with_a_field_called_error_is_no_rejection(tmp_path: Path) -> None:
    async with Simulation(build_agent(Failure)) as sim:
        turn = await start(sim)
        done = await turn.respond({"error": "Validation Error found in the essay"})
        assert isinstance(done, Done)

        assert [row.status for row in await list_rows(sim, "set_model_response")] == [RowStatus.DONE]
        sim.export(tmp_path / "whole.evalset.json")

    assert list_calls(tmp_path / "whole.evalset.json") == ["set_model_response"]


async def list_rows(sim: Simulation, subject: str) -> list[TimelineRow]:
    rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
    return [row for row in rows if row.subject == subject]


def list_calls(path: Path) -> list[str | None]:
    (case,) = EvalSet.model_validate_json(path.read_text()).eval_cases
    (invocation,) = case.conversation or []
    data: Any = invocation.intermediate_data
    return [call.name for call in data.tool_uses]
