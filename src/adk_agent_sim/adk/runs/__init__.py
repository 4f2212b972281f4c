"""One run of an agent: its ADK session, and how it is recorded on a timeline."""
