"""ADK integration: seats for models and tools, plugins, runs in worlds, and demo agents."""

from adk_agent_sim._lazy_exports import export_lazily

__getattr__, __dir__ = export_lazily(__name__)
