"""Stores timelines durably in SQLite or PostgreSQL."""
