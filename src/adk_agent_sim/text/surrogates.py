"""Replaces halves of surrogate pairs, which Python's strings can contain and UTF-8 cannot."""

from __future__ import annotations


def replace_lone_surrogates(text: str) -> str:
    """Replace each lone surrogate by U+FFFD and join the halves of a pair: ADK and protobuf reject both."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
