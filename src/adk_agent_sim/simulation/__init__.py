"""The Python API: `Simulation`, which plays an agent's model from Python, and scripts."""
