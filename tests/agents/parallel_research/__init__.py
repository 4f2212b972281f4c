"""Three researchers at the same time, and one agent that merges what they found."""

from . import agent as agent
