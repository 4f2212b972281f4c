"""The door to ADK: seats for its models and tools, and `Simulation`, which plays an agent from Python."""
