"""A calculator: sync and async tools, one that raises, and a slow one that can be cancelled."""

from . import agent as agent
