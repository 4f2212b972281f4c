"""What the timeline records about a response that a model gave: what was asked, each answer, and the outcome."""

from __future__ import annotations

from dataclasses import dataclass, field

from adk_agent_sim.timeline.canonical_json import Json

_MAX_RECORDED_CHARACTERS = 20_000
"""How much of an answer is recorded."""


@dataclass(slots=True)
class AskedQuestion:
    """A question to the model."""

    about: str
    key: str
    answer: str = ""
    source: str = ""

    problem: str = ""
    """Why the answer was not used; empty if it was."""

    def set_reply(self, text: str, source: str) -> None:
        """Record the answer."""
        cut = len(text) > _MAX_RECORDED_CHARACTERS
        self.answer = text[:_MAX_RECORDED_CHARACTERS] + ("…" if cut else "")
        self.source = source

    def to_json(self) -> dict[str, Json]:
        """Return it for the timeline."""
        named = {"about": self.about, "key": self.key, "source": self.source, "answer": self.answer}
        return {name: value for name, value in {**named, "problem": self.problem}.items() if value}


@dataclass(slots=True)
class MockJournal:
    """What happened in one call; it is filled while the call runs, and recorded also if the call is cancelled."""

    model: str

    connections: list[str] = field(default_factory=list[str])
    """What the tool does, by the analysis."""

    reason: str = ""
    """Why the response is as it is."""

    error: str = ""
    """Why there is none."""

    asked: list[AskedQuestion] = field(default_factory=list[AskedQuestion])

    def begin(self, about: str, key: str) -> AskedQuestion:
        """Add a question that is about to be asked."""
        self.asked.append(AskedQuestion(about, key))
        return self.asked[-1]

    def to_json(self) -> dict[str, Json]:
        """Return it for the timeline."""
        return {
            "mock": "llm",
            "model": self.model,
            "connections": self.connections,
            "reason": self.reason,
            "error": self.error,
            "asked": [each.to_json() for each in self.asked],
        }

    def describe(self) -> str:
        """Return it in one line."""
        asked = ", ".join(f"{each.about} {each.key}" for each in self.asked)
        return f"asked {asked or 'nothing'}; {self.error or self.reason or 'no response yet'}"
