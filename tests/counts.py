"""How many iterations a test has: few in `make check`, more in the gate, many in `make test-all` and `make soak`."""

from __future__ import annotations

import os
import time

from hypothesis import HealthCheck, settings

_TIMES = {"check": 0.2, "gate": 1, "explore": 10, "soak": 50}
"""How many times as many examples a profile tries, where a test states their number."""

_TOO_SLOW = [HealthCheck.too_slow]
"""What a busy machine can cause is not held against a test."""


def _profile() -> str:
    return os.environ.get("HYPOTHESIS_PROFILE", "gate")


def load_profile() -> None:
    """Choose how property tests look: the same few values every time, or new ones."""
    always = settings(deadline=None, suppress_health_check=_TOO_SLOW)
    settings.register_profile("check", always, max_examples=10, derandomize=True)
    settings.register_profile("gate", always, max_examples=50, derandomize=True)
    settings.register_profile("explore", always, max_examples=1_000)
    settings.register_profile("soak", always, max_examples=5_000)
    settings.load_profile(_profile())


def examples(gate: int, *suppressed: HealthCheck) -> settings:
    """So many examples in the gate, in proportion more elsewhere: for a test that needs more than others, or fewer."""
    count = max(1, round(gate * _TIMES[_profile()]))
    return settings(max_examples=count, suppress_health_check=[*_TOO_SLOW, *suppressed])


def soak_seed() -> str:
    """The seed of a soak's round: another one each time, and the same when a round is repeated."""
    return f"soak {os.environ.get('SOAK_SEED', '1')}"


def soak_is_over() -> bool:
    """Whether the hours of a soak have passed; never in other runs."""
    ends = os.environ.get("SOAK_ENDS")
    return ends is not None and time.time() >= float(ends)
