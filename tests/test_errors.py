"""The hierarchy drawn in the docstring of `adk_agent_sim.errors` is the hierarchy of its classes."""

import re
from importlib import import_module
from pkgutil import iter_modules

from adk_agent_sim import errors
from adk_agent_sim.errors import SimulatorError

_TREE_LINE = re.compile(r"^(?P<indent>[│ ]*)[├└]── (?P<name>\w+) +(?P<description>.+)$")


def _read_drawn_parents() -> dict[str, str]:
    """Return the parent of each drawn class."""
    parents: dict[str, str] = {}
    path = [SimulatorError.__name__]
    for line in (errors.__doc__ or "").splitlines():
        if match := _TREE_LINE.match(line):
            depth = len(match["indent"]) // 4 + 1
            parents[match["name"]] = path[depth - 1]
            path[depth:] = [match["name"]]
    return parents


def _list_defined_classes() -> list[type[SimulatorError]]:
    modules = [import_module(f"{errors.__name__}.{module.name}") for module in iter_modules(errors.__path__)]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, SimulatorError) and value.__module__ == module.__name__
    ]


def test_every_error_is_drawn_below_its_base_class() -> None:
    defined = {error.__name__: error.__bases__[0].__name__ for error in _list_defined_classes()}
    del defined[SimulatorError.__name__]

    assert defined
    assert _read_drawn_parents() == defined


def test_every_error_can_be_imported_from_the_package() -> None:
    assert {error.__name__ for error in _list_defined_classes()} | {"Problem"} == set(errors.__all__)


def test_the_descriptions_are_aligned() -> None:
    matches = filter(None, map(_TREE_LINE.match, (errors.__doc__ or "").splitlines()))

    assert len({match.start("description") for match in matches}) == 1
