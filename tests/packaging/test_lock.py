"""Every locked package has hashes, and an installation checks them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_LOCK = (_ROOT / "requirements.lock").read_text(encoding="utf-8")
_MAKEFILE = (_ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_package_is_pinned_with_hashes_and_without_addresses() -> None:
    packages = re.split(r"\n(?=\S)", _LOCK.strip())

    assert len(packages) > 100
    assert [each for each in packages if not re.match(r"[\w.-]+(\[[\w,.-]+\])?==\S+", each)] == []
    assert [each for each in packages if "--hash=sha256:" not in each] == []
    assert "://" not in _LOCK


def test_an_installation_checks_the_hashes() -> None:
    installing = [line for line in _MAKEFILE.splitlines() if re.search(r"pip (sync|install) .*(\.lock|uv\.txt)", line)]

    assert len(installing) == 2
    assert all("--require-hashes" in line for line in installing)
    compiling = re.findall(r".*pip compile .*", _MAKEFILE)
    assert len(compiling) == 1
    assert "--generate-hashes" in compiling[0]


def test_the_installer_is_locked_too() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (wanted,) = [each for each in project["dependency-groups"]["dev"] if each.startswith("uv==")]

    assert re.search(rf"^{re.escape(wanted)} ", _LOCK, re.MULTILINE)
