"""The simulated environment in ADK: rules and mocks that answer calls of tools and models."""
