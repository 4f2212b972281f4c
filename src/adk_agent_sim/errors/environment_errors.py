"""Errors about the rules that simulate tool responses."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors.base import SimulatorError


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
