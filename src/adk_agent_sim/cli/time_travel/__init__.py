"""`adksim fork`, and the commands of a terminal session that go back in time."""
