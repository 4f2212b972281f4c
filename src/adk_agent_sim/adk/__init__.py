"""ADK integration: seats for models and tools, plugins, and `Simulation`, which plays an agent from Python."""
