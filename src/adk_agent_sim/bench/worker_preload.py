"""Imports what every worker of a bench needs, in the process from which workers are forked."""

from __future__ import annotations

import warnings

warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")

from adk_agent_sim.bench.worker import run_worker  # noqa: E402

__all__ = ["run_worker"]
