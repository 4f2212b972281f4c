"""Converts the read model of a session to the JSON that databases store, and back.

JSON rather than messages of the protocol: the read model can be folded again from the events at any time, so its format
may change with every version of the tables.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from adk_agent_sim.timeline.events import AgentPath, RunOutcome, Session
from adk_agent_sim.timeline.read_model.log_segments import LogSegment
from adk_agent_sim.timeline.read_model.open_rows import PendingConsent
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.read_model.session_summary import ExportEntry, SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowSource, RowStatus, TimelineRow

# ASCII, because a lone surrogate has no UTF-8 encoding.
_encode = json.JSONEncoder(separators=(",", ":")).encode

_PENDING_FIELDS = [field.name for field in fields(PendingRequest) if field.name not in ("kind", "agent_path")]
_PLAIN_SUMMARY_FIELDS = [
    field.name
    for field in fields(SessionSummary)
    if field.name not in ("session", "pending", "outcome", "exports", "agent_names", "segments", "forks")
]
_EXPORT_FIELDS = [field.name for field in fields(ExportEntry)]
_ROW_FIELDS = [field.name for field in fields(TimelineRow) if field.name not in ("kind", "status", "sources")]


def encode_summary(summary: SessionSummary) -> bytes:
    """Return the JSON of a summary, without its session, which has columns of its own."""
    value: dict[str, Any] = {name: getattr(summary, name) for name in _PLAIN_SUMMARY_FIELDS}
    value["agent_names"] = list(summary.agent_names)
    value["pending"] = [_encode_pending(request) for request in summary.pending.values()]
    value["outcome"] = summary.outcome
    value["exports"] = [{name: getattr(entry, name) for name in _EXPORT_FIELDS} for entry in summary.exports]
    value["segments"] = [
        (each.start_seq, each.to_seq, list(each.kept_seqs), each.first_decided_seq) for each in summary.segments
    ]
    value["forks"] = list(summary.forks)
    return _encode(value).encode("ascii")


def decode_summary(session: Session, blob: bytes) -> SessionSummary:
    """Return the summary of a session; one that cannot be read becomes a broken one, with the reason."""
    try:
        value = json.loads(blob)
        requests = [_decode_pending(each) for each in value.pop("pending")]
        return SessionSummary(
            session=session,
            pending={request.request_id: request for request in requests},
            outcome=RunOutcome(outcome) if (outcome := value.pop("outcome")) else None,
            exports=tuple(ExportEntry(**each) for each in value.pop("exports")),
            agent_names=tuple(value.pop("agent_names")),
            segments=tuple(_decode_segment(*each) for each in value.pop("segments", ())),
            forks=tuple(value.pop("forks", ())),
            **value,
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return create_broken_summary(session, f"The stored summary cannot be read: {error!r}")


def _decode_segment(start_seq: int, to_seq: int, kept_seqs: list[int], first_decided_seq: int) -> LogSegment:
    return LogSegment(start_seq, to_seq, tuple(kept_seqs), first_decided_seq)


def create_broken_summary(session: Session, reason: str) -> SessionSummary:
    """Create the summary of a session that cannot be read, so that lists can still show it."""
    return _replace_fields(create_summary(session), is_broken=True, failure=reason)


def _replace_fields(summary: SessionSummary, **changes: Any) -> SessionSummary:
    return SessionSummary(**{field.name: getattr(summary, field.name) for field in fields(summary)} | changes)


def _encode_pending(request: PendingRequest) -> dict[str, Any]:
    value: dict[str, Any] = {name: getattr(request, name) for name in _PENDING_FIELDS}
    value["kind"] = request.kind
    if path := request.agent_path:
        value["agent_path"] = [path.branch, path.parent_call_id]
    return value


def _decode_pending(value: dict[str, Any]) -> PendingRequest:
    path = value.pop("agent_path", None)
    return PendingRequest(
        kind=RequestKind(value.pop("kind")),
        agent_path=AgentPath(branch=path[0], parent_call_id=path[1]) if path else None,
        **value,
    )


def encode_row(row: TimelineRow) -> bytes:
    """Return the JSON of a row."""
    return _encode(_row_to_json(row)).encode("ascii")


def decode_row(blob: bytes) -> TimelineRow:
    """Parse the JSON of a row."""
    return _row_from_json(json.loads(blob))


def _row_to_json(row: TimelineRow) -> dict[str, Any]:
    value: dict[str, Any] = {name: getattr(row, name) for name in _ROW_FIELDS}
    value["kind"], value["status"] = row.kind, row.status
    value["sources"] = [(source.seq, source.part_index) for source in row.sources]
    return value


def _row_from_json(value: dict[str, Any]) -> TimelineRow:
    return TimelineRow(
        kind=RowKind(value.pop("kind")),
        status=RowStatus(value.pop("status")),
        sources=tuple(RowSource(seq, part_index) for seq, part_index in value.pop("sources")),
        **value,
    )


def encode_rows_state(rows: SessionRows) -> bytes:
    """Return the JSON of what the fold of rows needs to continue."""
    return _encode(
        {
            "row_count": rows.row_count,
            "rows": [_row_to_json(row) for row in rows.rows.values()],
            "call_rows": rows.call_rows,
            "pending_consents": rows.pending_consents,
            "denied_rows": sorted(rows.denied_rows),
            "players": rows.players,
            "turn_ids": rows.turn_ids,
            "overriding_agents": sorted(rows.overriding_agents),
            "answer_index": rows.answer_index,
            "has_agent_events": rows.has_agent_events,
        }
    ).encode("ascii")


def decode_rows_state(blob: bytes) -> SessionRows:
    """Return the fold of rows, ready for the next event."""
    if not blob:
        return SessionRows()
    value = json.loads(blob)
    return SessionRows(
        row_count=value["row_count"],
        rows={row["index"]: _row_from_json(row) for row in value["rows"]},
        call_rows=value["call_rows"],
        pending_consents={key: PendingConsent(*each) for key, each in value["pending_consents"].items()},
        denied_rows=set(value["denied_rows"]),
        players=value["players"],
        turn_ids=value.get("turn_ids", {}),
        overriding_agents=set(value.get("overriding_agents", ())),
        answer_index=value["answer_index"],
        has_agent_events=value["has_agent_events"],
    )
