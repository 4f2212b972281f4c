"""One Ctrl-C is enough at a prompt, whenever it comes."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys

import pytest
from polling import MAX_WAIT_SECONDS

_ASKS = """
from adk_agent_sim.cli.play.prompts import KeyboardPrompts

keyboard = KeyboardPrompts()
for number in range({times}):
    try:
        keyboard.ask(f"prompt {{number}}> ")
    except KeyboardInterrupt:
        print(f"interrupted {{number}};", flush=True)
print("typed", keyboard.ask("last> "), flush=True)
"""
_TIMES = 200


@pytest.mark.process
def test_a_ctrl_c_that_comes_with_the_prompt_is_never_missed() -> None:
    screen, terminal = pty.openpty()
    command = [sys.executable, "-c", _ASKS.format(times=_TIMES)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True) as process:
        os.close(terminal)
        seen = ""

        def read_until(text: str) -> None:
            nonlocal seen
            while text not in seen:
                ready, _, _ = select.select([screen], [], [], MAX_WAIT_SECONDS)
                if not ready:
                    process.kill()
                assert ready, f"{text!r} was not shown"
                seen += os.read(screen, 65_536).decode()
            seen = seen.partition(text)[2]

        for number in range(_TIMES):
            read_until(f"prompt {number}> ")
            process.send_signal(signal.SIGINT)
            read_until(f"interrupted {number};")
        read_until("last> ")
        os.write(screen, b"a line\n")
        read_until("typed a line")
    os.close(screen)
    assert process.returncode == 0
