"""How a player or an agent reaches a timeline: in this process, or as gRPC client."""
