"""One entry of the corpus: a tool as a user writes it, with valid and invalid arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from google.adk.tools import BaseTool, FunctionTool

Arguments = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Bad:
    """Invalid arguments."""

    arguments: Arguments
    says: Mapping[str, str]
    """The path of every problem, and a part of its message."""

    taken: str = ""
    """Why ADK's own validation accepts them anyway; empty if it refuses them too."""

    lost: bool = False
    """Whether the older form of the declaration has lost the keyword that would refuse them."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One signature."""

    tool: Callable[..., Any] | BaseTool
    good: Sequence[Arguments]
    bad: Sequence[Bad]
    older: Literal["same", "looser", "differs", "none"] = "same"
    """What ADK's older form of the declaration accepts: the same, more, something else, or there is none."""

    @property
    def name(self) -> str:
        return self.adk_tool().name

    def adk_tool(self) -> BaseTool:
        return self.tool if isinstance(self.tool, BaseTool) else FunctionTool(self.tool)


def bad(arguments: Arguments, says: Mapping[str, str], *, taken: str = "", lost: bool = False) -> Bad:
    return Bad(arguments=arguments, says=says, taken=taken, lost=lost)


COERCED = "pydantic turns a text into the number, or a number into the boolean"
IGNORED = "ADK leaves out arguments that the function does not have"
ANNOTATED = "ADK validates the type of an argument, not the Field beside it"
DROPPED = "a set drops what it has already"
