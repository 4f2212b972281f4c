"""`Simulation` and scripts: an agent's model played from Python."""
