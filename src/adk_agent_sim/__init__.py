"""Simulates everything around an agent built with Google's Agent Development Kit.

Names are resolved on first use, so importing a module loads that module only.
"""

from adk_agent_sim._lazy_exports import export_lazily

__version__ = "0.1.0"

__getattr__, __dir__ = export_lazily(__name__)
