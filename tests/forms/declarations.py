"""The forms in which ADK declares the same tool."""

from __future__ import annotations

import json
from typing import Any

import pytest
from forms.corpus.case import Case

FORMS = ("json", "vertex", "older")
"""The default, the variant for Vertex AI (which writes null as `nullable`), and `types.Schema`."""


def declaration(case: Case, form: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Returns the declaration as it is stored: JSON with Python field names; empty if ADK has none in that form."""
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "1" if form == "vertex" else "0")
    monkeypatch.setenv("ADK_DISABLE_JSON_SCHEMA_FOR_FUNC_DECL", "1" if form == "older" else "0")
    if form == "older" and case.older == "none":
        with pytest.raises((ValueError, TypeError, RecursionError)):
            case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
        return {"parameters_json_schema": {"additionalProperties": True}}
    declared = case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
    assert declared is not None
    return json.loads(declared.model_dump_json(exclude_none=True))
