"""One name for one thing: no name of a class, a type or a file is used twice, and functions are named with verbs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from source_trees import list_definitions, list_modules, list_type_aliases

_IRREGULAR_PARTICIPLES = re.compile(
    "begun|bound|broken|built|chosen|done|drawn|found|frozen|given|gone|heard|held|hidden|kept|known|laid|left|made|"
    "meant|met|rewound|said|seen|sent|shown|spoken|taken|told|written"
)

_NOT_PARTICIPLES = re.compile("anything|bring|embed|exceed|feed|need|nothing|ping|proceed|read|seed|speed|string")

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

_DOCUMENTED_HELPER_NAMES = frozenset(
    {
        "supported_models",  # overrides a method of ADK's BaseLlm
        "decorated",  # tools, whose names are in recorded data: tests/forms/adk_1_39.jsonl, web/src/form/corpus.json
        "frozen",
        "named",
        "untyped",
        "nested_json",  # a tool, and a noun
    }
)
"""The same, of functions outside the package."""

_ROOT = Path(__file__).parents[1]

_FUNCTION = re.compile(
    r"^(?P<decorators>(?:[ \t]*@.*\n(?:[ \t]*(?!@|def |async def )\S.*\n)*)*)[ \t]*(?:async )?def (?P<name>\w+)\(",
    re.MULTILINE,
)
"""A function and the decorators above it, which may have several lines."""

_TYPESCRIPT_FUNCTION = re.compile(
    r"^(?:export )?(?:(?:async )?function\*? (?P<function>[a-z]\w*)[(<]"
    r"|const (?P<constant>[a-z]\w*) = (?:async )?(?:<[^>]*>)?\([^()]*\)(?:: [^=]+)? =>)",
    re.MULTILINE,
)
"""A function of a TypeScript module. Components, which are capitalized, are named for what they show."""


def test_every_name_of_a_class_or_a_type_is_used_once() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for definition in list_definitions():
        if definition.is_class:
            places[definition.name].append(definition.path)
    aliases = list(list_type_aliases())
    for path, name in aliases:
        places[name].append(path)

    assert len(aliases) > 100
    assert len(places) > 400
    # Neither `wire` nor `timeline` imports the other's JSON values.
    assert _find_repeated(places) == {"Json": ["timeline/canonical_json.py", "wire/message_codec.py"]}


def test_no_two_files_of_a_folder_differ_only_in_the_form_of_a_word() -> None:
    places: defaultdict[tuple[PurePosixPath, str], list[str]] = defaultdict(list)
    for path in map(PurePosixPath, list_modules()):
        places[path.parent, _strip_endings(path.stem)].append(path.name)

    assert len(places) > 200
    assert _strip_endings("session_restart") == _strip_endings("session_restarter")
    assert {str(folder): names for (folder, _), names in places.items() if len(names) > 1} == {}


def test_no_function_is_named_with_a_participle() -> None:
    functions = [one for one in list_definitions() if not one.is_class and not one.is_property]

    assert len(functions) > 2_000
    found = [(one.path, one.name) for one in functions if _starts_with_participle(one.name)]
    assert [each for each in found if each[1] not in _DOCUMENTED_NAMES] == []


def test_no_helper_function_is_named_with_a_participle() -> None:
    functions = [(path, name) for path in _list_helper_files() for name in _list_helpers(path)]

    assert len(functions) > 2_000
    found = [(path.relative_to(_ROOT).as_posix(), name) for path, name in functions if _starts_with_participle(name)]
    assert [each for each in found if each[1] not in _DOCUMENTED_HELPER_NAMES] == []


def test_no_typescript_function_is_named_with_a_participle() -> None:
    sources = [path for path in (_ROOT / "web" / "src").rglob("*.ts*") if not path.name.endswith(".d.ts")]
    functions = [(path, name) for path in sources for name in _list_typescript_functions(path)]

    assert len(functions) > 300
    found = [(path.relative_to(_ROOT).as_posix(), name) for path, name in functions]
    assert [(path, name) for path, name in found if _starts_with_participle(_first_word(name))] == []


def _list_typescript_functions(path: Path) -> list[str]:
    matches = _TYPESCRIPT_FUNCTION.finditer(path.read_text(encoding="utf-8"))
    return [match["function"] or match["constant"] for match in matches]


def _first_word(name: str) -> str:
    """Return `kept` of `keptRows`."""
    return re.split("(?=[A-Z0-9])", name, maxsplit=1)[0]


def _list_helper_files() -> list[Path]:
    return [path for tree in ("tests", "benchmarks", "docs", "examples") for path in (_ROOT / tree).rglob("*.py")]


def _list_helpers(path: Path) -> list[str]:
    """Return the functions of a file without tests, fixtures and properties. Parsing all files would take seconds."""
    functions = _FUNCTION.finditer(path.read_text(encoding="utf-8"))
    return [
        each["name"]
        for each in functions
        if not re.search("fixture|property", each["decorators"]) and not each["name"].startswith("test_")
    ]


def _strip_endings(name: str) -> str:
    """Return `session_restart` for `session_restarter` and `session_restarts`."""
    return "_".join(re.sub("(e|s|es|er|ers|ed|ing)$", "", word) for word in name.split("_"))


def _find_repeated(places: Mapping[str, list[str]]) -> dict[str, list[str]]:
    return {name: found for name, found in places.items() if len(found) > 1}


def _starts_with_participle(name: str) -> bool:
    if name.startswith("__"):
        return False
    first = name.strip("_").split("_")[0]
    if _NOT_PARTICIPLES.fullmatch(first):
        return False
    return bool(_IRREGULAR_PARTICIPLES.fullmatch(first) or re.fullmatch(r"[a-z]{2,}(ed|ing)", first))
