"""Mocks: responses for tools that are not available, generated without a model, a network or ADK."""
