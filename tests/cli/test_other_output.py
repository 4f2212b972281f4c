"""What an agent's code prints does not mix with the result of a command."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import os, sys
from adk_agent_sim.text.terminal_output import print_json, print_line, send_other_output_to_stderr
with send_other_output_to_stderr():
    print("from Python")
    sys.stdout.flush()
    os.system("echo from a subprocess")
    print_line("progress")
print_json({"result": 1}, indent=None)
print("after")
"""


@pytest.mark.process
def test_output_of_others_goes_to_standard_error() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["progress", '{"result": 1}', "after"]
    assert sorted(done.stderr.splitlines()) == ["from Python", "from a subprocess"]
