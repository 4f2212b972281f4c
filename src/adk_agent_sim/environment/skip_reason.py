"""Why a rule does not answer a call, what happens to a call that no rule answers, and how a call differs."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class SkipReason(StrEnum):
    """Why a rule that names the tool does not answer a call."""

    ARGUMENTS = "arguments"
    """The arguments differ."""

    TEXT_TOO_LONG = "text too long"
    """An argument is too long for its pattern to be searched in it."""

    AGENT = "agent"
    """Another agent calls."""

    EARLIER_CALLS = "earlier calls"
    """What must have happened before has not."""

    CALL_NUMBER = "call number"
    """The rule is for other calls by number: it is used up, or not due yet."""

    PROBABILITY = "probability"
    """The random draw said no."""

    STATE = "state"
    """The session's state differs."""

    TIME = "time"
    """The call is made before or after the time that the rule is for."""

    CONDITION = "condition"
    """Any other condition."""

    SWITCHED_OFF = "switched off"
    """The rule is switched off, in the file or by a person."""

    NO_SUCH_TOOL = "no such tool"
    """The rule acts inside the tool, and the model made up the tool's name."""


INTENDED_REASONS = frozenset(
    {
        SkipReason.EARLIER_CALLS,
        SkipReason.CALL_NUMBER,
        SkipReason.TIME,
        SkipReason.PROBABILITY,
        SkipReason.SWITCHED_OFF,
    }
)
"""The rule means calls like this one, and leaves this one to the real tool on purpose."""


class UnansweredCall(StrEnum):
    """What happens to a call that no rule answers, of a tool that rules name or could name."""

    LIVE = "live"
    """The real tool runs."""

    REFUSED = "refused"
    """It fails, because the rules say `unanswered: refuse`."""

    NO_SUCH_TOOL = "no such tool"
    """ADK fails it, because the model made up the tool's name."""


class Difference(NamedTuple):
    """Why a call does not meet a condition."""

    path: str
    """The path of the value in the arguments, or what else was looked at."""

    expected: str
    found: str
