"""The built-in apps, one file per app."""
