"""Finds agents: the demos that come with the package."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from google.adk.apps import App

from adk_agent_sim.adk import demo

__all__ = ["DEMOS", "App", "demo_app", "demo_folder"]

DEMOS = ("math_agent", "shop_agent")
"""The demo agents; each is a folder as `adk run` takes it."""


def demo_app(name: str) -> App:
    """The app of a demo agent."""
    if name not in DEMOS:
        raise ValueError(f"There is no demo agent {name!r}; there are: {', '.join(DEMOS)}.")
    return import_module(f"{demo.__name__}.{name}.agent").app


def demo_folder(name: str) -> Path:
    """The folder of a demo agent."""
    return Path(demo.__path__[0]) / name
