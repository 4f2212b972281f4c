"""Playing agents over the API, as the browser does."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from api_client import ApiClient, serve_agents
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_set import EvalSet
from google.adk.models import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import AgentTool, FunctionTool, ToolContext
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from pydantic import BaseModel, Field, field_validator
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim.adk.loading.agent_loader import load_demo_app
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.agents import agent_catalog

PNG = b"\x89PNG\r\n\x1a\nnot really"


class Question(BaseModel):
    query: str
    max_results: int = Field(ge=1)


class Answer(BaseModel):
    answer: str
    confidence: float

    @field_validator("answer")
    @classmethod
    def not_shouted(cls, value: str) -> str:
        if value.isupper():
            raise ValueError("do not shout")
        return value


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def kind(value: float) -> str:
    """Returns the type that a number has in Python."""
    return type(value).__name__


def delete(path: str) -> str:
    """Delete a file."""
    return f"{path} is gone"


def big(size: int) -> str:
    """Returns a long text."""
    return "x" * size


def hostile() -> dict[str, Any]:
    """Returns values that are not valid JSON or UTF-8."""
    return {"half": "\ud800", "html": "<script>alert(1)</script>", "nan": float("nan"), "rtl": "\u202eabc"}


def deep(levels: int) -> dict[str, Any]:
    """Returns a deeply nested value."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return {"value": value}


async def forever() -> None:
    """Never ends."""
    await asyncio.Event().wait()


async def draw(tool_context: ToolContext) -> str:
    """Saves an image, and a page."""
    await tool_context.save_artifact("a.png", types.Part.from_bytes(data=PNG, mime_type="image/png"))
    await tool_context.save_artifact(
        "../b.html", types.Part.from_bytes(data=b"<script>alert(1)</script>", mime_type="text/html")
    )
    tool_context.state["drawn"] = 1
    return "drawn"


def build_tooled_agent() -> LlmAgent:
    return LlmAgent(
        name="tooled",
        model=ScriptedModel(script=[call_response(("add", {"a": 1, "b": 1})), text_response("2")]),
        instruction="Be quick, {name?}.",
        tools=[add, kind, big, hostile, deep, forever, draw, FunctionTool(delete, require_confirmation=True)],
    )


def build_structured_agent() -> LlmAgent:
    return LlmAgent(name="structured", model="gemini-2.5-flash", input_schema=Question, output_schema=Answer)


def with_inner() -> LlmAgent:
    inner = LlmAgent(name="inner", model="gemini-2.5-flash", description="Adds.", tools=[add])
    return LlmAgent(name="outer", model="gemini-2.5-flash", tools=[AgentTool(inner)])


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[ApiClient]:
    async with serve_agents(
        tmp_path, build_tooled_agent(), build_structured_agent(), with_inner(), load_demo_app("math_agent")
    ) as client:
        yield client


@pytest.mark.parametrize("number", [2**63, 2**70, -1, -(2**70)])
async def test_numbers_beyond_what_a_database_can_represent_are_refused(tmp_path: Path, number: int) -> None:
    async with serve_agents(tmp_path, build_tooled_agent(), database=tmp_path / "simulator.db") as client:
        session_id = await client.start_session("tooled", "go")
        await client.wait_for_turn(session_id)
        for path, status in (
            (f"/sessions?limit={number}", 422),
            (f"/sessions?cursor={number}:s", 400),
            (f"/queue?limit={number}", 422),
            (f"/queue?cursor={number}:1:s", 400),
            (f"/sessions/{session_id}/rows?start={number}", 422),
            (f"/sessions/{session_id}/rows?count={number}", 422),
            (f"/sessions/{session_id}/rows/{number}", 404),
            (f"/sessions/{session_id}/rows/0/media/{number}", 404),
        ):
            assert (await client.client.get(f"/api{path}")).status_code == status, path
        assert await client.get(f"/sessions/{session_id}/rows", start=2**53 - 1) == []


