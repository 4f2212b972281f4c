"""What a bench compares: an agent with the model, player and rules it ran with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from adk_agent_sim.bench.bench_result import RunKey

VARIANT_AXES: Final = ("agent", "model", "player", "rules")
"""The axes of the plan that are compared with each other; scenarios, seeds and runs are what they are compared on."""


@dataclass(frozen=True, order=True)
class Variant:
    """What is compared: an agent, with the model, player and rules that it ran with."""

    agent: str
    model: str = ""
    player: str = ""
    rules: str = ""


def get_variant(result: RunKey) -> Variant:
    """Return which variant ran."""
    return Variant(result.agent, result.model, result.player, result.rules)


def get_variant_noun(variants: Sequence[Variant]) -> str:
    """Return what variants are called: agents, unless one agent is compared with itself."""
    return "agent" if len({each.agent for each in variants}) == len(variants) else "variant"


def label_variants(variants: Sequence[Variant]) -> dict[Variant, str]:
    """Return a label for each variant: the agent, and the other axes as far as they vary."""
    varying = [axis for axis in VARIANT_AXES[1:] if len({getattr(each, axis) for each in variants}) > 1]
    return {
        each: " · ".join([each.agent, *(getattr(each, axis) or f"no {axis}" for axis in varying)]) for each in variants
    }
