"""Counts the tokens that the models of a run report."""

from __future__ import annotations

from dataclasses import dataclass

from google.adk.models.llm_response import LlmResponse


@dataclass(kw_only=True)
class TokenCount:
    """The tokens of all model calls of a run; zero if its models report none."""

    prompt: int = 0

    output: int = 0

    def add(self, response: LlmResponse) -> None:
        """Count the tokens of one complete answer."""
        usage = response.usage_metadata
        if usage is not None:
            self.prompt += usage.prompt_token_count or 0
            self.output += (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)

    @property
    def total(self) -> int:
        """All of them."""
        return self.prompt + self.output
