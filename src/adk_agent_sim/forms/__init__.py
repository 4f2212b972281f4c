"""A tool's or a model's schema becomes one JSON Schema; arguments are checked against it."""
