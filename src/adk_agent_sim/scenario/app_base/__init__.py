"""Base of all apps: `App`, the tool decorator, tool calls and argument checks, the app context, entities, and shared
functions for random numbers, dates, paging and matching. Imports no app.
"""
