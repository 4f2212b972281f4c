"""Stores timelines durably in SQLite or PostgreSQL."""

from adk_agent_sim._lazy_exports import export_lazily

__getattr__, __dir__ = export_lazily(__name__)
