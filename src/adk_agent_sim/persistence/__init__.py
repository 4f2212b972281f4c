"""Where a timeline rests when its process ends: SQLite, or PostgreSQL."""
