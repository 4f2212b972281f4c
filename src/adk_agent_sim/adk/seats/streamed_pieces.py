"""The pieces in which a model streamed a response: measured when it is recorded, made again when it is replayed.

    "It ", "is ", "4.", then the response "It is 4."   <-->   the response and the lengths (3, 3, 2)

The pieces themselves are not kept: their texts are in the response, where a secret that is spread over several pieces
is found and masked, and where a person may edit them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from google.adk.models.llm_response import LlmResponse
from google.genai import types


def measure_pieces(pieces: Sequence[LlmResponse], response: LlmResponse) -> tuple[int, ...]:
    """Return the lengths of the pieces of a response; none if their texts are not those of the response, in order."""
    texts = [_join_texts(piece) for piece in pieces]
    return tuple(len(text) for text in texts if text) if "".join(texts) == _join_texts(response) else ()


def split_response(response: LlmResponse, lengths: Sequence[int]) -> Iterator[LlmResponse]:
    """Yield the pieces of a response; the last one has what remains, if the text has become longer."""
    remaining = [part for part in _get_parts(response) if part.text]
    for place, length in enumerate(lengths, start=1):
        parts, remaining = _cut_parts(remaining, length if place < len(lengths) else len(_join_texts(response)))
        if parts:
            role = response.content.role if response.content else None
            yield LlmResponse(
                content=types.Content(role=role, parts=parts), partial=True, model_version=response.model_version
            )


def _cut_parts(parts: Sequence[types.Part], length: int) -> tuple[list[types.Part], list[types.Part]]:
    """Return parts with the first `length` characters, and parts with the others; a piece may end a thought."""
    taken: list[types.Part] = []
    remaining: list[types.Part] = []
    for part in parts:
        text = part.text or ""
        if text[:length]:
            taken.append(types.Part(text=text[:length], thought=part.thought))
        if text[length:]:
            remaining.append(types.Part(text=text[length:], thought=part.thought))
        length = max(0, length - len(text))
    return taken, remaining


def _join_texts(response: LlmResponse) -> str:
    return "".join(part.text or "" for part in _get_parts(response))


def _get_parts(response: LlmResponse) -> Sequence[types.Part]:
    return (response.content.parts if response.content else None) or ()
