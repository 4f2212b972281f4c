"""Plays the model of an agent in a world from a script: its calls and responses, in order.

The file is a script as `adksim run --script` plays it. The scenario speaks for the user, so `user` steps only say where
a turn begins. When the script is over, the model does nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from adk_agent_sim.adk.steps.script import Script, read_script
from adk_agent_sim.errors import InvalidScript
from adk_agent_sim.timeline.canonical_json import encode_json


class ScriptPlayer:
    """A model's player that follows a script, in one run."""

    def __init__(self, script: Script, source: str) -> None:
        """Prepare to play.

        Raises:
            InvalidScript: A step is no decision of a model.
        """
        for number, step in enumerate(script.steps, start=1):
            if not step.all_calls and step.title not in ("user", "respond"):
                reason = f"`{step.title}` is not a decision of the model, which is all that a script plays here"
                raise InvalidScript(source, f"step {number}: {reason}. Remove the step.")
        self._responses = _iter_responses(script)

    def __call__(self, request: LlmRequest) -> LlmResponse:
        """Return the next decision."""
        return next(self._responses, _build_response())


def read_script_player(path: Path) -> ScriptPlayer:
    """Read a script and return its player; raise InvalidScript, which says where it is wrong."""
    return ScriptPlayer(read_script(path), str(path))


def _iter_responses(script: Script) -> Iterator[LlmResponse]:
    for step in script.steps:
        if calls := step.all_calls:
            yield _build_response(
                *(types.Part(function_call=types.FunctionCall(name=each.call, args=each.args)) for each in calls)
            )
        elif step.title == "respond":
            answer = cast("object", step.respond)
            yield _build_response(types.Part(text=answer if isinstance(answer, str) else encode_json(answer).decode()))


def _build_response(*parts: types.Part) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)))
