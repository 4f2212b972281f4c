"""The spine: what happened in a session, as an append-only log, and what can be read from it."""
