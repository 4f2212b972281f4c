"""The gRPC service, through which agents in other processes use the timeline."""
