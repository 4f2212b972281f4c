"""Errors about loading, playing and running an agent, and about the rules that simulate its tools."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors.base import SimulatorError


class AgentLoadFailed(SimulatorError):
    """The folder does not contain an agent that can be loaded."""

    def __init__(self, folder: str, reason: str, advice: str = "") -> None:
        super().__init__(f"Cannot load an agent from {folder}: {reason}. {advice}".rstrip())
        self.folder = folder


class ToolsetUnavailable(SimulatorError):
    """A toolset, such as an MCP server, cannot be loaded, so the agent would run without its tools."""

    def __init__(self, agent_name: str, toolset: str, error: Exception, *, needs_credential: bool = False) -> None:
        reason = str(error) or type(error).__name__
        sign_in = "sign in with a credential that it accepts, or " if needs_credential else ""
        super().__init__(
            f"Agent {agent_name!r} cannot load its tools from {toolset}: {reason}. "
            f"Start the toolset's server, or {sign_in}remove the toolset from the agent's tools."
        )
        self.toolset = toolset


class OwnModelFailed(SimulatorError):
    """The agent's own model failed; the turn is still pending."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(
            f"The agent's own model {model!r} did not answer: {reason}. "
            "Configure what it needs, such as its API key, before starting; or decide yourself."
        )
        self.model = model


class ModelUnavailable(SimulatorError):
    """ADK cannot create the model that was asked for."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"The model {model[:120]!r} cannot be used: {reason.rstrip('.')}.")
        self.model = model


class DeadlineExceeded(SimulatorError):
    """Nobody decided the turn before the deadline; it was withdrawn."""

    def __init__(self, agent_name: str, seconds: float) -> None:
        super().__init__(
            f"Nobody answered agent {agent_name!r} within {seconds:g} seconds. "
            'Increase `deadline=`, or pass on_deadline="real_model".'
        )
        self.agent_name = agent_name


class RunFailed(SimulatorError):
    """The agent's run raised an exception, which is the cause of this error."""


class RunUndone(SimulatorError):
    """A person undid decisions of the run, and another run has continued its session."""

    def __init__(self) -> None:
        super().__init__(
            "A person undid decisions of this run, and another run has continued its session. "
            "There is nothing to do: what this run has done since does not count."
        )


class Cancelled(SimulatorError):
    """A person cancelled the tool call."""


class ReplayImpossible(SimulatorError):
    """The golden trace does not contain what the agent's model is asked for."""


class CassetteMismatch(ReplayImpossible):
    """A model request is not the one in the cassette, so the recorded answer is none to it."""

    def __init__(self, path: str, agent_name: str, message_number: int, turn_number: int, reason: str) -> None:
        super().__init__(
            f"The model cassette {path} has no answer for agent {agent_name!r} (user message {message_number}, turn "
            f"{turn_number} of {agent_name!r}): {reason.rstrip('.')}. If the change is intended, run again with "
            "ADK_SIM_CASSETTE=update, which asks the agent's own model for this turn and records its answer."
        )
        self.path = path
        self.agent_name = agent_name
        self.message_number = message_number
        self.turn_number = turn_number


class RecordedModelFailed(SimulatorError):
    """The agent's own model failed when the cassette was recorded, so it fails again."""

    def __init__(self, agent_name: str, error_type: str, message: str) -> None:
        super().__init__(
            f"The model of agent {agent_name!r} failed when it was recorded: {error_type}: {message}. "
            "Delete the turn from the cassette and run again with ADK_SIM_CASSETTE=update to record it again."
        )
        self.error_type = error_type


class InvalidCassetteMode(SimulatorError, ValueError):
    """The variable ADK_SIM_CASSETTE has a value that means nothing."""

    def __init__(self, value: str, known: str) -> None:
        super().__init__(f"ADK_SIM_CASSETTE is {value!r}, which means nothing: set it to {known}, or do not set it.")
        self.value = value


