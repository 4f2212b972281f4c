"""An app with plugins: ours, those that ADK ships, and two as a third party would write them."""

from . import agent as agent
