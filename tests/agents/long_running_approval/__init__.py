"""An agent with a tool whose answer comes later."""

from . import agent as agent
