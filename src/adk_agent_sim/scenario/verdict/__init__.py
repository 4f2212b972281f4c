"""The judge of scenarios: what was expected of the agent, what it did, and whether that is the same."""
