"""Time travel: forks a session at any turn, and undoes decisions."""
