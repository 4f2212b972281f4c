"""A customer service whose callbacks read and write the session state."""

from . import agent as agent
