"""The core: the append-only event log of each session, and everything that is derived from it."""

from adk_agent_sim._lazy_exports import export_lazily

__getattr__, __dir__ = export_lazily(__name__)
