"""What every app is built from: `App`, the tool decorator, tool calls and argument checks, the app context, entities,
and shared random, date, paging and matching functions. Imports no app.
"""
