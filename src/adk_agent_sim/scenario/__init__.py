"""Scenarios: their file format, their apps, and how they are written, read and explained."""
