"""The scanner: finds all secrets of a text with the table of `secret_patterns` and the known values, and masks them.

    text --> spans of every pattern --+
         --> spans of known values  --+--> merge --> mask --> again, until nothing is found

Masking repeats because a mask can end the value before it; so masking a masked text changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from adk_agent_sim.timeline.redaction.known_secrets import KnownSecrets
from adk_agent_sim.timeline.redaction.named_values import Span
from adk_agent_sim.timeline.redaction.secret_patterns import SECRET_PATTERNS, SecretGroup
from adk_agent_sim.timeline.redaction.secret_values import MASK

_MAX_PASSES = 8
"""How often a text is scanned at most; two passes are usual, the second of which finds nothing."""


def mask_secrets(text: str, known: KnownSecrets) -> str:
    """Return a text with a mask in place of each secret."""
    for _ in range(_MAX_PASSES):
        spans = find_secrets(text, known)
        if not spans:
            break
        text = _replace_spans(text, spans)
    return text


def find_secrets(text: str, known: KnownSecrets) -> list[Span]:
    """Return where the secrets of a text are, in order and without overlaps; what is masked already is none."""
    found = [span for span in _iter_pattern_spans(text) if span[0] < span[1]]
    found += known.find_spans(text)
    return _merge_spans(found, list(_iter_masks(text))) if found else []


def find_named_secrets(text: str) -> Iterator[str]:
    """Yield the values that a name in a text marks as secrets."""
    for pattern in SECRET_PATTERNS:
        if pattern.group is SecretGroup.NAMED_VALUE and (not pattern.anchor or pattern.anchor in text):
            for match in pattern.regex.finditer(text):
                if span := pattern.locate(match):
                    yield text[span[0] : span[1]]


def _iter_pattern_spans(text: str) -> Iterator[Span]:
    for pattern in SECRET_PATTERNS:
        if pattern.anchor and pattern.anchor not in text:
            continue
        for match in pattern.regex.finditer(text):
            if span := pattern.locate(match):
                yield span


def _iter_masks(text: str) -> Iterator[Span]:
    position = text.find(MASK)
    while position >= 0:
        yield position, position + len(MASK)
        position = text.find(MASK, position + len(MASK))


def _merge_spans(found: list[Span], masks: list[Span]) -> list[Span]:
    """Join overlapping spans; a span that only covers a part of a mask, or a mask itself, is dropped."""
    merged: list[tuple[int, int, bool]] = []
    for start, end, is_mask in sorted([(*span, False) for span in found] + [(*span, True) for span in masks]):
        if merged and start < merged[-1][1]:
            first, last, was_mask = merged[-1]
            # A mask absorbs what is inside of it, and becomes part of a secret that reaches beyond it.
            is_only_mask = (was_mask and end <= last) or (is_mask and (start, end) == (first, last))
            if is_mask and not was_mask and start <= first and end >= last:
                is_only_mask = True
            merged[-1] = (first, max(last, end), is_only_mask)
        else:
            merged.append((start, end, is_mask))
    return [(start, end) for start, end, is_mask in merged if not is_mask]


def _replace_spans(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (text[position:start], MASK)
        position = end
    return "".join((*parts, text[position:]))
