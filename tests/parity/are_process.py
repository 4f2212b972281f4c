"""The ARE package in a process of its own, which answers jobs over a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any


class RefusedByAre(Exception):
    """The package refuses a generated scenario or crashes on it."""


class Are:
    """The ARE package in its own process."""

    def __init__(self, python: str, script_name: str = "are_side.py") -> None:
        script = Path(__file__).with_name(script_name)
        # Its ids and the order of its sets depend on the hash seed.
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        self._process = subprocess.Popen(
            [str(Path(python).absolute()), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=tempfile.mkdtemp(prefix="are-parity-"),
        )

    def do_job(self, kind: str, **job: Any) -> dict[str, Any]:
        """Return the outcome of a job.

        Raises:
            RefusedByAre: The package does not accept the scenario.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"kind": kind, **job}) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline())
        if "refused" in outcome and kind != "load":
            raise RefusedByAre(outcome["refused"])
        return outcome

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
