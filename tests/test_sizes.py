"""Files and functions of a size that one can read: no source file over 400 lines, no function over 60."""

from __future__ import annotations

from pathlib import Path

from source_trees import PACKAGE, list_definitions, list_modules

_ROOT = Path(__file__).parents[1]
_WEB = _ROOT / "web" / "src"

_MAX_FILE_LINES = 400
_MAX_FUNCTION_LINES = 60

_GENERATED_TYPES = _WEB / "api" / "schema.d.ts"


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {path: _count_lines(PACKAGE / path) for path in list_modules()}

    assert len(lengths) > 400
    assert {name: length for name, length in lengths.items() if length > _MAX_FILE_LINES} == {}


def test_no_file_of_the_browser_app_is_longer_than_400_lines() -> None:
    paths = [path for path in _WEB.rglob("*.ts*") if path != _GENERATED_TYPES]
    lengths = {_get_name(path): _count_lines(path) for path in paths}

    assert len(lengths) > 200
    assert {name: length for name, length in lengths.items() if length > _MAX_FILE_LINES} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    lengths = {f"{one.path}:{one.line} {one.name}": one.length for one in list_definitions() if not one.is_class}

    assert len(lengths) > 2_000
    assert {name: length for name, length in lengths.items() if length > _MAX_FUNCTION_LINES} == {}


def _get_name(path: Path) -> str:
    return path.relative_to(_ROOT).as_posix()


def _count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())
