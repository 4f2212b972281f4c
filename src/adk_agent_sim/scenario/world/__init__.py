"""The world of a scenario in motion: its clock, its events, and what the agent is told."""
