"""An agent with a tool that large refunds may only use with the user's consent."""

from . import agent as agent
