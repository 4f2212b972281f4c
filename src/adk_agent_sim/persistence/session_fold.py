"""Folds the read model of a stored session from its log again: the one that is stored was computed by other code.

    events --read_stored_event--> summary and rows --to_read_model_columns ...--> stored with the digest of this code

Rows and summary of a session have one digest: they are folded together and stored in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from adk_agent_sim.persistence.code_digest import digest_code
from adk_agent_sim.persistence.read_model_codec import to_pending_row, to_read_model_columns, to_timeline_rows
from adk_agent_sim.persistence.row_codec import read_stored_event
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.events import Event, Session
from adk_agent_sim.timeline.read_model.session_read_model import SessionReadModel
from adk_agent_sim.timeline.read_model.session_summary import SessionSummary, create_summary
from adk_agent_sim.timeline.read_model.timeline_row import TimelineRow

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FoldedSession:
    """The read model of a session as this code computes it."""

    read_model: SessionReadModel
    rows: Sequence[TimelineRow]
    """All rows."""


@cache
def get_fold_digest() -> str:
    """Return the digest of the code by which this process folds sessions."""
    return digest_code(*FOLD_ROOTS)


def fold_session(session: Session, annotations: Mapping[str, Any], pages: Iterable[Sequence[Event]]) -> FoldedSession:
    """Fold a session from its log, which is read page by page; one whose fold fails is broken, with the reason."""
    annotated = replace(create_summary(session), **annotations)
    read_model = SessionReadModel(annotated)
    rows: dict[int, TimelineRow] = {}
    for page in pages:
        try:
            noted_rows = [rows[index] for index in read_model.list_missing_rows(page)]
            read_model = read_model.with_events(page, noted_rows)
        except Exception as error:  # noqa: BLE001 - no event may do that, but lists must still show all other sessions
            _log.exception("Session %s cannot be shown", session.session_id)
            return _describe_failure(annotated, [*pages, page], error)
        rows.update((row.index, row) for row in read_model.changed_rows)
    return FoldedSession(read_model, list(rows.values()))


def _describe_failure(
    annotated: SessionSummary, remaining: Sequence[Sequence[Event]], error: Exception
) -> FoldedSession:
    last_seq = max(event.seq for page in remaining for event in page)
    reason = f"The session cannot be shown: {error!r}"
    return FoldedSession(
        SessionReadModel(replace(annotated, is_broken=True, failure=reason, last_seq=last_seq)), rows=()
    )


FOLD_ROOTS = (read_stored_event, fold_session, to_read_model_columns, to_timeline_rows, to_pending_row)
"""What reads the events of a session, folds them, and writes what is stored of the result."""
