"""Recorded answers of a model that simulates tools: asked once, then played back without the model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from answering_model import AnsweringModel, answer_orders
from google.adk.apps import App
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    MockStrategy,
    ToolSimulationConfig,
)
from scripted_agent import ModelCalls, build_scripted_agent, run_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.adk.environment.llm_mock_models import AnswerFile, compute_key, describe_question
from adk_agent_sim.errors import ImportRefused, InvalidRules, SimulationModelFailed
from adk_agent_sim.golden.cassette_files import read_cassette
from adk_agent_sim.mocks.llm_questions import ModelQuestion
from adk_agent_sim.timeline.events import ToolFinished

_RECORD = {"ADK_SIM_CASSETTE": "record"}


def create_order(item: str) -> dict[str, Any]:
    """Order an item."""
    raise AssertionError("the real tool must not run")


def get_order(order_id: str) -> dict[str, Any]:
    """Look up an order."""
    raise AssertionError("the real tool must not run")


def _refuse(question: str) -> str:
    raise AssertionError("the model must not be asked")


_TURNS: list[ModelCalls] = [
    [("create_order", {"item": each}) for each in ("lamp", "desk", "lamp")],
    [("get_order", {"order_id": "ORD-2"}), ("get_order", {"order_id": "ORD-9"})],
]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text("rules: [{match: {tool: '*'}, do: {mock: llm, answers: shop.answers.json}}]")
    return path


async def _run(rules: Path, answer: Any, *turns: ModelCalls) -> list[dict[str, Any]]:
    plugin = EnvironmentSimulationFactory.create_plugin(rules, simulation_model=AnsweringModel.create(answer))
    return await run_scripted_agent(build_scripted_agent([create_order, get_order], *turns), plugin)


async def test_a_recorded_run_is_the_same_without_the_model_also_where_calls_are_parallel(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_SIM_CASSETTE", "record")
    recorded = await _run(rules, answer_orders, *_TURNS)
    text = (rules.parent / "shop.answers.json").read_text(encoding="utf-8")

    monkeypatch.delenv("ADK_SIM_CASSETTE")
    replayed = await _run(rules, _refuse, *_TURNS)

    assert [each.get("order_id") for each in recorded] == ["ORD-1", "ORD-2", "ORD-3", "ORD-2", None]
    assert replayed == recorded
    assert (rules.parent / "shop.answers.json").read_text(encoding="utf-8") == text
    sessions = read_cassette(rules.parent / "shop.answers.json").sessions
    assert len(sessions) == 5, "the connections, three orders, and one that was found"


async def test_what_was_not_recorded_is_an_error_that_says_what_differs_and_how_to_record_it(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_SIM_CASSETTE", "record")
    await _run(rules, answer_orders, [("create_order", {"item": "lamp"})])
    monkeypatch.delenv("ADK_SIM_CASSETTE")

    (response,) = await _run(rules, _refuse, [("create_order", {"item": "chair"})])

    assert response["error_code"] == 502
    message = response["error_message"]
    assert "shop.answers.json has no answer to the question about create_order; a recorded one differs in" in message
    assert "[-lamp-]{+chair+}" in message
    assert "Run again with ADK_SIM_CASSETTE=record, which asks the model" in message


async def test_recording_adds_what_is_missing_and_asks_nothing_again(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_SIM_CASSETTE", "update")
    await _run(rules, answer_orders, [("create_order", {"item": "lamp"})])
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return answer_orders(question)

    await _run(rules, answer, [("create_order", {"item": "lamp"})], [("create_order", {"item": "chair"})])

    assert len(asked) == 1
    assert '"item": "chair"' in asked[0]


async def test_the_timeline_has_the_key_under_which_the_answer_is_recorded(
    rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play(answer: Any) -> list[dict[str, Any]]:
        plugin = EnvironmentSimulationFactory.create_plugin(rules, simulation_model=AnsweringModel.create(answer))
        agent = build_scripted_agent([create_order, get_order], name="shop")
        async with Simulation(App(name="shop", root_agent=agent, plugins=[plugin])) as sim:
            turn = await sim.send("hello")
            turn = await turn.call("create_order", {"item": "lamp"})
            await turn.respond("done")
            log = [event.payload for event in await sim.timeline.read_events(sim.session_id)]
        (mocked,) = [each.mocked for each in log if isinstance(each, ToolFinished)]
        return mocked["asked"]

    monkeypatch.setenv("ADK_SIM_CASSETTE", "record")
    recorded = await play(answer_orders)
    monkeypatch.delenv("ADK_SIM_CASSETTE")
    replayed = await play(_refuse)

    assert [each["source"] for each in recorded] == ["model"] * 2
    assert replayed == [{**each, "source": "shop.answers.json"} for each in recorded]
    text = (rules.parent / "shop.answers.json").read_text(encoding="utf-8")
    assert all(each["key"] in text for each in recorded)


def _ask(text: str, about: str = "get_order") -> ModelQuestion:
    return ModelQuestion(about=about, instruction="Respond.", messages=(text,))


async def test_ids_and_times_may_differ_and_come_back_in_the_answer(tmp_path: Path) -> None:
    before, now = "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "9b2b7a6e-0d4b-4f0e-8a71-c1a2b3d4e5f6"
    file = AnswerFile(tmp_path / "answers.json", environment=_RECORD)
    question = _ask(f"order {before}")
    await file.record(question, describe_question(question, "m", {}), f'{{"order_id": "{before}"}}')

    later = AnswerFile(tmp_path / "answers.json", environment={})
    asked = _ask(f"order {now}")

    assert later.find(asked, describe_question(asked, "m", {})) == f'{{"order_id": "{now}"}}'


async def test_secrets_are_neither_recorded_nor_needed(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "answers.json", environment=_RECORD)
    question = _ask('{"password": "hunter22", "note": "say hunter22"}')
    request = describe_question(question, "m", {})
    await file.record(question, request, '{"api_key": "hunter33"}')

    text = (tmp_path / "answers.json").read_text(encoding="utf-8")
    assert "hunter" not in text
    later = AnswerFile(tmp_path / "answers.json", environment={})
    assert later.find(question, request) == '{"api_key": "[redacted]"}'


async def test_another_model_or_other_settings_are_another_question(tmp_path: Path) -> None:
    question = _ask("order 1")
    chosen: list[tuple[str, dict[str, float]]] = [("m", {}), ("n", {}), ("m", {"temperature": 0.5})]
    requests = [describe_question(question, *each) for each in chosen]
    file = AnswerFile(tmp_path / "answers.json", environment=_RECORD)
    await file.record(question, requests[0], "{}")
    later = AnswerFile(tmp_path / "answers.json", environment={})

    assert len(set(map(compute_key, requests))) == 3
    with pytest.raises(SimulationModelFailed, match="differs in the setting 'model': "):
        later.find(question, requests[1])
    with pytest.raises(SimulationModelFailed, match="differs in the setting 'temperature': "):
        later.find(question, requests[2])


async def test_files_that_record_at_the_same_time_keep_all_answers(tmp_path: Path) -> None:
    files = [AnswerFile(tmp_path / "answers.json", environment=_RECORD) for _ in range(4)]
    questions = [_ask(f"order {number}") for number in range(8)]

    await asyncio.gather(
        *(
            file.record(question, describe_question(question, "m", {}), json.dumps({"n": number}))
            for number, (file, question) in enumerate(zip(files * 2, questions, strict=True))
        )
    )

    later = AnswerFile(tmp_path / "answers.json", environment={})
    found = [later.find(each, describe_question(each, "m", {})) for each in questions]
    assert found == [json.dumps({"n": number}) for number in range(8)]


def test_a_file_that_is_something_else_is_refused_and_kept(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_SIM_CASSETTE", "record")
    other = rules.parent / "shop.answers.json"
    other.write_text("[1, 2]")

    with pytest.raises(ImportRefused):
        AnswerFile(other)
    with pytest.raises(InvalidRules, match="cannot be opened as a model cassette"):
        EnvironmentSimulationFactory.create_plugin(rules)
    assert other.read_text() == "[1, 2]"


async def test_answers_beside_adks_config_are_recorded_and_played_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = EnvironmentSimulationConfig(
        simulation_model="simulated-one",
        tool_simulation_configs=[
            ToolSimulationConfig(tool_name=name, mock_strategy_type=MockStrategy.MOCK_STRATEGY_TOOL_SPEC)
            for name in ("create_order", "get_order")
        ],
    )

    async def run(model: AnsweringModel | None) -> list[dict[str, Any]]:
        plugin = EnvironmentSimulationFactory.create_plugin(
            config, simulation_model=model, simulation_answers=tmp_path / "answers.json"
        )
        return await run_scripted_agent(build_scripted_agent([create_order, get_order], *_TURNS), plugin)

    monkeypatch.setenv("ADK_SIM_CASSETTE", "record")
    recorded = await run(AnsweringModel.create(answer_orders))
    monkeypatch.delenv("ADK_SIM_CASSETTE")

    assert recorded[0]["order_id"] == "ORD-1"
    assert await run(None) == recorded, "no model of this name is known"


def test_recorded_answers_need_no_model_that_adk_knows(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "answers.json", environment=_RECORD)
    question = _ask("order 1")
    asyncio.run(file.record(question, describe_question(question, "m", {}), "{}"))
    path = tmp_path / "rules.yaml"
    path.write_text("rules: [{match: {tool: '*'}, do: {mock: llm, model: gone-with-the-wind, answers: answers.json}}]")

    assert EnvironmentSimulationFactory.create_plugin(path)
