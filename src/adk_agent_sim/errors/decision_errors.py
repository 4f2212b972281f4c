"""Errors about decisions and user messages that are refused."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors.base import OVERRIDE_HINT, Problem, SimulatorError, join_problems


class DecisionRefused(SimulatorError):
    """The decision was not accepted; the turn is unchanged."""


class TurnNotFound(DecisionRefused):
    """The session has no such turn."""

    def __init__(self, session_id: str, turn_id: str) -> None:
        super().__init__(f"Session {session_id!r} has no turn {turn_id!r}.")
        self.turn_id = turn_id


class TurnAlreadyDecided(DecisionRefused):
    """The turn already has another decision."""

    def __init__(self, turn_id: str, event_id: str) -> None:
        super().__init__(
            f"Turn {turn_id!r} already has a decision (event {event_id!r}); a turn can be decided only once."
        )
        self.turn_id = turn_id
        self.event_id = event_id


class TurnAbandoned(DecisionRefused):
    """The run that needed the decision has ended."""

    def __init__(self, turn_id: str) -> None:
        super().__init__(f"Turn {turn_id!r} is no longer pending: its run has ended.")
        self.turn_id = turn_id


class TurnNotNext(DecisionRefused):
    """Another turn of the session must be decided first: turns are decided in the order in which they were asked."""

    def __init__(self, turn_id: str, head_turn_id: str, head_agent: str) -> None:
        super().__init__(
            f"Turn {turn_id!r} is not the next turn of its session: "
            f"decide turn {head_turn_id!r} of agent {head_agent!r} first."
        )
        self.turn_id = turn_id
        self.head_turn_id = head_turn_id


class TurnHasOtherPlayer(DecisionRefused):
    """The turn is decided by another player, such as the agent's own model; a person can only watch it."""

    def __init__(self, turn_id: str, player: str) -> None:
        super().__init__(f"Turn {turn_id!r} is not decided by a person: its player is {str(player)!r}.")
        self.turn_id = turn_id


class EmptyDecision(DecisionRefused):
    """The decision neither calls a tool nor contains a final response."""

    def __init__(self, turn_id: str) -> None:
        super().__init__("The decision is empty: call at least one tool, or give a final response.")
        self.turn_id = turn_id


class ToolRequestNotFound(DecisionRefused):
    """The session has no such request for the response of a tool."""

    def __init__(self, session_id: str, request_id: str) -> None:
        super().__init__(f"Session {session_id!r} has no tool call {request_id!r} that waits for a response.")
        self.request_id = request_id


class ToolAlreadyAnswered(DecisionRefused):
    """The tool call already has another response."""

    def __init__(self, request_id: str, event_id: str) -> None:
        super().__init__(
            f"Tool call {request_id!r} already has a response (event {event_id!r}); a call is answered only once."
        )
        self.request_id = request_id
        self.event_id = event_id


class ToolRequestAbandoned(DecisionRefused):
    """The tool call that needed the response has ended."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"Tool call {request_id!r} no longer waits for a response: the call, or its run, has ended.")
        self.request_id = request_id


class DecisionMismatch(DecisionRefused):
    """The decision does not match its request. A model could still make it, so `force=True` sends it."""

    def __init__(self, summary: str) -> None:
        super().__init__(f"{summary}. {OVERRIDE_HINT}")
        self.summary = summary
        """The message without the hint about `force=True`, for interfaces other than Python."""


class ToolNotOffered(DecisionMismatch):
    """The request of the turn does not declare this tool."""

    def __init__(self, tool_name: str, offered: Sequence[str]) -> None:
        names = ", ".join(offered) if offered else "none"
        super().__init__(f"Tool {tool_name!r} is not offered in this turn; the tools are: {names}")
        self.tool_name = tool_name
        self.offered = tuple(offered)


class InvalidArguments(DecisionMismatch):
    """The arguments of a call do not match the tool's schema."""

    def __init__(self, tool_name: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"The arguments of {tool_name!r} do not match its schema: {join_problems(problems)}")
        self.tool_name = tool_name
        self.problems = tuple(problems)


class InvalidAnswer(DecisionMismatch):
    """The final response does not match the agent's output_schema."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"The final response does not match the agent's output_schema: {join_problems(problems)}")
        self.problems = tuple(problems)


class InvalidToolResult(DecisionMismatch):
    """The result that a person gives as a tool does not match the tool's output schema."""

    def __init__(self, tool_name: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"The result of {tool_name!r} does not match its output schema: {join_problems(problems)}")
        self.tool_name = tool_name
        self.problems = tuple(problems)


class InvalidInput(DecisionMismatch):
    """The input that the user gives does not match the schema of the request."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"The input does not match the schema of the request: {join_problems(problems)}")
        self.problems = tuple(problems)


class InvalidCredential(DecisionRefused):
    """The credential does not have the fields of the auth scheme; the message never contains their values."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(f"The credential does not match the auth scheme: {join_problems(problems)}")
        self.problems = tuple(problems)


class InvalidMessage(SimulatorError):
    """The user message does not match the agent's input_schema."""

    def __init__(self, agent_name: str, problems: Sequence[Problem]) -> None:
        self.summary = f"The message does not match the input_schema of agent {agent_name!r}: {join_problems(problems)}"
        """The message without the hint about `force=True`, for interfaces other than Python."""
        super().__init__(f"{self.summary}. {OVERRIDE_HINT}")
        self.problems = tuple(problems)
