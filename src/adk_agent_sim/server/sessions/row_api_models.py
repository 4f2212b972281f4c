"""The messages of the web API about the rows of a session.

A session is shown as rows. A row is one fact that people care about: a call and its result are one row, which changes
while the call runs. Rows are never removed or reordered, so a row's `index` is its identity. `updated_seq` is the `seq`
of the timeline event that last changed a row: a browser that has everything up to a seq asks for the changes after it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.use_cases.record import Record


class NoteInput(Record):
    """A person's note on a row."""

    text: str = Field(description="It replaces the note that the row has; an empty one removes it")


class DisplayValue(Record):
    """A value of a row. Of more than 20 KB only the beginning is sent, unless the full value is requested."""

    label: str
    format: Literal["json", "text", "markdown", "traceback"]
    text: str = Field(description="For json, JSON text, so that numbers keep their digits")
    size: int = Field(description="The length of the full text, in characters")
    is_complete: bool


class MediaFile(Record):
    """An image or file of a row."""

    name: str
    mime_type: str
    size: int
    url: str = Field(description="The address of its bytes; images can be shown, other files are downloaded")
    is_image: bool


class RowDetail(Record):
    """The details of a row."""

    index: int
    values: list[DisplayValue]
    media: list[MediaFile]
