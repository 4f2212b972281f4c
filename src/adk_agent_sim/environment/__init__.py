"""Simulated tool responses: rules, actions and reports, independent of ADK."""

from adk_agent_sim._lazy_exports import export_lazily

__getattr__, __dir__ = export_lazily(__name__)
