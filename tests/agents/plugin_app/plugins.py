"""Plugins as a third party writes them: one logs, one changes what tools return."""

from __future__ import annotations

import logging
from typing import Any, cast

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

_log = logging.getLogger("plugin_app.audit")


class AuditPlugin(BasePlugin):
    """Logs what happens and never changes it."""

    def __init__(self, name: str = "audit") -> None:
        super().__init__(name=name)

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Log that a user said something."""
        _log.info("user message in %s", invocation_context.app_name)

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Log which model is called."""
        _log.info("model %s for %s", llm_request.model, callback_context.agent_name)

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        """Log which tool was called."""
        _log.info("tool %s", tool.name)


class MaskPlugin(BasePlugin):
    """Masks account numbers in what tools return, and counts in the state how many."""

    def __init__(self, name: str = "mask") -> None:
        super().__init__(name=name)

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        """Return the result with a masked account number, if it has one."""
        values = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
        if "account" not in values:
            return None
        tool_context.state["masked"] = tool_context.state.get("masked", 0) + 1
        return {**values, "account": "****" + str(values["account"])[-2:]}
