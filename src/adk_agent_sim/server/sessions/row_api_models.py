"""The messages of the web API about the rows of a session.

A session is shown as rows. A row is one fact that people care about: a call and its result are one row, which changes
while the call runs. Rows are never removed or reordered, so a row's `index` is its identity. `updated_seq` is the `seq`
of the timeline event that last changed a row: a browser that has everything up to a seq asks for the changes after it.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.timeline.read_model.open_rows import OPEN_STATUSES
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus, TimelineRow
from adk_agent_sim.use_cases.record import Record

MAX_NOTE_CHARS = 4_000
"""How long a note may be: it is sent with its row."""

_ENDED_WITH_PROCESS = "abandoned: the agent's process ended"


class Row(Record):
    """One line of the timeline; its details are requested when it is opened."""

    index: int
    seq: int
    updated_seq: int
    kind: RowKind
    status: RowStatus
    timestamp: float = Field(description="In seconds since 1970")
    agent_name: str
    player: str = Field(description="real, human, recorded or simulated; empty for rows that no player produced")
    subject: str = Field(description="The tool or file; empty for other rows")
    summary: str = Field(description="One line: the arguments, or the text; cut at 300 characters")
    result: str = Field(default="", description="One line: the result; cut at 300 characters")
    duration_ms: float | None = None
    call_id: str = Field(default="", description="The id of the call, by which it can be cancelled while it runs")
    rule: str = Field(default="", description="The rule of the simulated environment that answered instead of the tool")
    responder: str = Field(
        default="", description="human if a person responds as the tool; empty if the tool or a rule does"
    )
    is_unknown_tool: bool = Field(
        default=False, description="Whether the agent has no tool of that name: the model made it up"
    )
    force: bool = Field(default=False, description="Whether the call was sent although it does not match the request")
    note: str = Field(default="", description="What a person noted on the row; empty if nobody did")
    branch: str = Field(default="", description="ADK's branch; empty for agents that see the whole conversation")
    parent_call_id: str = Field(
        default="", description="The call of the tool that the agent runs in; empty outside tools"
    )
    turn_id: str = Field(default="", description="The model turn that produced the row; empty if none did")
    world_seconds: float | None = Field(
        default=None, description="When it happened in seconds since the start of the scenario's world, if it did there"
    )


def to_api_row(row: TimelineRow, *, is_live: bool) -> Row:
    """Return a row of the read model as it is sent to the browser.

    Args:
        row: The row.
        is_live: Whether the session can go on. If not, a call that was running when its process ended is over.
    """
    shown = Row(**{name: getattr(row, name) for name in Row.model_fields})
    # A process that was killed has written no event that ends its calls.
    if not is_live and row.status in OPEN_STATUSES:
        return shown.model_copy(update={"status": RowStatus.CANCELLED, "result": row.result or _ENDED_WITH_PROCESS})
    return shown


class NoteInput(Record):
    """A person's note on a row."""

    text: str = Field(
        max_length=MAX_NOTE_CHARS, description="It replaces the note that the row has; an empty one removes it"
    )


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
