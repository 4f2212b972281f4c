"""The faults of one session that a person has put on its next calls, checked when they are entered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import ValidationError

from adk_agent_sim.environment.actions import AnyAction, Mock
from adk_agent_sim.environment.actions.model_faults import UnknownToolCall
from adk_agent_sim.environment.actions.raise_exception import ExceptionFactories
from adk_agent_sim.environment.report_fold import name_fault
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rulebook import CompiledRule
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.errors import InvalidFault, NotFound
from adk_agent_sim.text.glob_match import is_glob
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT

ToolLister: TypeAlias = Callable[[], Collection[str] | None]
"""Returns the names of the tools that can be called; None if they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFault:
    """A fault that waits for the next call of a tool."""

    fault_id: str
    tool: str
    """The tool; `MODEL_SEAT` if it waits for a call of a model."""
    rule: CompiledRule
    """The fault as a rule, which answers one call."""

    @property
    def actions(self) -> Sequence[AnyAction]:
        """What happens to the call."""
        return self.rule.rule.do


class PendingFaults:
    """The faults that wait for the next calls, in the order in which they are used."""

    def __init__(self, exceptions: ExceptionFactories, list_tools: ToolLister) -> None:
        """Create an empty list.

        Args:
            exceptions: The exceptions that a fault may raise.
            list_tools: Returns the names of the tools that a fault may be for.
        """
        self._exceptions = exceptions
        self._list_tools = list_tools
        self._faults: list[PendingFault] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._faults)

    def __iter__(self) -> Iterator[PendingFault]:
        return iter(self._faults)

    def has_fault_for(self, tool: str) -> bool:
        """Whether a fault waits for the next call of a tool, or of the model."""
        return bool(self._faults) and any(fault.tool == tool for fault in self._faults)

    def add(self, tool: str, actions: Sequence[AnyAction]) -> None:
        """Add a fault at the end.

        Raises:
            InvalidFault: The actions cannot be carried out, or the tool's name has wildcards.
            NotFound: There is no such tool.
        """
        fault = self._build_fault(str(self._count + 1), tool, actions)
        self._count += 1
        self._faults.append(fault)

    def replace(self, fault_id: str, tool: str, actions: Sequence[AnyAction]) -> bool:
        """Replace a fault at its place in the order; returns whether it was still there. Raises as `add`."""
        new = self._build_fault(fault_id, tool, actions)
        for index, fault in enumerate(self._faults):
            if fault.fault_id == fault_id:
                self._faults[index] = new
                return True
        return False

    def remove(self, fault_id: str) -> bool:
        """Remove a fault; returns whether it was still there."""
        count = len(self._faults)
        self._faults = [fault for fault in self._faults if fault.fault_id != fault_id]
        return len(self._faults) < count

    def take(self, tool: str) -> PendingFault | None:
        """Remove and return the fault for a call of a tool; None if there is none."""
        fault = next((each for each in self._faults if each.tool == tool), None)
        if fault is not None:
            self._faults.remove(fault)
        return fault

    def _build_fault(self, fault_id: str, tool: str, actions: Sequence[AnyAction]) -> PendingFault:
        """Check a fault and build it: one that can never happen must not wait for its call."""
        if is_glob(tool) or tool.split() != [tool]:
            raise InvalidFault(tool, "write the name of one tool, without wildcards")
        tools = self._list_tools()
        if tool != MODEL_SEAT and tools is not None and tool not in tools:
            advice = suggest_closest(tool, tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
        try:
            seat = "model" if tool == MODEL_SEAT else "tool"
            rule = Rule(name=name_fault(tool), seat=seat, match=Match(tool=[tool]), do=list(actions))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            path = ".".join(map(str, problem["loc"]))
            raise InvalidFault(tool, f"{path}: {problem['msg']}") from None
        if any(isinstance(action, Mock) and action.mock == "llm" for action in rule.do):
            # A fault may come from a browser: only the rules decide which models are asked and which files are read.
            raise InvalidFault(tool, "`mock: llm` asks a model, and is written in rules")
        _check_unknown_tools(tool, rule.do, tools or ())
        for finding in lint_rules(Rules(rules=[rule]), exceptions=self._exceptions):
            if finding.severity == "error":
                raise InvalidFault(tool, f"{finding.message}. {finding.advice}")
        # -1 is the index of no rule, so switching rules on or off never concerns a fault.
        return PendingFault(fault_id=fault_id, tool=tool, rule=CompiledRule(rule, name=rule.name, index=-1))


def _check_unknown_tools(seat: str, actions: Sequence[AnyAction], tools: Collection[str]) -> None:
    """Raise InvalidFault if a tool that the model is to make up exists."""
    for action in actions:
        if isinstance(action, UnknownToolCall) and action.unknown_tool in tools:
            reason = f"unknown_tool: {action.unknown_tool!r} is a tool of the agents. Write a name that none has"
            raise InvalidFault(seat, reason)
