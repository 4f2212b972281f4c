"""Agents in the worlds of scenarios: the run, its tools, its notifications, its clock and its result."""
