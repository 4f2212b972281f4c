"""Starts the command `adksim`, unless the import name `adk_agent_sim` belongs to another distribution, too.

It is a module outside of the package, because pip overwrites files of other distributions silently: where another
project's `adk-agent-sim` was installed over adksim, any file in `adk_agent_sim` may be that project's, or gone with it.
"""

from __future__ import annotations

import sys
from base64 import urlsafe_b64encode
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = "adk_agent_sim"
_INIT = f"{_PACKAGE}/__init__.py"


def main() -> None:
    """Run `adksim`, or print one sentence about what is in its place, and exit with 2."""
    if conflict := find_conflict(Path(__file__).parent):
        sys.stderr.write(
            f"Error: {conflict}: uninstall both (pip uninstall adksim adk-agent-sim), "
            "then install adksim again from its wheel or checkout.\n"
        )
        sys.exit(2)
    from adk_agent_sim.cli.main import main as run_adksim  # noqa: PLC0415 - it may be another project's

    run_adksim()


def find_conflict(root: Path) -> str | None:
    """Return what is wrong with the package beside this module, in the folder `root`; None if nothing is."""
    folder, spec = root / _PACKAGE, find_spec(_PACKAGE)
    if any(f"\n{_INIT}," in f"\n{path.read_text('utf-8')}" for path in root.glob(f"{_PACKAGE}-*.dist-info/RECORD")):
        return f"The package adk-agent-sim has installed files of its own in {str(folder)!r}, which is part of adksim"
    if spec and spec.origin and Path(spec.origin).resolve().parent != folder.resolve():
        return f"Python imports {_PACKAGE} from {spec.origin!r}, which another package installed, not from adksim"
    if not _is_unchanged(root):
        return f"Another package, such as adk-agent-sim, has replaced or removed files of adksim in {str(folder)!r}"
    return None


def _is_unchanged(root: Path) -> bool:
    """Compare `__init__.py`, which every package of this name has, with what the wheel contained.

    An editable install has its record elsewhere, and installers do not write to its files.
    """
    if not (init := root / _INIT).is_file():
        return False
    digest = urlsafe_b64encode(sha256(init.read_bytes()).digest()).decode().rstrip("=")
    records = [path.read_text("utf-8") for path in root.glob("adksim-*.dist-info/RECORD")]
    return all(f"{_INIT},sha256={digest}," in record for record in records)
