"""A calculator: sync and async tools, one that raises, one that takes its time."""

from . import agent as agent
