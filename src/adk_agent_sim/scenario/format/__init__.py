"""Scenario files: models, both dialects, reading, writing and linting."""
