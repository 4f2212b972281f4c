"""Scenarios and their worlds in the browser."""
