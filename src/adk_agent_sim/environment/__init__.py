"""Simulated tool responses: rules, how they match calls, and what they do to them. Independent of ADK."""
