"""Benches in the browser: their matrix, and the timeline of each run."""
