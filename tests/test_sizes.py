"""Files and functions of a size that one can read. `python tests/test_sizes.py` prints how they compare with models."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from source_trees import PACKAGE, list_definitions, list_modules

_ROOT = Path(__file__).parents[1]
_WEB = _ROOT / "web" / "src"

_MAX_FILE_LINES = 600
_MAX_FUNCTION_LINES = 80

_GENERATED_TYPES = _WEB / "api" / "schema.d.ts"


def test_no_module_is_longer_than_600_lines() -> None:
    lengths = _measure_modules()

    assert len(lengths) > 400
    assert {name: length for name, length in lengths.items() if length > _MAX_FILE_LINES} == {}


def test_no_file_of_the_browser_app_is_longer_than_600_lines() -> None:
    paths = [path for path in _WEB.rglob("*.ts*") if path != _GENERATED_TYPES]
    lengths = {path.relative_to(_ROOT).as_posix(): _count_lines(path) for path in paths}

    assert len(lengths) > 200
    assert {name: length for name, length in lengths.items() if length > _MAX_FILE_LINES} == {}


def test_no_function_is_longer_than_80_lines() -> None:
    lengths = _measure_functions()

    assert len(lengths) > 2_000
    assert {name: length for name, length in lengths.items() if length > _MAX_FUNCTION_LINES} == {}


def _measure_modules() -> dict[str, int]:
    return {path: _count_lines(PACKAGE / path) for path in list_modules()}


def _measure_functions() -> dict[str, int]:
    return {f"{one.path}:{one.line} {one.name}": one.length for one in list_definitions() if not one.is_class}


def _count_lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _format_distribution(label: str, lengths: Iterable[int], model: str) -> str:
    found = sorted(lengths)
    median, ninth = statistics.median(found), found[len(found) * 9 // 10]
    return f"{label}: {len(found)}, median {median:.0f}, 90% below {ninth}, longest {found[-1]} ({model})"


if __name__ == "__main__":
    print(_format_distribution("modules", _measure_modules().values(), "models: median 60 to 150, 90% below 600"))
    print(_format_distribution("functions", _measure_functions().values(), "models: median 5 to 8, 90% below 40"))
