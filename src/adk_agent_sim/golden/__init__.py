"""Exports timelines as golden traces and reports, imports files as timelines, and compares traces."""
