"""The core: the append-only event log of each session, and everything that is derived from it."""
