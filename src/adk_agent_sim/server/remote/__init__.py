"""Agents in other processes: whether they are still connected, and how their sessions are restarted."""
