"""Removes secrets from data that leaves the system: one scanner, one public table of patterns."""
