"""All signatures of the corpus."""

from forms.corpus import callables, choices, constrained, containers, declared, models, plain, served, unions

_THEMES = (plain, choices, containers, models, unions, constrained, callables, declared, served)
CASES = [case for theme in _THEMES for case in theme.CASES]
