"""What ADK itself streams from a Gemini model can be made again from the complete response."""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.models.llm_response import LlmResponse
from google.adk.utils.streaming_utils import StreamingResponseAggregator
from google.genai import types

from adk_agent_sim.adk.players.cassette_requests import measure_pieces, split_response

_CHUNKS = [
    [types.Part(text="Let me ", thought=True)],
    [types.Part(text="see.", thought=True), types.Part(text="The ")],
    [types.Part(text="order ")],
    [types.Part(text="")],
    [types.Part(text="is here.")],
    [types.Part(function_call=types.FunctionCall(name="track", args={"order": 7}))],
]


async def _stream(chunks: Sequence[list[types.Part]]) -> list[LlmResponse]:
    aggregator = StreamingResponseAggregator()
    responses: list[LlmResponse] = []
    for place, parts in enumerate(chunks, start=1):
        finish_reason = types.FinishReason.STOP if place == len(chunks) else None
        candidate = types.Candidate(content=types.Content(role="model", parts=parts), finish_reason=finish_reason)
        chunk = types.GenerateContentResponse(candidates=[candidate])
        responses += [response async for response in aggregator.process_response(chunk)]
    if (last := aggregator.close()) is not None:
        responses.append(last)
    return responses


async def test_the_pieces_of_a_gemini_model() -> None:
    *pieces, complete = await _stream(_CHUNKS)
    assert all(piece.partial for piece in pieces)
    assert not complete.partial

    lengths = measure_pieces(pieces, complete)

    assert lengths == (7, 8, 6, 8)
    expected = [_list_texts(piece) for piece in pieces]
    assert [_list_texts(piece) for piece in split_response(complete, lengths)] == [each for each in expected if each]
    assert all(piece.partial for piece in split_response(complete, lengths))


def _list_texts(response: LlmResponse) -> list[tuple[str, bool]]:
    parts = (response.content.parts if response.content else None) or ()
    return [(part.text, bool(part.thought)) for part in parts if part.text]
