"""A run of an agent step by step, as whoever plays its model sees it."""
