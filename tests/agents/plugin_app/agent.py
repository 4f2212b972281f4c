"""A bank clerk in an App with plugins: SimulatorPlugin as the README shows it, ADK's own, and third-party ones."""

from __future__ import annotations

from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import LoggingPlugin, ReflectAndRetryToolPlugin
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.adk.plugins.global_instruction_plugin import GlobalInstructionPlugin

from adk_agent_sim import SimulatorPlugin

from .plugins import AuditPlugin, MaskPlugin

_ACCOUNTS: dict[str, dict[str, Any]] = {"Ada": {"account": "4711-42", "balance": 310}}


def find_account(owner: str) -> dict[str, Any]:
    """Look an account up; raises if the bank does not know the owner."""
    return {"owner": owner, **_ACCOUNTS[owner]}


def send_money(owner: str, to: str, amount: int) -> dict[str, Any]:
    """Send money."""
    return {"receipt": "R-1", "to": to, "amount": amount, "account": _ACCOUNTS[owner]["account"]}


root_agent = LlmAgent(
    name="bank_clerk",
    model="gemini-2.5-flash",
    description="Sends money.",
    instruction="Look the account up before you send money.",
    tools=[find_account, send_money],
)

app = App(
    name="plugin_app",
    root_agent=root_agent,
    plugins=[
        SimulatorPlugin(),
        LoggingPlugin(),
        AuditPlugin(),
        GlobalInstructionPlugin("Never name a whole account number."),
        ContextFilterPlugin(num_invocations_to_keep=3),
        ReflectAndRetryToolPlugin(max_retries=2),
        MaskPlugin(),
    ],
)
