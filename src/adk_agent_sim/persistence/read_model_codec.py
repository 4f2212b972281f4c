"""Converts the read model of a session to what databases store, and back.

JSON rather than messages of the protocol: what other code has stored is not read but folded from the events again, so
the format may change at any time. Annotations cannot be folded: theirs changes only with a migration.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeAlias

from adk_agent_sim.persistence.row_codec import to_milliseconds
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.events import AgentPath, RunOutcome, Session
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_rows import SessionRows
from adk_agent_sim.timeline.read_model.session_summary import STATUS_PROJECTIONS, ExportEntry, SessionSummary
from adk_agent_sim.timeline.read_model.timeline_row import PendingConsent, RowKind, RowSource, RowStatus, TimelineRow
from adk_agent_sim.timeline.undone_events import LogSegment

ColumnValues: TypeAlias = dict[str, Any]

# ASCII, because a lone surrogate has no UTF-8 encoding.
_encode = json.JSONEncoder(separators=(",", ":")).encode

_PENDING_FIELDS = [field.name for field in fields(PendingRequest) if field.name not in ("kind", "agent_path")]
_ANNOTATIONS = ("given_name", "exports", "forks")
"""The fields of a summary that do not follow from the log."""

_PLAIN_SUMMARY_FIELDS = [
    field.name
    for field in fields(SessionSummary)
    if field.name not in ("session", "pending", "outcome", "agent_names", "segments", *_ANNOTATIONS)
]
_EXPORT_FIELDS = [field.name for field in fields(ExportEntry)]
_ROW_FIELDS = [field.name for field in fields(TimelineRow) if field.name not in ("kind", "status", "sources")]


def encode_summary(summary: SessionSummary) -> bytes:
    """Return the JSON of a summary, without its session and annotations, which have columns of their own."""
    value: dict[str, Any] = {name: getattr(summary, name) for name in _PLAIN_SUMMARY_FIELDS}
    value["agent_names"] = list(summary.agent_names)
    value["pending"] = [_encode_pending(request) for request in summary.pending.values()]
    value["outcome"] = summary.outcome
    value["segments"] = [
        (each.start_seq, each.to_seq, list(each.kept_seqs), each.first_decided_seq) for each in summary.segments
    ]
    return _encode(value).encode("ascii")


def decode_summary(session: Session, annotations: Mapping[str, Any], blob: bytes) -> SessionSummary:
    """Return the summary that this code has stored of a session; `annotations` is from `decode_annotations`."""
    value = json.loads(blob)
    requests = [_decode_pending(each) for each in value.pop("pending")]
    return SessionSummary(
        session=session,
        pending={request.request_id: request for request in requests},
        outcome=RunOutcome(outcome) if (outcome := value.pop("outcome")) else None,
        agent_names=tuple(value.pop("agent_names")),
        segments=tuple(_decode_segment(*each) for each in value.pop("segments")),
        **annotations,
        **value,
    )


def _decode_segment(start_seq: int, to_seq: int, kept_seqs: list[int], first_decided_seq: int) -> LogSegment:
    return LogSegment(start_seq, to_seq, tuple(kept_seqs), first_decided_seq)


def encode_annotations(summary: SessionSummary) -> bytes:
    """Return the JSON of what was noted about a session beside its log."""
    exports = [{name: getattr(entry, name) for name in _EXPORT_FIELDS} for entry in summary.exports]
    value = {"given_name": summary.given_name, "exports": exports, "forks": list(summary.forks)}
    return _encode(value).encode("ascii")


def decode_annotations(blob: bytes) -> dict[str, Any]:
    """Return the fields of a summary that were noted beside the log."""
    if not blob:
        return {}
    value = json.loads(blob)
    exports = tuple(ExportEntry(**each) for each in value["exports"])
    return {"given_name": value["given_name"], "exports": exports, "forks": tuple(value["forks"])}


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
    value = json.loads(blob)
    return SessionRows(
        row_count=value["row_count"],
        rows={row["index"]: _row_from_json(row) for row in value["rows"]},
        call_rows=value["call_rows"],
        pending_consents={key: PendingConsent(*each) for key, each in value["pending_consents"].items()},
        denied_rows=set(value["denied_rows"]),
        players=value["players"],
        turn_ids=value["turn_ids"],
        overriding_agents=set(value["overriding_agents"]),
        answer_index=value["answer_index"],
        has_agent_events=value["has_agent_events"],
    )


def to_read_model_columns(read_model: SessionReadModel) -> ColumnValues:
    """Return the columns of a session's read model."""
    summary = read_model.summary
    agents = dict.fromkeys(name for name in (summary.app_name, *summary.agent_names) if name)
    return {
        "status": STATUS_PROJECTIONS[summary.status].protocol.value,
        "session_status": summary.status.value,
        "name": replace_lone_surrogates(summary.name),
        "agent_names": replace_lone_surrogates("".join(f"\n{name}" for name in agents) + "\n"),
        "last_seq": summary.last_seq,
        "last_event_at": to_milliseconds(summary.last_event_at),
        "summary": encode_summary(summary),
        "rows_state": encode_rows_state(read_model.rows),
    }


def to_timeline_rows(session_id: str, rows: Iterable[TimelineRow]) -> list[ColumnValues]:
    """Return what is stored of rows of the timeline."""
    return [
        {"session_id": session_id, "row_index": row.index, "updated_seq": row.updated_seq, "data": encode_row(row)}
        for row in rows
    ]


def to_pending_row(session_id: str, request: PendingRequest) -> ColumnValues:
    """Return the row of a request that waits for a person."""
    return {
        "session_id": session_id,
        "request_id": replace_lone_surrogates(request.request_id),
        "requested_at": to_milliseconds(request.requested_at),
        "position": request.position,
    }
