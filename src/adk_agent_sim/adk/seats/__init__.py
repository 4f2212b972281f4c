"""The seats of models and tools inside ADK."""
