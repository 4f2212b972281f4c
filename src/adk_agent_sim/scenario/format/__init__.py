"""Scenario files: their models, both dialects, reading and writing, and what is wrong with them."""
