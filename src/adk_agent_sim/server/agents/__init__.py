"""The agents that can be played on a server."""
