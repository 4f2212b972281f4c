"""Eval cases: run, replayed, scored, and converted to scenarios and back."""
