"""A shop: nested arguments, state, an artifact, and a second agent that decides on refunds."""

from . import agent as agent
