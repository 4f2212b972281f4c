"""ARCHITECTURE.md names every module, and every file it names exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

_ROOT = Path(__file__).parents[1]
_TEXT = (_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_module_tables_are_current() -> None:
    index = _load_module_index()

    assert index.list_documented_packages(_TEXT) == index.list_packages()
    assert index.render_document(_TEXT) == _TEXT, "run `make modules`"


def test_every_file_and_folder_it_names_exists() -> None:
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+)?)`", _TEXT))
    bases = (_ROOT, _ROOT / "src" / "adk_agent_sim", _ROOT / "web" / "src")
    built = {"server/static"}

    assert len(named) > 40
    assert {name for name in named if not any((base / name).exists() for base in bases)} <= built


def test_the_table_of_changes_covers_what_contributors_ask_for() -> None:
    table = _TEXT.split("## If you want to change X, open Y")[1].split("\n## ")[0]
    topics = (
        "an export format", "a fault action", "a field type", "an app", "a database", "a CLI command", "a row kind",
        "a player", "a judge", "a page", "a metric", "a mock",
    )  # fmt: skip

    assert [topic for topic in topics if f"| {topic}" not in table] == []


def test_every_folder_of_the_browser_app_is_in_its_table() -> None:
    table = _TEXT.split("### `web/src/`")[1].split("\n## ")[0]
    folders = {path.name for path in (_ROOT / "web" / "src").iterdir() if path.is_dir()}

    assert len(folders) > 15
    assert folders - set(re.findall(r"`(\w+)/`", table)) == set()


def _load_module_index() -> ModuleType:
    spec = importlib.util.spec_from_file_location("module_index", _ROOT / "docs" / "module_index.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
