"""One name for one thing: no class name and no file name is used twice, and functions are named with verbs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePosixPath

from source_trees import list_definitions, list_modules

_IRREGULAR_PARTICIPLES = re.compile(
    "begun|bound|built|chosen|done|drawn|found|given|gone|heard|held|hidden|kept|known|laid|left|made|meant|met|said|"
    "seen|sent|shown|spoken|taken|told|written"
)

_NOT_PARTICIPLES = re.compile("bring|embed|exceed|feed|need|ping|proceed|read|seed|string")

_DOCUMENTED_NAMES = frozenset(
    {
        "pending",  # Simulation.pending() and Simulation.running() are part of the public API
        "running",
        "simulated",  # app = simulated(app), part of the public API
        "simulated_environment",  # a pytest fixture, which is named for the value it gives
        "_finding_to_json",  # nouns
        "_nested_message_to_json",
        "hidden_state",
        "missed_events",
    }
)
"""Functions that are named for the value they return, on purpose."""


def test_every_class_name_is_used_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for definition in list_definitions():
        if definition.is_class:
            places[definition.name].append(definition.path)

    assert len(places) > 300
    assert _find_repeated(places) == {}


def test_every_file_name_is_used_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in map(PurePosixPath, list_modules()):
        # ADK looks for an agent in the file `agent.py` of its folder.
        if path.name not in ("__init__.py", "agent.py"):
            places[path.stem].append(str(path))

    assert len(places) > 200
    assert _find_repeated(places) == {}


def test_no_function_is_named_with_a_participle() -> None:
    functions = [one for one in list_definitions() if not one.is_class and not one.is_property]

    assert len(functions) > 2_000
    assert [(one.path, one.name) for one in functions if _starts_with_participle(one.name)] == []


def _find_repeated(places: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1}


def _starts_with_participle(name: str) -> bool:
    if name in _DOCUMENTED_NAMES or name.startswith("__"):
        return False
    first = name.strip("_").split("_")[0]
    if _NOT_PARTICIPLES.fullmatch(first):
        return False
    return bool(_IRREGULAR_PARTICIPLES.fullmatch(first) or re.fullmatch(r"[a-z]{2,}(ed|ing)", first))
