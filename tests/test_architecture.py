"""ARCHITECTURE.md describes every package, and every file it names exists; a module describes itself."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_TEXT = (_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
_FIRST_LINE = re.compile(r'"""\S')


def test_every_package_has_its_row() -> None:
    table = _TEXT.split("## Packages")[1].split("\n## ")[0]
    packages = {path.parent.name for path in (_ROOT / "src" / "adk_agent_sim").glob("*/__init__.py")}

    assert len(packages) > 10
    assert packages - set(re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE)) == set()


def test_every_module_says_in_its_first_line_what_it_owns() -> None:
    paths = [path for path in (_ROOT / "src" / "adk_agent_sim").rglob("*.py") if "generated" not in path.parts]

    assert len(paths) > 400
    assert [path for path in paths if not _FIRST_LINE.match(path.read_text(encoding="utf-8"))] == []


def test_every_file_and_folder_it_names_exists() -> None:
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+)?)`", _TEXT))
    bases = (_ROOT, _ROOT / "src" / "adk_agent_sim", _ROOT / "web" / "src")
    built = {"server/static"}

    assert len(named) > 40
    assert {name for name in named if not any((base / name).exists() for base in bases)} <= built


def test_the_table_of_changes_covers_what_contributors_ask_for() -> None:
    table = _TEXT.split("## If you want to change X, open Y")[1].split("\n## ")[0]
    topics = (
        "an operation", "a name for Python", "an export format", "a fault action", "a field type", "an app",
        "a database", "a CLI command", "a row kind", "a player", "a judge", "a page", "an endpoint", "a metric",
        "a mock", "an event",
    )  # fmt: skip

    assert [topic for topic in topics if f"| {topic}" not in table] == []


def test_every_folder_of_the_browser_app_is_in_its_table() -> None:
    table = _TEXT.split("### `web/src/`")[1].split("\n## ")[0]
    folders = {path.name for path in (_ROOT / "web" / "src").iterdir() if path.is_dir()}

    assert len(folders) > 15
    assert folders - set(re.findall(r"`(\w+)/`", table)) == set()


def test_the_rows_with_a_star_are_the_examples_for_contributors() -> None:
    table = _TEXT.split("## If you want to change X, open Y")[1].split("\n## ")[0]
    with_star = re.findall(r"^\| an? (\w+)[^|]* \* \|", table, re.MULTILINE)
    page = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    examples = re.findall(r"^## Example: add an? (\w+)", page, re.MULTILINE)

    assert len(examples) > 5
    assert sorted(with_star) == sorted("judge" if name == "check" else name for name in examples)
