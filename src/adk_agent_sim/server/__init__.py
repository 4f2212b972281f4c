"""The server: a timeline that agents and people in other processes reach, by gRPC and in the browser."""
