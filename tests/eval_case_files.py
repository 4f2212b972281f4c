"""EvalSets of the math agent for tests: cases that replay equal, have drifted, or cannot be replayed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim.adk.demo.math_agent.agent import add


def build_turn(question: str, answer: str, *calls: tuple[str, Mapping[str, Any], Any]) -> dict[str, Any]:
    """Return a user turn; a call is a tool, its arguments, and its result or None if none was recorded."""
    return {
        "user_content": {"role": "user", "parts": [{"text": question}]},
        "intermediate_data": {
            "tool_uses": [
                {"id": f"c{place}", "name": name, "args": dict(args)} for place, (name, args, _) in enumerate(calls)
            ],
            "tool_responses": [
                {"id": f"c{place}", "name": name, "response": {"result": result}}
                for place, (name, _, result) in enumerate(calls)
                if result is not None
            ],
        },
        "final_response": {"role": "model", "parts": [{"text": answer}]},
    }


def build_case(eval_id: str, *turns: dict[str, Any]) -> dict[str, Any]:
    """Return a case of the math agent."""
    session_input: dict[str, Any] = {"app_name": "math_agent", "user_id": "user", "state": {}}
    return {"eval_id": eval_id, "conversation": list(turns), "session_input": session_input}


EQUAL = build_case("sum", build_turn("What is 2+2?", "The answer is 4", ("add", {"a": 2, "b": 2}, 4)))
DRIFTED = build_case("wrong sum", build_turn("What is 2+3?", "The answer is 6", ("add", {"a": 2, "b": 3}, 6)))
TALK = build_case("talk", build_turn("Hello", "Hello to you"))
SCENARIO = {
    "eval_id": "simulated user",
    "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Ask for a sum."},
}


def write_eval_set(path: Path, *cases: Mapping[str, Any]) -> Path:
    """Write an EvalSet and return its path."""
    content = {"eval_set_id": "math", "name": "Math", "eval_cases": [dict(case) for case in cases]}
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def write_legacy_eval_set(path: Path, *names: str) -> Path:
    """Write an EvalSet in the format from before ADK 1.0, whose cases add two numbers, and return its path."""
    data = {
        "query": "What is 2+2?",
        "expected_tool_use": [{"tool_name": "add", "tool_input": {"a": 2, "b": 2}}],
        "expected_intermediate_agent_responses": [],
        "reference": "The answer is 4",
    }
    session = {"state": {"mood": "calm"}, "app_name": "math_agent", "user_id": "user"}
    path.write_text(json.dumps([{"name": name, "data": [data], "initial_session": session} for name in names]), "utf-8")
    return path


async def write_adk_session(path: Path, *, is_answered: bool = True) -> Path:
    """Write the session file of a real run, as `adk run --save_session` does, and return its path.

    Its last user turn has no final response; the one before it has one if `is_answered`.
    """
    call = call_response(("add", {"a": 2, "b": 2}))
    model = ScriptedModel(script=[call, text_response("The answer is 4")])
    agent = LlmAgent(name="math_agent", model=model, tools=[add])
    runner = InMemoryRunner(app=App(name="math_agent", root_agent=agent))
    await runner.session_service.create_session(
        app_name="math_agent", user_id="user", session_id="s1", state={"mood": "calm"}
    )
    for text in ("What is 2+2?", "And then?") if is_answered else ("And then?",):
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async with aclosing(runner.run_async(user_id="user", session_id="s1", new_message=message)) as events:
            async for _ in events:
                if text == "And then?":
                    break
    saved = await runner.session_service.get_session(app_name="math_agent", user_id="user", session_id="s1")
    assert saved is not None
    text = saved.model_dump_json(indent=2, exclude_none=True, by_alias=True)
    await asyncio.to_thread(path.write_text, text, "utf-8")
    await runner.close()
    return path
