"""Undo, redo, going back and forks in the browser."""
