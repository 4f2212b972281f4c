"""Exports of sessions from the browser."""
