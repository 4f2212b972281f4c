"""Imports what every worker of a bench needs, in the process from which workers are forked."""

from __future__ import annotations

import signal
import warnings

# Ctrl-C in a terminal goes to all processes in the foreground, and the one that runs the bench decides what it means.
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # blocked by whoever started this process
warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")

from adk_agent_sim.bench.worker import run_worker  # noqa: E402

__all__ = ["run_worker"]
