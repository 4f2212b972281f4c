"""What can be done with sessions, cases and worlds: one function per verb, for Python, commands and the server alike.

Defaults, refusals and what is recorded are decided here; callers translate to it and back and contain no rule.
"""
