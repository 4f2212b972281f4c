"""Agents as code: folders, imports, what an app consists of, and why it does not load."""
