"""Connects a player or an agent to a timeline: in this process, or as a gRPC client."""
