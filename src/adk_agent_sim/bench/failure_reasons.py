"""The reasons of failures: secrets are masked, and those of one kind are one group."""

from __future__ import annotations

import re
from typing import Final

from adk_agent_sim.bench.bench_result import BenchResult
from adk_agent_sim.timeline.redaction.redactor import Redactor

_MAX_READ = 2_000
_MAX_KEPT = 240

_STEPS: Final = (
    # The judge's sentences name the tool and the event; an event's id is one of its scenario, and says nothing else.
    (re.compile(r"(Turn [0-9]{1,9}: [\w.-]{1,200}) \([^()\n]{0,200}\):"), r"\1:"),
    (re.compile(r" is missing \([^()\n]{0,200}\)"), " is missing"),
    (re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"), "#"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "#"),
    # Hexadecimal digests and the like: letters and digits, at least one of them a digit.
    (re.compile(r"\b(?=[a-f]{0,40}[0-9])[0-9a-f]{8,64}\b"), "#"),
    (re.compile(r"'[^'\n]{0,400}'|\"[^\"\n]{0,400}\""), "'…'"),
    # A digit after a letter belongs to a name, such as EmailClientV2.
    (re.compile(r"(?<![A-Za-z0-9])[0-9]+(?:[.,:][0-9]+)*"), "#"),
    (re.compile(r"\s+"), " "),
)
"""What is replaced by what, in this order. Each pattern is bounded, so that a long text costs linear time."""


def normalize_reason(reason: str) -> str:
    """Return a reason without ids, numbers, quoted values and line breaks; a long one is cut."""
    text = _drop_values(reason[:_MAX_READ])
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    text = text.strip()
    return text if len(text) <= _MAX_KEPT else f"{text[:_MAX_KEPT].rstrip()}…"


def _drop_values(text: str) -> str:
    """Drop the two values of the judge's sentence about an argument: which one differs matters, they do not."""
    before, expected, after = text.partition(": expected ")
    _, got, after = after.partition(", got ")
    _, rule, after = after.rpartition(" (")
    return f"{before}: expected …, got … ({after}" if expected and got and rule else text


class ReasonMask:
    """Masks reasons, and remembers them: many runs fail for the same reason, and looking for secrets is slow."""

    def __init__(self) -> None:
        self._redactor = Redactor()
        self._masked: dict[str, str] = {"": ""}

    def mask(self, result: BenchResult) -> BenchResult:
        """Return the result with a reason that contains no secrets."""
        if result.reason not in self._masked:
            self._masked[result.reason] = self._redactor.redact_text(result.reason)
        reason = self._masked[result.reason]
        return result if reason == result.reason else result.model_copy(update={"reason": reason})
