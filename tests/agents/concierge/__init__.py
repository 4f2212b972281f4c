"""A concierge with six agents that it hands over to and two that it uses as tools."""

from . import agent as agent
