"""The random draws of one session: which seed they use, and what distinguishes the session from others.

A draw is a pure function of (seed, session key, rule, enclosing call, agent, branch, tool, n-th call). The session key
is the label of the run if there is one. Otherwise it is a digest of how the session begins: its first user message and
its initial state. It is never the session's id, which is random. So sessions that begin differently draw differently,
and each draws the same again in the next run.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import blake2b

from adk_agent_sim.timeline.canonical_json import Json, encode_json

_SEED_BITS = 32
"""The size of a drawn seed: short enough to be copied from a report by hand."""


@dataclass(frozen=True, slots=True)
class SessionRandomness:
    """What the draws of a session depend on, besides the rule and the call."""

    seed: int
    """The seed of the rules, or the one that the session drew."""

    session_key: str
    """The run's label, or a digest of how the session begins."""

    is_drawn: bool = False
    """Whether the rules have no seed, so that the session drew one."""


def create_randomness(seed: int | None, label: str = "", beginning: Json = None) -> SessionRandomness:
    """Create the randomness of a session.

    Args:
        seed: The seed of the rules; None draws a new one.
        label: The label of the run, such as a scenario and the number of the run, or the id of a test.
        beginning: How the session begins, if the run has no label: the first user message and the initial state.
    """
    return SessionRandomness(
        seed=secrets.randbits(_SEED_BITS) if seed is None else seed,
        session_key=label or (_NO_BEGINNING if beginning is None else _compute_digest(beginning)),
        is_drawn=seed is None,
    )


def _compute_digest(beginning: Json) -> str:
    return blake2b(encode_json(beginning), digest_size=8).hexdigest()


_NO_BEGINNING = _compute_digest(None)
