"""Runs `make check` on every Python that is installed, from 3.11 up: `python tests/pythons.py`, or `make test-pythons`.

Looks on PATH and among pyenv's versions. Each minor version has an environment of its own, `.venv-3.N`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_OLDEST = (3, 11)
_ASK = "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def candidates() -> Iterator[Path]:
    """Every program that is called as a Python 3 would be."""
    for folder in map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep)):
        if folder.is_dir():
            yield from sorted(one for one in folder.iterdir() if re.fullmatch(r"python3(\.\d+)?(\.exe)?", one.name))
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=True).stdout.strip()
        yield from sorted(Path(root, "versions").glob("3.*/bin/python3"))


def version(python: Path) -> tuple[int, int] | None:
    """The version of an interpreter; None if it does not run, as pyenv's shims of versions that are not chosen."""
    try:
        answer = subprocess.run([python, "-c", _ASK], capture_output=True, text=True, check=False, timeout=60)
    except OSError:
        return None
    if answer.returncode != 0:
        return None
    major, minor, free_threaded = map(int, answer.stdout.split())
    return None if free_threaded else (major, minor)


def find_pythons() -> dict[tuple[int, int], Path]:
    """Return the first interpreter of each version that is found, oldest first."""
    found: dict[tuple[int, int], Path] = {}
    for python in candidates():
        if known := version(python):
            found.setdefault(known, python)
    return dict(sorted(found.items()))


def run_checks(known: tuple[int, int], python: Path) -> bool:
    """Run `make check` with an interpreter."""
    name = f"{known[0]}.{known[1]}"
    print(f"\nPython {name} ({python}):", flush=True)
    done = subprocess.run(["make", "check", f"PYTHON={python}", f"VENV=.venv-{name}"], cwd=ROOT, check=False)
    return done.returncode == 0


def main() -> int:
    """Check on each; 1 if it fails on any, or if there is none."""
    found = find_pythons()
    for known, python in found.items():
        print(f"{'found  ' if known >= _OLDEST else 'skipped'}  Python {known[0]}.{known[1]}  {python}")
    results = {known: run_checks(known, python) for known, python in found.items() if known >= _OLDEST}
    print()
    for known, passed in results.items():
        print(f"Python {known[0]}.{known[1]}: {'passed' if passed else 'FAILED'}")
    return 0 if results and all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
