"""Entities and collections that apps store: emails and mail folders, conversations, rides, shop items, and
enumerated fields. Contains no tools.
"""
