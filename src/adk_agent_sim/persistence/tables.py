"""The tables of the database. Values that are searched or sorted have columns; the rest is in serialized messages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, text

from adk_agent_sim.persistence.row_codec import RESPONSE_TYPE
from adk_agent_sim.timeline.read_model.session_summary import ProtocolStatus, SessionStatus

SCHEMA_VERSION = 6
"""The version of the tables below; `migration.py` upgrades older ones."""

metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("created_at", BigInteger, nullable=False),  # milliseconds since 1970
    Column("status", String, nullable=False, server_default=ProtocolStatus.ACTIVE),
    Column("proto_blob", LargeBinary, nullable=False),
    Column("annotations", LargeBinary, nullable=False, server_default=""),  # the name, the exports, the forks
    # The read model, updated with each event, so that listing sessions reads no logs. What lists search has columns.
    Column("session_status", String, nullable=False, server_default=SessionStatus.NEW),
    Column("name", String, nullable=False, server_default=""),
    Column("agent_names", String, nullable=False, server_default=""),  # one per line, between line breaks
    Column("last_seq", BigInteger, nullable=False, server_default="0"),
    Column("last_event_at", BigInteger, nullable=False, server_default="0"),  # milliseconds since 1970
    Column("summary", LargeBinary, nullable=False, server_default=""),
    Column("rows_state", LargeBinary, nullable=False, server_default=""),
    # The code that computed the read model: these columns, and the rows of the two tables below.
    Column("fold_digest", String, nullable=False, server_default=""),
)

Index("idx_sessions_created", sessions.c.created_at, sessions.c.id)
Index("idx_sessions_fold", sessions.c.fold_digest)

pending_requests = Table(
    "pending_requests",
    metadata,
    Column("session_id", String, primary_key=True),
    Column("request_id", String, primary_key=True),
    Column("requested_at", BigInteger, nullable=False),  # milliseconds since 1970
    Column("position", BigInteger, nullable=False),  # the order within the session
)

Index(
    "idx_pending_requested",
    pending_requests.c.requested_at,
    pending_requests.c.session_id,
    pending_requests.c.position,
)

timeline_rows = Table(
    "timeline_rows",
    metadata,
    Column("session_id", String, primary_key=True),
    Column("row_index", BigInteger, primary_key=True),
    Column("updated_seq", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

Index("idx_rows_updated", timeline_rows.c.session_id, timeline_rows.c.updated_seq)

events = Table(
    "events",
    metadata,
    Column("event_id", String, primary_key=True),
    Column("session_id", String, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("timestamp", BigInteger, nullable=False),  # milliseconds since 1970
    Column("turn_id", String, nullable=False),
    Column("payload_type", String, nullable=False),
    Column("proto_blob", LargeBinary, nullable=False),
)

Index("idx_events_session_seq", events.c.session_id, events.c.seq, unique=True)
Index("idx_events_session_time", events.c.session_id, events.c.timestamp)
Index("idx_events_turn", events.c.turn_id)

# A turn has at most one decision, whichever process writes it.
_is_decision = text(f"payload_type = '{RESPONSE_TYPE}'")
Index(
    "idx_events_decision",
    events.c.session_id,
    events.c.turn_id,
    unique=True,
    sqlite_where=_is_decision,
    postgresql_where=_is_decision,
)

blocks = Table(
    "blocks",
    metadata,
    Column("session_id", String, primary_key=True),
    Column("block_id", String, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

access_tokens = Table(
    "access_tokens",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("digest", String, nullable=False),  # the SHA-256 hash, in hex
    Column("created_at", BigInteger, nullable=False),  # milliseconds since 1970
    Column("expires_at", BigInteger, nullable=True),  # milliseconds since 1970; null if it does not expire
    Column("parent_id", String, nullable=False, server_default=""),
)
