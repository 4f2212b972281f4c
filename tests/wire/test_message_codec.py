from __future__ import annotations

from google.genai import types

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.wire.message_codec import fill_message, message_to_json


def test_a_content_comes_back_as_its_google_genai_type() -> None:
    part = types.Part(
        file_data=types.FileData(file_uri="files/1", mime_type="video/mp4"),
        video_metadata=types.VideoMetadata(start_offset="1.500s", end_offset="9s", fps=0.5),
        thought_signature=b"\x00\xff\xfe",
    )
    content = types.Content(role="user", parts=[part])
    message = v1.Content()

    fill_message(message, content.model_dump(mode="json", exclude_none=True))

    assert message.parts[0].thought_signature == b"\x00\xff\xfe"
    assert message.parts[0].video_metadata.start_offset.nanos == 500_000_000
    assert types.Content.model_validate(message_to_json(message)) == content


def test_citations_are_called_sources_on_the_wire() -> None:
    citations = types.CitationMetadata(citations=[types.Citation(uri="u", license="l", start_index=0)])
    message = v1.CitationMetadata()

    fill_message(message, citations.model_dump(mode="json", exclude_none=True))

    assert message.citation_sources[0].license == "l"
    assert types.CitationMetadata.model_validate(message_to_json(message)) == citations


def test_the_time_range_of_a_search_comes_back() -> None:
    search = types.Tool.model_validate(
        {"google_search": {"time_range_filter": {"start_time": "2026-01-01T00:00:00Z", "end_time": None}}}
    )
    message = v1.Tool()

    fill_message(message, search.model_dump(mode="json", exclude_none=True))

    assert types.Tool.model_validate(message_to_json(message)) == search


def test_text_that_is_not_a_time_is_left_out() -> None:
    message = v1.VideoMetadata()

    fill_message(message, {"start_offset": "soon", "end_offset": "1s"})

    assert message_to_json(message) == {"end_offset": "1s"}


def test_an_enum_number_without_a_name_is_not_read() -> None:
    message = v1.Candidate.FromString(b"\x10\x7f\x38\x03")

    assert message_to_json(message) == {"token_count": 3}


def test_an_empty_tool_is_still_offered() -> None:
    message = v1.Tool()

    fill_message(message, {"url_context": {}, "code_execution": {}})

    assert types.Tool.model_validate(message_to_json(message)) == types.Tool(
        url_context=types.UrlContext(), code_execution=types.ToolCodeExecution()
    )
