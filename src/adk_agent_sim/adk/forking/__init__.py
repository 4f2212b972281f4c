"""Time travel: forks a session at any turn, and takes decisions back."""
