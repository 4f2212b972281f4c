"""Answers the soft checks of a scenario's judge with a model of ADK."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

from google.adk.models import BaseLlm, LLMRegistry
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_agent_sim.errors import JudgeFailed, NotJudgeable
from adk_agent_sim.scenario.verdict.soft_check import SoftAnswer, SoftCheck, parse_reply


class ModelJudge:
    """A soft judge that asks a model. Wrap it in `RecordedAnswers` to reproduce its verdicts later."""

    def __init__(self, model: str | BaseLlm) -> None:
        """Prepare to ask a model.

        Args:
            model: A model, or its name as in `LlmAgent(model=...)`.

        Raises:
            NotJudgeable: ADK knows no model of this name, or lacks a package for it.
        """
        self.name = model if isinstance(model, str) else model.model
        try:
            self._model = LLMRegistry.new_llm(model) if isinstance(model, str) else model
        except (ValueError, ImportError) as error:
            raise NotJudgeable(f"with the model {self.name!r:.80}", str(error).rstrip(".")) from error
        # One thread with one event loop: clients of models must not outlive the loop that they were made in, and the
        # caller may be in a loop of its own.
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="adksim-judge")
        self._runner = asyncio.Runner()

    def __call__(self, check: SoftCheck) -> SoftAnswer:
        """Return the model's answer. A reply without a decision does not pass.

        Raises:
            JudgeFailed: The model failed.
        """
        reply = self._pool.submit(lambda: self._runner.run(self._ask(check.prompt()))).result()
        return SoftAnswer(passed=parse_reply(reply) is True, reply=reply)

    def close(self) -> None:
        """End the thread."""
        self._pool.submit(self._runner.close).result()
        self._pool.shutdown()

    async def _ask(self, prompt: str) -> str:
        content = types.Content(role="user", parts=[types.Part(text=prompt)])
        request = LlmRequest(
            model=self._model.model, contents=[content], config=types.GenerateContentConfig(temperature=0)
        )
        texts: list[str] = []
        try:
            async with aclosing(self._model.generate_content_async(request)) as responses:
                async for response in responses:
                    if response.error_code:
                        reason = f"{response.error_code}: {response.error_message}"
                        raise JudgeFailed(self.name, reason, response.error_code)
                    parts = (response.content.parts if response.content else None) or []
                    texts += [part.text for part in parts if part.text and not part.thought and not response.partial]
        except JudgeFailed:
            raise
        except Exception as error:
            # Whatever a model's client raises, such as a missing API key, means that nobody answers.
            reason = f"it did not answer: {type(error).__name__}: {str(error)[:300].rstrip('.')}"
            raise JudgeFailed(self.name, reason) from error
        return "".join(texts)
