"""Normalizes the schemas of tools and models to JSON Schema, and checks values against them."""