class InvalidScript(SimulatorError):
    """The file is not a valid script."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"Cannot read the script {path}: {reason}")
        self.path = path


class InvalidCallSyntax(SimulatorError):
    """The line that a person typed is not a tool call; the message shows the syntax."""


class InvalidPlayer(SimulatorError, ValueError):
    """The text names no player, or one that the seat does not support."""

    def __init__(self, player: str, reason: str) -> None:
        super().__init__(f"The player {player!r} cannot be used: {reason}.")
        self.player = player


class PlayerNotAvailable(InvalidPlayer):
    """The player is part of the grammar, but this release cannot play it yet."""


class AdkIncompatible(SimulatorError):
    """The installed google-adk has no name that a feature needs, because the name is private and was changed."""

    def __init__(self, feature: str, name: str, *, installed_version: str, tested_version: str) -> None:
        super().__init__(
            f"{feature} needs {name}, which the installed google-adk {installed_version} does not have. "
            f"This release of adksim was tested with google-adk {tested_version}: upgrade adksim, or "
            f"install that version with `pip install google-adk=={tested_version}`."
        )
        self.name = name
        self.installed_version = installed_version


class StateKeyMissing(SimulatorError):
    """An instruction needs keys that the session state does not have."""

    def __init__(self, keys: Sequence[str], agent_name: str) -> None:
        names = ", ".join(repr(key) for key in keys)
        whose = f"the instruction of {agent_name!r}" if agent_name else "an instruction"
        super().__init__(
            f"The session state has no {'key' if len(keys) == 1 else 'keys'} {names}, which {whose} needs. Set the "
            f"state and send the message again: `/state {keys[0]}=VALUE` in the terminal, `--state` or `state:` for a "
            "script, `set_state` in Python, or the State tab in the browser."
        )
        self.keys = tuple(keys)


class ServiceFailed(SimulatorError):
    """A session, artifact or memory service that the user has chosen cannot be used."""


class ForkRefused(SimulatorError):
    """The session cannot be forked, undone or redone there; it is unchanged."""


class ReplayDiverged(ForkRefused):
    """The replay differs from the recording, so the fork stopped; the session is unchanged."""

    def __init__(self, difference: str) -> None:
        self.difference = difference
        self.summary = (
            f"The replay differs from the recording: {difference}. A callback, a clock or a change of the agent may "
            "be the reason"
        )
        super().__init__(f"{self.summary}. Pass force=True to continue anyway; the new session says so.")


class InvalidRules(SimulatorError):
    """The rules for simulated tools contain errors; none of them is applied."""

    def __init__(self, source: str, findings: Sequence[str]) -> None:
        listed = "\n  ".join(findings)
        super().__init__(f"The rules in {source} cannot be used:\n  {listed}")
        self.source = source
        self.findings = tuple(findings)


class PluginRequired(InvalidRules):
    """The rules act inside a tool call, which a callback cannot do."""

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__("a callback", [*findings, "Use EnvironmentSimulationFactory.create_plugin(...) instead."])


class InvalidFault(SimulatorError):
    """The fault for the next call of a tool can never happen; it is not added."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"The fault for {tool!r} cannot be used: {reason}.")
        self.tool = tool
        self.reason = reason


class RuleFailed(SimulatorError):
    """A rule could not be applied to a call; the call fails with this error."""

    def __init__(self, rule: str, tool: str, reason: str) -> None:
        super().__init__(f"Rule {rule!r} cannot answer the call of {tool}: {reason}.")
        self.rule = rule
        self.tool = tool


class HumanUnavailable(SimulatorError):
    """No person can be asked for the response of a tool; the call fails with this error."""

    def __init__(self, tool: str) -> None:
        super().__init__(
            f"Nobody can be asked for the response of {tool}: the session is not on a timeline. Run the agent with "
            "`adksim run`, Simulation, AgentSimulator or SimulatorPlugin, or use another mock."
        )
        self.tool = tool


class MockImpossible(SimulatorError):
    """No response can be generated for a part of a tool's results."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path
        self.reason = reason


class ModelRequestFailed(SimulatorError):
    """A rule lets a model request fail; the model's seat raises the error of the API with the same status."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class SimulationModelFailed(SimulatorError):
    """The model that simulates tools gives no answer that can be used; the agent gets an error response."""

    def __init__(self, reason: str, *, may_succeed_later: bool = False) -> None:
        super().__init__(reason)
        self.may_succeed_later = may_succeed_later
        """Whether the same question may be answered if it is asked again."""


class RealToolRefused(SimulatorError):
    """The tool's own code would have run, but real tools are not allowed here."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool} would run for real: {reason}. Add a rule that answers it.")
        self.tool = tool
