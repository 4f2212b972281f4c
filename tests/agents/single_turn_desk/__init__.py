"""A desk whose helpers are sub-agents for a single turn."""

from . import agent as agent