class TestAgents:
    @pytest.mark.req("001/FR-007", "001/FR-007a")
    async def test_they_are_listed_with_tools_and_eval_set(self, browser: ApiClient, tmp_path: Path) -> None:
        server = await browser.get("/server")

        assert server["agents"] == await browser.get("/agents")
        assert [agent["key"] for agent in server["agents"]] == ["tooled", "structured", "outer", "math_agent"]
        assert server["agents"][0]["tools"] == ["add", "kind", "big", "hostile", "deep", "forever", "draw", "delete"]
        assert server["agents"][0]["model"] == "scripted"
        assert server["agents"][0]["eval_case_count"] is None
        assert [(agent["name"], agent["eval_set_path"]) for agent in server["agents"]] == [
            (name, str(tmp_path / f"{name}.evalset.json")) for name in ("tooled", "structured", "outer", "math_agent")
        ]
        assert not server["is_persistent"]

    @pytest.mark.req("000/SimulationSession", "001/FR-007", "001/FR-021", "001/FR-022", "001/FR-025")
    async def test_an_agent_has_the_name_and_the_export_path_of_its_config(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        config = SimulatedAgentConfig(
            name="The calculator", agent=build_tooled_agent(), eval_set_path="evals/calculator.evalset.json"
        )
        async with serve_agents(tmp_path, config) as browser:
            (agent,) = await browser.get("/agents")
            session_id = await browser.start_session("the_calculator", "2+2?")
            await browser.respond(session_id, "4")
            await browser.wait_for_status(session_id, "done")
            await browser.post(f"/sessions/{session_id}/export", {})

        assert agent["name"] == "The calculator"
        assert agent["eval_set_path"] == "evals/calculator.evalset.json"
        eval_set = EvalSet.model_validate_json((tmp_path / "evals" / "calculator.evalset.json").read_text())
        assert (eval_set.eval_set_id, eval_set.name) == ("the_calculator_evals", "The calculator")
        (case,) = eval_set.eval_cases
        assert case.eval_id.startswith("the_calculator_")

    async def test_an_eval_set_that_cannot_be_appended_to_is_reported(self, browser: ApiClient, tmp_path: Path) -> None:
        (tmp_path / "tooled.evalset.json").write_text("[]")
        agent_catalog = await browser.get("/agents")

        assert "is not an EvalSet" in agent_catalog[0]["eval_set_problem"]

    async def test_tools_that_do_not_load_are_reported_and_end_a_run(self, tmp_path: Path) -> None:
        class Broken(BaseToolset):
            async def get_tools(self, readonly_context: Any = None) -> list[Any]:
                raise ConnectionError("nobody listens")

        agent = LlmAgent(name="agent", model="gemini-2.5-flash", instruction="Be kind.", tools=[Broken()])
        async with serve_agents(tmp_path, agent) as browser:
            (listed,) = await browser.get("/agents")
            session_id = await browser.start_session("agent")
            briefing = await browser.get(f"/sessions/{session_id}/briefing")
            await browser.send_message(session_id, "x")
            session = await browser.wait_for_status(session_id, "failed")

        assert "cannot load its tools from Broken: nobody listens" in listed["problem"]
        assert (briefing["instruction"], briefing["problem"]) == ("Be kind.", listed["problem"])
        assert "nobody listens" in session["failure"]

    async def test_tools_that_hang_block_neither_the_list_nor_a_briefing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        loads = 0

        class Hanging(BaseToolset):
            async def get_tools(self, readonly_context: Any = None) -> list[Any]:
                nonlocal loads
                loads += 1
                await asyncio.Event().wait()
                return []

        monkeypatch.setattr(agent_catalog, "BRIEFING_TIMEOUT_SECONDS", 0.1)
        async with serve_agents(
            tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash", tools=[Hanging()])
        ) as browser:
            listed = [(await browser.get("/agents"))[0]["problem"] for _ in range(3)]
            loads_of_lists = loads
            session_id = await browser.start_session("agent")
            briefing = await browser.get(f"/sessions/{session_id}/briefing")

        assert "did not load within" in listed[0]
        assert {*listed, briefing["problem"]} == {listed[0]}
        assert loads_of_lists == 1

    @pytest.mark.req("001/FR-007a")
    async def test_sessions_of_several_agents_run_side_by_side(self, browser: ApiClient) -> None:
        session_ids = [await browser.start_session(agent, "hello") for agent in ("tooled", "math_agent")]
        for session_id in session_ids:
            await browser.wait_for_turn(session_id)
        for session_id in session_ids:
            await browser.respond(session_id, "hi")
            await browser.wait_for_status(session_id, "done")

    async def test_an_unknown_agent_is_named_in_the_error(self, browser: ApiClient) -> None:
        refusal = await browser.post_refused("/sessions", {"agent_key": "nobody"}, 404)

        assert "There is no agent 'nobody'. Agents: tooled, structured, outer, math_agent." in refusal["message"]


class TestBriefing:
    @pytest.mark.req("001/FR-001", "001/FR-008")
    async def test_before_the_first_turn_it_is_resolved_with_a_real_context(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled")
        briefing = await browser.get(f"/sessions/{session_id}/briefing")

        assert briefing["instruction"] == "Be quick, ."
        assert briefing["tools"][0]["parameters"]["properties"]["a"]["type"] == "integer"
        assert briefing["output_schema"] is None

    async def test_it_has_the_schemas_of_messages_and_answers(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("structured")
        before = await browser.get(f"/sessions/{session_id}/briefing")
        await browser.post(f"/sessions/{session_id}/messages", {"json_text": '{"query": "q", "max_results": 1}'})
        turn_id = await browser.wait_for_turn(session_id)
        turn = await browser.get(f"/sessions/{session_id}/briefing", turn_id=turn_id)

        assert list(before["input_schema"]["properties"]) == ["query", "max_results"]
        assert list(before["output_schema"]["properties"]) == ["answer", "confidence"]
        assert turn["output_schema"]["required"] == ["answer", "confidence"]
        assert turn["input_schema"] == before["input_schema"]

    async def test_the_request_is_shown_as_the_model_would_get_it(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "hello")
        turn_id = await browser.wait_for_turn(session_id)
        shown = await browser.get(f"/sessions/{session_id}/turns/{turn_id}/request")

        assert shown["request"]["contents"][0]["parts"] == [{"text": "hello"}]
        assert "Be quick" in shown["request"]["system_instruction"]
        assert shown["character_count"] == len(json.dumps(shown["request"], ensure_ascii=False))
        assert shown["token_estimate"] == (shown["character_count"] + 3) // 4


class TestASession:
    @pytest.mark.req("001/FR-007a", "001/US1.1", "001/FR-009", "001/FR-011", "001/FR-014", "001/FR-018", "001/SC-005")
    async def test_from_the_query_to_the_answer(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "5+3?")
        await browser.call_tools(session_id, ("add", {"a": 5, "b": 3}))
        await browser.respond(session_id, "It is 8")
        session = await browser.wait_for_status(session_id, "done")
        user, call, answer = await browser.get_rows(session_id)

        assert (session["name"], session["agent_key"]) == ("5+3?", "tooled")
        assert (user["kind"], user["summary"]) == ("user", "5+3?")
        assert (call["kind"], call["subject"], call["summary"], call["result"]) == ("call", "add", "a=5 b=3", "8")
        assert (call["status"], call["player"]) == ("done", "human")
        assert call["duration_ms"] > 0
        assert (answer["kind"], answer["summary"], answer["player"]) == ("answer", "It is 8", "human")

    async def test_integers_stay_integers_and_floats_floats(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "kinds")
        await browser.decide(session_id, calls=[{"name": "kind", "arguments": '{"value": 5}'}])
        await browser.decide(session_id, calls=[{"name": "kind", "arguments": '{"value": 5.0}'}])
        await browser.wait_for_turn(session_id)
        rows = await browser.get_rows(session_id)

        assert [row["result"] for row in rows if row["kind"] == "call"] == ["int", "float"]
        assert [row["summary"] for row in rows if row["kind"] == "call"] == ["value=5", "value=5.0"]

    async def test_several_calls_are_one_turn_and_a_row_each(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "both")
        await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}), ("add", {"a": 2, "b": 2}), text="Adding.")
        await browser.wait_for_turn(session_id)
        rows = await browser.get_rows(session_id)

        assert [(row["kind"], row["summary"], row["result"]) for row in rows[1:]] == [
            ("commentary", "Adding.", ""),
            ("call", "a=1 b=1", "2"),
            ("call", "a=2 b=2", "4"),
        ]

    @pytest.mark.req("001/US5.1", "001/FR-029e", "001/SC-004")
    async def test_a_tool_error_is_shown_with_type_message_and_traceback(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("math_agent", "1/0?")
        await browser.call_tools(session_id, ("divide", {"dividend": 1, "divisor": 0}))
        await browser.wait_for_turn(session_id)
        row = (await browser.get_rows(session_id))[1]
        behind = await browser.get_row_detail(session_id, 1)

        assert (row["status"], row["result"]) == ("failed", "ZeroDivisionError: division by zero")
        assert behind["error"]["text"] == "ZeroDivisionError: division by zero"
        assert behind["traceback"]["format"] == "traceback"
        assert "in divide" in behind["traceback"]["text"]

    async def test_another_message_continues_the_session(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "one")
        await browser.respond(session_id, "1")
        await browser.wait_for_status(session_id, "done")
        await browser.send_message(session_id, "two")
        await browser.respond(session_id, "2")
        await browser.wait_for_status(session_id, "done")

        assert [row["summary"] for row in await browser.get_rows(session_id)] == ["one", "1", "two", "2"]

    async def test_a_message_while_the_agent_works_is_refused(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "one")
        await browser.wait_for_turn(session_id)
        refusal = await browser.post_refused(f"/sessions/{session_id}/messages", {"text": "two"}, 409)

        assert refusal["error"] == "InvalidTransition"
        await browser.post_refused(f"/sessions/{session_id}/messages", {"text": " "}, 409)

    async def test_of_two_messages_at_once_one_is_taken(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled")
        path = f"/api/sessions/{session_id}/messages"
        answers = await asyncio.gather(*(browser.client.post(path, json={"text": text}) for text in "ab"))
        await browser.wait_for_turn(session_id)

        assert sorted(answer.status_code for answer in answers) == [200, 409]
        assert len(await browser.get_rows(session_id)) == 1

    async def test_files_of_a_message_are_returned_unchanged(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled")
        files = [
            {"name": "a.png", "mime_type": "image/png", "data": b64encode(PNG).decode()},
            {"name": "b.html", "mime_type": "text/html", "data": b64encode(b"<p>").decode()},
        ]
        await browser.send_message(session_id, "look", files=files)
        await browser.wait_for_turn(session_id)
        media = (await browser.get_row_detail(session_id, 0))["media"]
        image, page = [await browser.client.get(one["url"]) for one in media]

        assert [(one["name"], one["is_image"]) for one in media] == [("a.png", True), ("b.html", False)]
        assert (image.content, image.headers["content-type"]) == (PNG, "image/png")
        assert page.headers["content-type"] == "application/octet-stream"
        assert page.headers["content-disposition"].startswith("attachment")
        for answer in (image, page):
            assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'; frame-ancestors 'none'"
            assert answer.headers["x-content-type-options"] == "nosniff"

    async def test_a_file_that_is_no_base64_or_has_no_type_is_refused(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled")
        for file in (
            {"name": "a", "mime_type": "image/png", "data": "%%"},
            {"name": "a", "mime_type": "x", "data": ""},
        ):
            refusal = await browser.post_refused(
                f"/sessions/{session_id}/messages", {"text": "x", "files": [file]}, 422
            )
            assert refusal["error"] == "MalformedValue"

    async def test_artifacts_and_state_are_shown(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "draw")
        await browser.call_tools(session_id, ("draw", {}))
        await browser.wait_for_turn(session_id)
        rows = await browser.get_rows(session_id)
        index = next(row["index"] for row in rows if row["subject"] == "a.png")
        page = next(row["index"] for row in rows if row["subject"] == "../b.html")
        image = await browser.client.get(f"/api/sessions/{session_id}/rows/{index}/media/0")
        saved = await browser.client.get(f"/api/sessions/{session_id}/rows/{page}/media/0")

        assert image.content == PNG
        assert saved.headers["content-type"] == "application/octet-stream"
        assert "/" not in saved.headers["content-disposition"]
        assert (await browser.get(f"/sessions/{session_id}/state")) == {"drawn": 1}
        assert (await browser.client.get(f"/api/sessions/{session_id}/rows/{index}/media/1")).status_code == 404

    @pytest.mark.req("001/edge-large-output")
    async def test_long_results_are_cut_unless_requested_in_full(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "much")
        await browser.call_tools(session_id, ("big", {"size": 100_000}))
        await browser.wait_for_turn(session_id)
        row = (await browser.get_rows(session_id))[1]
        short = (await browser.get_row_detail(session_id, 1))["result"]
        whole = (await browser.get_row_detail(session_id, 1, full=True))["result"]
        await browser.respond(session_id, "much")
        await browser.wait_for_status(session_id, "done")
        case = json.loads((await browser.post(f"/sessions/{session_id}/export", {}))["text"])
        (exported,) = case["conversation"][0]["intermediate_data"]["tool_responses"]

        assert exported["response"] == {"result": "x" * 100_000}
        assert len(row["result"]) == 300
        assert (len(short["text"]), short["is_complete"], short["size"]) == (20_000, False, 100_002)
        assert (len(whole["text"]), whole["is_complete"]) == (100_002, True)

    async def test_hostile_values_do_not_break_the_api(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "hostile \u202e")
        await browser.call_tools(session_id, ("hostile", {}))
        turn_id = await browser.wait_for_turn(session_id)
        row = (await browser.get_rows(session_id))[1]
        result = json.loads((await browser.get_row_detail(session_id, 1))["result"]["text"])
        await browser.get(f"/sessions/{session_id}/turns/{turn_id}/request")

        assert "\u202e" not in row["result"]
        assert (result["half"], result["nan"]) == ("\ud800", "nan")

    @pytest.mark.parametrize("levels", [90, 200, 400])
    async def test_a_result_with_many_levels_can_be_read(self, browser: ApiClient, levels: int) -> None:
        session_id = await browser.start_session("tooled", "deep")
        await browser.call_tools(session_id, ("deep", {"levels": levels}))
        await browser.wait_for_turn(session_id)
        result = (await browser.get_row_detail(session_id, 1))["result"]

        assert result["format"] == ("json" if levels < 100 else "text")
        assert "[" * 90 in "".join(result["text"].split())

    @pytest.mark.parametrize("levels", [90, 200, 600, 900, 5_000])
    async def test_an_answer_with_many_levels_can_be_read(self, browser: ApiClient, levels: int) -> None:
        session_id = await browser.start_session("tooled", "deep")
        answer = "[" * levels + "]" * levels
        await browser.respond(session_id, answer)
        await browser.wait_for_status(session_id, "done")
        behind = await browser.get_row_detail(session_id, 1)
        shown = behind["data" if levels < 100 else "text"]["text"]

        assert "".join(shown.split()) == answer

    async def test_an_agent_used_as_a_tool_shows_its_own_calls_and_what_it_says(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("outer", "1+1?")
        await browser.call_tools(session_id, ("inner", {"request": "1+1"}))
        assert (await browser.wait_for_request(session_id, "model"))["pending"][0]["agent_name"] == "inner"
        await browser.call_tools(session_id, ("add", {"a": 1, "b": 1}))
        await browser.respond(session_id, "two")
        await browser.respond(session_id, "It is two")
        await browser.wait_for_status(session_id, "done")

        rows = await browser.get_rows(session_id)
        assert [(row["agent_name"], row["subject"], row["summary"], row["result"]) for row in rows] == [
            ("", "", "1+1?", ""),
            ("outer", "inner", "request=1+1", "two"),
            ("inner", "add", "a=1 b=1", "2"),
            ("inner", "", "two", ""),
            ("outer", "", "It is two", ""),
        ]
        assert [row["parent_call_id"] for row in rows] == ["", "", rows[1]["call_id"], rows[1]["call_id"], ""]
        assert (await browser.get_row_detail(session_id, 3))["text"]["text"] == "two"


class TestDeciding:
    @pytest.mark.req("001/FR-006")
    async def test_invalid_arguments_are_reported_call_by_call_and_can_be_overridden(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        turn_id = await browser.wait_for_turn(session_id)
        good, bad = {"name": "add", "arguments": '{"a": 1, "b": 2}'}, {"name": "add", "arguments": '{"a": "x"}'}
        body = {"decision_id": "decision-1", "calls": [good, bad, {"name": "nothing", "arguments": "{}"}]}
        refusal = await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/decision", body, 422)

        assert refusal["can_override"]
        assert "force" not in refusal["message"]
        assert [(one["call_index"], one["path"]) for one in refusal["problems"]] == [(1, "a"), (1, "b"), (2, "")]
        await browser.post(f"/sessions/{session_id}/turns/{turn_id}/decision", {**body, "force": True})
        await browser.wait_for_status(session_id, "waiting", "failed")
        assert len([row for row in await browser.get_rows(session_id) if row["kind"] == "call"]) == 3

    async def test_a_tool_that_is_not_offered_can_be_called_as_a_model_would(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        turn_id = await browser.wait_for_turn(session_id)
        calls = [
            {"name": "ad", "arguments": '{"a": 5.0, "deep": {"b": [1]}}'},
            {"name": "add", "arguments": '{"a": 1, "b": 2}'},
        ]
        body = {"decision_id": "decision-1", "calls": calls}
        refusal = await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/decision", body, 422)
        await browser.post(f"/sessions/{session_id}/turns/{turn_id}/decision", {**body, "force": True})
        await browser.wait_for_turn(session_id)
        made_up, offered = [row for row in await browser.get_rows(session_id) if row["kind"] == "call"]
        detail = await browser.get_row_detail(session_id, made_up["index"])

        assert (refusal["error"], refusal["can_override"]) == ("ToolNotOffered", True)
        assert (made_up["subject"], made_up["status"], made_up["is_unknown_tool"]) == ("ad", "failed", True)
        assert (offered["subject"], offered["status"], offered["is_unknown_tool"]) == ("add", "done", False)
        assert "5.0" in str(detail)
        assert made_up["player"] == "human"

    @pytest.mark.parametrize(
        "arguments",
        ["{", "[1]", '{"a": NaN, "b": 1}', '{"a": 1e999, "b": 1}', "[" * 5_000, '{"a":' * 200 + "1" + "}" * 200],
    )
    async def test_arguments_that_are_not_a_json_object_are_refused(self, browser: ApiClient, arguments: str) -> None:
        session_id = await browser.start_session("tooled", "x")
        turn_id = await browser.wait_for_turn(session_id)
        body = {"decision_id": "decision-1", "calls": [{"name": "add", "arguments": arguments}], "force": True}
        refusal = await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/decision", body, 422)

        assert refusal["error"] == "MalformedValue"
        assert not refusal["can_override"]

    async def test_of_two_tabs_one_decides_and_the_other_is_refused(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        path = f"/api/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/decision"
        answers = await asyncio.gather(
            browser.client.post(path, json={"decision_id": "first-tab", "text": "1"}),
            browser.client.post(path, json={"decision_id": "second-tab", "text": "2"}),
        )

        assert sorted(answer.status_code for answer in answers) == [200, 409]
        lost = next(answer for answer in answers if answer.status_code == 409)
        assert lost.json()["error"] == "TurnAlreadyDecided"

    async def test_the_same_decision_sent_again_is_the_same(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        path = f"/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/decision"
        for _ in range(2):
            await browser.post(path, {"decision_id": "decision-1", "text": "1"})
        await browser.wait_for_status(session_id, "done")

        assert len(await browser.get_rows(session_id)) == 2

    async def test_an_empty_decision_is_refused(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        path = f"/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/decision"

        assert (await browser.post_refused(path, {"decision_id": "decision-1"}, 422))["error"] == "EmptyDecision"

    @pytest.mark.req("001/FR-016", "001/US4.3")
    async def test_an_answer_must_match_the_output_schema_and_its_python_type(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("structured")
        refusal = await browser.post_refused(f"/sessions/{session_id}/messages", {"json_text": '{"query": "q"}'}, 422)
        assert refusal["problems"][0]["path"] == "max_results"
        await browser.post(f"/sessions/{session_id}/messages", {"json_text": '{"query": "q", "max_results": 1}'})
        path = f"/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/decision"
        missing = await browser.post_refused(path, {"decision_id": "decision-1", "json_text": '{"answer": "a"}'}, 422)
        shouted = '{"answer": "A", "confidence": 1}'
        loud = await browser.post_refused(path, {"decision_id": "decision-1", "json_text": shouted}, 422)

        assert [one["path"] for one in missing["problems"]] == ["confidence"]
        assert "do not shout" in loud["message"]
        assert missing["can_override"]
        await browser.post(path, {"decision_id": "decision-1", "json_text": '{"answer": "a", "confidence": 1.0}'})
        await browser.wait_for_status(session_id, "done")
        detail = await browser.get_row_detail(session_id, 1)
        assert json.loads(detail["data"]["text"]) == {"answer": "a", "confidence": 1.0}

    @pytest.mark.req("001/FR-016", "001/US4.3")
    async def test_an_answer_that_does_not_match_the_output_schema_can_be_sent_anyway(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("structured")
        await browser.post(f"/sessions/{session_id}/messages", {"json_text": '{"query": "q", "max_results": 1}'})
        path = f"/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/decision"
        partial = {"decision_id": "decision-1", "json_text": '{"answer": "a"}'}
        assert (await browser.post_refused(path, partial, 422))["can_override"]

        await browser.post(path, {**partial, "force": True})
        await browser.wait_for_status(session_id, "done")
        answer = (await browser.get_rows(session_id))[-1]

        assert (answer["kind"], answer["summary"]) == ("answer", '{"answer": "a"}')

    async def test_an_agent_with_tools_answers_with_data_too(self, tmp_path: Path) -> None:
        """ADK takes such an answer through a tool of its own, which the person sees only as a form."""
        async with serve_agents(tmp_path, load_demo_app("shop_agent")) as browser:
            session_id = await browser.start_session("shop_agent", "refund ORD-1")
            await browser.call_tools(session_id, ("transfer_to_agent", {"agent_name": "refund_agent"}))
            turn_id = await browser.wait_for_turn(session_id)
            briefing = await browser.get(f"/sessions/{session_id}/briefing", turn_id=turn_id)
            path = f"/sessions/{session_id}/turns/{turn_id}/decision"
            partial = {"decision_id": "decision-1", "json_text": '{"order_id": "ORD-1", "granted": false, "amount": 0}'}
            refusal = await browser.post_refused(path, partial, 422)
            whole = {"order_id": "ORD-1", "granted": False, "amount": 0.0, "reason": "There is none."}
            await browser.post(path, {"decision_id": "decision-1", "json_text": json.dumps(whole)})
            await browser.wait_for_status(session_id, "done")
            answer = (await browser.get_rows(session_id))[-1]
            state = await browser.get(f"/sessions/{session_id}/state")

        assert [tool["name"] for tool in briefing["tools"]] == ["transfer_to_agent", "get_order"]
        assert briefing["output_schema"]["required"] == ["order_id", "granted", "amount", "reason"]
        assert [(one["path"], one["call_index"]) for one in refusal["problems"]] == [("reason", None)]
        assert (answer["kind"], answer["player"]) == ("answer", "human")
        assert state["refund"] == whole

    async def test_a_form_is_checked_without_sending_it(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("structured")
        check = f"/sessions/{session_id}/check"
        assert [one["path"] for one in await browser.post(check, {"target": "message", "value": "{}"})] == [
            "query",
            "max_results",
        ]
        await browser.post(f"/sessions/{session_id}/messages", {"json_text": '{"query": "q", "max_results": 1}'})
        turn_id = await browser.wait_for_turn(session_id)
        answer = {"target": "answer", "value": '{"answer": "A", "confidence": 1}'}
        assert "do not shout" in (await browser.post(f"{check}?turn_id={turn_id}", answer))[0]["message"]
        tools = await browser.start_session("tooled", "x")
        turn_id = await browser.wait_for_turn(tools)
        call = {"target": "call", "tool_name": "add", "value": '{"a": 1.5, "b": 1}'}
        assert [one["path"] for one in await browser.post(f"/sessions/{tools}/check?turn_id={turn_id}", call)] == ["a"]

    async def test_a_decision_for_another_turn_or_session_is_not_found(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        body = {"decision_id": "decision-1", "text": "1"}

        await browser.post_refused(f"/sessions/{session_id}/turns/other/decision", body, 404)
        await browser.post_refused("/sessions/other/turns/other/decision", body, 404)


class TestRunning:
    async def test_a_running_call_says_since_when_and_can_be_cancelled(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "wait")
        async with browser.open_tab() as tab:
            await tab.follow(session_id)
            await browser.call_tools(session_id, ("forever", {}), ("add", {"a": 1, "b": 1}))
            async for _ in tab.iter_updates():
                if tab.rows.get(2, {}).get("status") == "done":
                    break
        session = await browser.get(f"/sessions/{session_id}")
        call = (await browser.get_rows(session_id))[1]
        assert (session["status"], call["status"]) == ("running", "running")
        assert session["running_since"] >= call["timestamp"]
        await browser.post(f"/sessions/{session_id}/calls/{call['call_id']}/cancel")
        await browser.wait_for_turn(session_id)
        row = (await browser.get_rows(session_id))[1]

        assert row["status"] == "cancelled"
        assert row["result"].startswith("Cancelled: The call of forever was cancelled")
        await browser.post_refused(f"/sessions/{session_id}/calls/{call['call_id']}/cancel", None, 404)

    async def test_a_run_can_be_stopped_and_the_session_continues(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        turn_id = await browser.wait_for_turn(session_id)
        await browser.post(f"/sessions/{session_id}/stop")
        stopped = await browser.get(f"/sessions/{session_id}")
        body = {"decision_id": "decision-1", "text": "too late"}
        await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/decision", body, 410)
        await browser.post_refused(f"/sessions/{session_id}/stop", None, 409)
        await browser.send_message(session_id, "again")
        await browser.respond(session_id, "here")
        await browser.wait_for_status(session_id, "done")

        assert (stopped["status"], stopped["failure"]) == ("stopped", "The run was stopped.")

    @pytest.mark.parametrize(("approve", "result"), [(True, "a.txt is gone"), (False, "rejected")])
    async def test_a_call_waits_for_confirmation(self, browser: ApiClient, approve: bool, result: str) -> None:
        session_id = await browser.start_session("tooled", "delete it")
        await browser.call_tools(session_id, ("delete", {"path": "a.txt"}))
        asked = await browser.wait_for_confirmation(session_id)
        waiting = (await browser.get_rows(session_id))[1]
        await browser.post_refused(f"/sessions/{session_id}/consent", {"question_id": "other", "approve": True}, 404)
        answer = {"question_id": asked["question_id"], "approve": approve}
        await browser.post(f"/sessions/{session_id}/consent", answer)
        await browser.respond(session_id, "Done")
        await browser.wait_for_status(session_id, "done")
        rows = await browser.get_rows(session_id)

        assert (asked["tool_name"], asked["arguments"]) == ("delete", '{"path": "a.txt"}')
        assert waiting["status"] == "confirm"
        assert [row["kind"] for row in rows] == ["user", "call", "consent", "answer"]
        assert rows[1]["status"] == ("done" if approve else "denied")
        assert result in rows[1]["result"]
        assert rows[2]["summary"] == ("approved" if approve else "denied")
        assert (await browser.get_row_detail(session_id, 1))["arguments"]["text"] == '{\n  "path": "a.txt"\n}'

    async def test_a_confirmation_keeps_all_digits_of_its_numbers(self, tmp_path: Path) -> None:
        def pay(amount: float, account: int, tool_context: ToolContext) -> None:
            """Pay."""
            tool_context.actions.skip_summarization = True
            tool_context.request_confirmation(hint="Sure?", payload={"limit": 9_007_199_254_740_993, "rate": 1.0})

        async with serve_agents(tmp_path, LlmAgent(name="agent", model="gemini-2.5-flash", tools=[pay])) as browser:
            session_id = await browser.start_session("agent", "pay")
            given = '{"amount": 5.0, "account": 9007199254740993}'
            await browser.decide(session_id, calls=[{"name": "pay", "arguments": given}])
            asked = await browser.wait_for_confirmation(session_id)

        assert asked["arguments"] == given
        assert asked["payload"] == '{"limit": 9007199254740993, "rate": 1.0}'

    async def test_two_calls_that_need_confirmation_are_confirmed_one_after_the_other(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "delete both")
        await browser.call_tools(session_id, ("delete", {"path": "a"}), ("delete", {"path": "b"}))
        asked: list[str] = []
        for _ in range(2):
            question = await browser.wait_for_confirmation(session_id)
            path = json.loads(question["arguments"])["path"]
            asked.append(path)
            answer = {"question_id": question["question_id"], "approve": True}
            await browser.post(f"/sessions/{session_id}/consent", answer)
            session = await browser.wait_for_request(session_id, "model", "consent")
            if session["pending"][0]["kind"] == "model":
                await browser.respond(session_id, f"deleted {path}")
        await browser.wait_for_status(session_id, "done")
        rows = await browser.get_rows(session_id)

        assert asked == ["a", "b"]
        assert [row["result"] for row in rows if row["kind"] == "call"] == ["a is gone", "b is gone"]

    async def test_a_run_that_fails_is_an_error_row_and_a_status(self, tmp_path: Path) -> None:
        def breaks(callback_context: Any, llm_request: Any) -> None:
            raise RuntimeError("the callback broke")

        agent = LlmAgent(name="broken", model="gemini-2.5-flash", before_model_callback=breaks)
        async with serve_agents(tmp_path, agent) as browser:
            session_id = await browser.start_session("broken", "x")
            session = await browser.wait_for_status(session_id, "failed")
            row = (await browser.get_rows(session_id))[-1]

        assert "the callback broke" in session["failure"]
        assert (row["kind"], row["status"]) == ("error", "failed")

    async def test_a_closed_session_can_be_read_but_not_played(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        await browser.wait_for_turn(session_id)
        answer = await browser.post(f"/sessions/{session_id}/close")
        await browser.post_refused(f"/sessions/{session_id}/messages", {"text": "more"}, 409)
        closed = await browser.get(f"/sessions/{session_id}")

        assert (closed["status"], closed["pending"]) == ("closed", [])
        assert (await browser.get_rows(session_id))[-1]["kind"] == "note"
        assert (await browser.post(f"/sessions/{session_id}/close")) == answer

    async def test_closing_one_session_leaves_others_of_the_agent_alone(self, browser: ApiClient) -> None:
        first, second = await browser.start_session("tooled", "1"), await browser.start_session("tooled", "2")
        await browser.wait_for_turn(first)
        await browser.post(f"/sessions/{first}/close")
        await browser.call_tools(second, ("add", {"a": 1, "b": 1}))
        await browser.respond(second, "2")

        assert (await browser.wait_for_status(second, "done"))["status"] == "done"
        assert [one["session_id"] for one in await browser.list_sessions()] == [second, first]

    async def test_it_can_be_renamed(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "x")
        await browser.client.patch(f"/api/sessions/{session_id}", json={"name": "My best"})

        assert (await browser.get(f"/sessions/{session_id}"))["name"] == "My best"
        assert (await browser.client.patch(f"/api/sessions/{session_id}", json={"name": ""})).status_code == 422

    @pytest.mark.parametrize(
        ("given", "shown"), [("  My\nbest ", "My best"), ("\u202etxt.exe\x1b[2J", "\ufffdtxt.exe\ufffd[2J")]
    )
    async def test_a_name_is_one_line_without_misleading_characters(
        self, browser: ApiClient, given: str, shown: str
    ) -> None:
        session_id = await browser.start_session("tooled", "x")
        await browser.client.patch(f"/api/sessions/{session_id}", json={"name": given})

        assert (await browser.get(f"/sessions/{session_id}"))["name"] == shown

    @pytest.mark.parametrize("given", ["  ", "\n", "\u202e \x00"])
    async def test_an_empty_name_is_refused(self, browser: ApiClient, given: str) -> None:
        session_id = await browser.start_session("tooled", "x")
        answer = await browser.client.patch(f"/api/sessions/{session_id}", json={"name": given})

        assert (answer.status_code, answer.json()["error"]) == (422, "MalformedValue")


class TestTheOwnModel:
    async def test_it_suggests_and_the_turn_keeps_waiting(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "1+1?")
        turn_id = await browser.wait_for_turn(session_id)
        before = await browser.get(f"/sessions/{session_id}")
        suggestion = await browser.post(f"/sessions/{session_id}/turns/{turn_id}/suggestion")

        assert json.loads(suggestion["calls"][0]["arguments"]) == {"a": 1, "b": 1}
        assert await browser.get(f"/sessions/{session_id}") == before

    async def test_it_answers_a_turn_and_is_recorded_as_real(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "1+1?")
        turn_id = await browser.wait_for_turn(session_id)
        await browser.post(f"/sessions/{session_id}/turns/{turn_id}/own-model")
        await browser.respond(session_id, "two")
        await browser.wait_for_status(session_id, "done")
        rows = await browser.get_rows(session_id)

        assert [(row["kind"], row["player"]) for row in rows] == [("user", ""), ("call", "real"), ("answer", "human")]

    async def test_one_that_cannot_be_asked_says_why_and_the_turn_waits(
        self, browser: ApiClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
            monkeypatch.delenv(name, raising=False)
        session_id = await browser.start_session("math_agent", "x")
        turn_id = await browser.wait_for_turn(session_id)
        refusal = await browser.post_refused(f"/sessions/{session_id}/turns/{turn_id}/suggestion", None, 502)

        assert refusal["error"] == "OwnModelFailed"
        assert await browser.wait_for_turn(session_id) == turn_id

    @pytest.mark.parametrize("raises", [True, False])
    async def test_its_error_message_contains_no_secrets(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raises: bool
    ) -> None:
        said = "GET https://models.example/v1?key=AIzaAddress&alt=sse, Bearer abcdefgh12345 (env-secret-1) 403 denied"

        class Failing(BaseLlm):
            async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
                if raises:
                    raise ConnectionError(said)
                yield LlmResponse(error_code="403", error_message=said)

        monkeypatch.setenv("MODELS_API_KEY", "env-secret-1")
        async with serve_agents(tmp_path, LlmAgent(name="agent", model=Failing(model="failing"))) as browser:
            session_id = await browser.start_session("agent", "x")
            path = f"/sessions/{session_id}/turns/{await browser.wait_for_turn(session_id)}/suggestion"
            message = (await browser.post_refused(path, None, 502))["message"]

        assert "403 denied" in message
        for secret in ("AIzaAddress", "abcdefgh12345", "env-secret-1"):
            assert secret not in message


class TestExport:
    @pytest.mark.req("001/US3.1", "001/FR-021")
    async def test_it_writes_where_the_config_says_and_asks_before_the_second_time(
        self, browser: ApiClient, tmp_path: Path
    ) -> None:
        session_id = await browser.start_session("tooled", "2+2?")
        await browser.post_refused(f"/sessions/{session_id}/export", {}, 409)
        await browser.call_tools(session_id, ("add", {"a": 2, "b": 2}))
        await browser.respond(session_id, "4")
        await browser.wait_for_status(session_id, "done")
        written = await browser.post(f"/sessions/{session_id}/export", {})
        again = await browser.post_refused(f"/sessions/{session_id}/export", {}, 409)
        await browser.post(f"/sessions/{session_id}/export", {"again": True})
        path = tmp_path / "tooled.evalset.json"
        cases = EvalSet.model_validate_json(path.read_text()).eval_cases

        invocation = (cases[0].conversation or [])[0].model_dump(mode="json", exclude_none=True)
        assert invocation["user_content"]["parts"] == [{"text": "2+2?"}]
        assert invocation["final_response"]["parts"] == [{"text": "4"}]
        (use,), (response,) = (invocation["intermediate_data"][name] for name in ("tool_uses", "tool_responses"))
        assert (use["name"], use["args"]) == ("add", {"a": 2, "b": 2})
        assert (response["id"], response["response"]) == (use["id"], {"result": 4})
        assert written["path"] == str(path)
        assert json.loads(written["text"])["eval_id"] == cases[0].eval_id
        assert written["command"] == f"adk eval AGENT_FOLDER {path}"
        assert (again["error"], again["can_override"]) == ("AlreadyExported", True)
        assert len(cases) == 2
        assert (await browser.get("/agents"))[0]["eval_case_count"] == 2
        assert len((await browser.get(f"/sessions/{session_id}"))["exports"]) == 2

    async def test_a_fixture_for_adk_test_is_written_beside_it(self, browser: ApiClient, tmp_path: Path) -> None:
        session_id = await browser.start_session("math_agent", "2+2?")
        await browser.call_tools(session_id, ("add", {"a": 2, "b": 2}))
        await browser.respond(session_id, "4")
        await browser.wait_for_status(session_id, "done")
        written = await browser.post(f"/sessions/{session_id}/export", {"format": "adk-test"})

        (fixture,) = (tmp_path / "tests").iterdir()

        assert written["path"] == str(fixture)
        assert json.loads(fixture.read_text()) == json.loads(written["text"])

    @pytest.mark.parametrize("form", ["evalset", "adk-test"])
    async def test_of_many_exports_at_once_one_is_written(self, browser: ApiClient, tmp_path: Path, form: str) -> None:
        session_id = await browser.start_session("math_agent", "2+2?")
        await browser.respond(session_id, "4")
        await browser.wait_for_status(session_id, "done")
        path, order = f"/api/sessions/{session_id}/export", {"format": form}
        answers = await asyncio.gather(*(browser.client.post(path, json=order) for _ in range(5)))
        written = (
            list((tmp_path / "tests").glob("*.json"))
            or EvalSet.model_validate_json((tmp_path / "math_agent.evalset.json").read_text()).eval_cases
        )

        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
        assert len(written) == 1

    async def test_two_sessions_that_are_exported_at_once_are_both_written(
        self, browser: ApiClient, tmp_path: Path
    ) -> None:
        both = [await browser.start_session("math_agent", "2+2?") for _ in range(2)]
        for session_id in both:
            await browser.respond(session_id, "4")
            await browser.wait_for_status(session_id, "done")
        await asyncio.gather(*(browser.post(f"/sessions/{one}/export", {"format": "adk-test"}) for one in both))

        assert len(list((tmp_path / "tests").glob("*.json"))) == 2

    async def test_the_server_writes_every_format_of_the_table(self, browser: ApiClient, tmp_path: Path) -> None:
        session_id = await browser.start_session("math_agent", "2+2?")
        await browser.respond(session_id, "4")
        await browser.wait_for_status(session_id, "done")
        formats = (await browser.get("/server"))["export_formats"]
        written = [await browser.post(f"/sessions/{session_id}/export", {"format": each["name"]}) for each in formats]

        assert [each["name"] for each in formats] == list(EXPORT_FORMATS)
        assert [each["format"] for each in written] == list(EXPORT_FORMATS)
        assert all(record["path"].endswith(each["extension"]) for record, each in zip(written, formats, strict=True))
        assert all(Path(record["path"]).is_relative_to(tmp_path) for record in written)
        info = await browser.get(f"/sessions/{session_id}")
        assert [each["format"] for each in info["exports"]] == list(EXPORT_FORMATS)


class TestDeleting:
    async def test_a_deleted_session_is_gone_with_its_events(self, browser: ApiClient) -> None:
        session_id = await browser.start_session("tooled", "hello")
        await browser.wait_for_turn(session_id)
        answer = await browser.client.delete(f"/api/sessions/{session_id}")
        assert answer.status_code == 204
        assert session_id not in [one["session_id"] for one in await browser.list_sessions()]
        assert (await browser.client.get(f"/api/sessions/{session_id}")).status_code == 404
