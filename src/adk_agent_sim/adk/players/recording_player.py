"""Plays the models of a session from recordings: each agent gets its own decisions, in their order.

A session uses the recording that has its user messages. Calls keep their recorded ids, because the paths of the agents
that run inside tools refer to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import AgentTool, BaseTool
from google.genai import types

from adk_agent_sim.adk.loading.agent_tree import collect_agent_names
from adk_agent_sim.errors import ReplayImpossible
from adk_agent_sim.golden.recording import DecisionStreams, RecordedRun, RecordedToolCall, Recording, StreamKey
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import extract_visible_text, get_parts
from adk_agent_sim.timeline.events import AgentEvent, AgentPath, Player
from adk_agent_sim.timeline.framework_calls import is_refused_call
from adk_agent_sim.timeline.history import is_user_query
from adk_agent_sim.timeline.json_conversion import to_json_value

_log = get_logger(__name__)


class RecordingPlayer:
    """Answers the model calls of one session; raises, and logs an error, where no recording fits."""

    player = Player.RECORDED

    def __init__(self, recordings: Sequence[Recording], source: str) -> None:
        """Play from the first of the recordings that fits.

        Args:
            recordings: The recordings.
            source: Where they come from, for error messages.
        """
        self.skipped_agents: set[str] = set()
        """The agents that did not run, because their recorded result was returned instead."""
        self._candidates = list(recordings)
        self._source = source
        self._run_index = -1
        self._run: RecordedRun | None = None
        self._streams: DecisionStreams | None = None
        self._answering_agents: set[tuple[str, AgentPath]] = set()
        """The agents that got a decision and have not emitted it yet."""
        self._problem = "the session has no user message yet"
        self._skipped_turns: Sequence[tuple[str, AgentPath]] = ()

    def handle_user_message(self, message: types.Content) -> None:
        """Play the decisions that follow this message next."""
        content = to_json_value(message)
        self._run_index += 1
        fitting = [each for each in self._candidates if _has_message(each, self._run_index, content)]
        self._run = fitting[0].runs[self._run_index] if fitting else None
        self._streams = DecisionStreams(self._run) if self._run else None
        self._answering_agents.clear()
        self._problem = "" if fitting else f"it has no user message {extract_visible_text(content)!r} at this point"
        # If none fits, the candidates stay, because the next message may fit one of them again.
        self._candidates = fitting or self._candidates
        for agent_name, path in self._skipped_turns:
            if self._streams is not None:
                self._streams.take(agent_name, path)
        self._skipped_turns = ()

    def skip_turns(self, turns: Sequence[tuple[str, AgentPath]]) -> None:
        """Skip the decisions of these agents after the next user message: somebody else has made them."""
        self._skipped_turns = turns

    def decide_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> LlmResponse:
        """Return the agent's next recorded decision; raise ReplayImpossible if there is none."""
        if self._streams is not None:
            decision = self._streams.take(agent_name, path)
            if decision is not None:
                self._answering_agents.add((agent_name, path))
                return LlmResponse.model_validate(decision.response)
            self._problem = (
                f"agent {agent_name!r} calls its model more often than it has decisions after user message "
                f"{self._run_index + 1}"
            )
        problem = f"The recording {self._source} does not fit this session: {self._problem}."
        _log.error("%s", problem)
        raise ReplayImpossible(problem)

    def handle_agent_event(self, emitted: AgentEvent, agent_name: str, path: AgentPath) -> None:
        """Do not play a text that the agent emits without its model, as a callback does.

        A file of ADK has such a text among those of the model, and does not say which of them are the model's.
        """
        content = emitted.event.get("content")
        if self._streams is None or any(part.get("function_response") for part in get_parts(content)):
            return
        if (agent_name, path) in self._answering_agents:
            self._answering_agents.discard((agent_name, path))
        elif text := extract_visible_text(content):
            self._streams.drop_text(agent_name, path, text)

    def count_unplayed(self) -> int:
        """Return how many recorded decisions after the last user message were not played.

        Only a timeline says what is a decision; what a file of ADK has may also come from a callback.
        """
        remaining = self._streams.iter_remaining() if self._streams else ()
        return sum(bool(decision.turn_id) for decision in remaining)

    def find_consent(self, call_id: str) -> bool | None:
        """Return whether the user consented to a call, if the recording has no consent of its own to be sent."""
        call = self._find_call(call_id)
        if self._run is None or call is None or call.response is None:
            return None
        has_turns = any(decision.turn_id for decision in self._run.decisions)
        return None if has_turns else not is_refused_call(call.response)

    def _find_call(self, call_id: str) -> RecordedToolCall | None:
        calls = self._run.calls if self._run else ()
        return next((call for call in calls if call.call_id == call_id), None)

    def find_inner_result(self, tool: BaseTool, call_id: str) -> RecordedToolCall | None:
        """Return the recorded call of a tool that runs an agent whose decisions are not recorded; otherwise None."""
        if self._run is None or not isinstance(tool, AgentTool):
            return None
        names = set(collect_agent_names(tool.agent))
        call = self._find_call(call_id)
        has_decisions = any(_may_run_in(key, names, call_id) for key in self._run.stream_keys)
        if call is None or call.response is None or has_decisions:
            return None
        self.skipped_agents.add(tool.agent.name)
        return call


def _may_run_in(key: StreamKey, agent_names: set[str], call_id: str) -> bool:
    """Return whether decisions belong to one of the agents, inside the call as far as is known."""
    return key.agent_name in agent_names and (key.path is None or key.path.parent_call_id == call_id)


def _has_message(recording: Recording, index: int, message: Json) -> bool:
    """Return whether the message is the next of the recording; the ids in answers to ADK's questions always differ."""
    if index >= len(recording.runs):
        return False
    run = recording.runs[index]
    is_query = is_user_query(message)
    return run.is_query == is_query and (
        not is_query or extract_visible_text(run.message) == extract_visible_text(message)
    )
