"""Repeats the tests marked `soak` and all property tests with new seeds: `python tests/soak.py HOURS`, or `make soak`.

Each round has a number, which is the seed of its kills; property tests try other random values in each. It ends after
the hours, or at the first failure, and says how to repeat it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import count


def main() -> int:
    """Run rounds until the time is over; 1 if a test failed."""
    hours = float(sys.argv[1])
    ends = time.time() + hours * 3600
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--maxprocesses=8", "-x", "-q", "-m", "soak or property"]
    for number in count(int(os.environ.get("SOAK_SEED", "1"))):
        print(f"Round {number}; {max(0.0, ends - time.time()) / 3600:.1f} of {hours:g} hours are left.", flush=True)
        environment = {"HYPOTHESIS_PROFILE": "soak", "SOAK_SEED": str(number), "SOAK_ENDS": str(ends)}
        done = subprocess.run(command, env=os.environ | environment, check=False)
        if done.returncode != 0:
            again = " ".join(f"{name}={value}" for name, value in environment.items() if name != "SOAK_ENDS")
            print(f"It failed in round {number}. Again: {again} pytest TEST, with the test's name from above.")
            return 1
        if time.time() >= ends:
            print(f"Nothing failed in {hours:g} hours.")
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
