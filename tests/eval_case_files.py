"""EvalSets of the math agent for tests: cases that replay equal, have drifted, or cannot be replayed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


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
