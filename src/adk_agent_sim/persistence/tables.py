"""The tables of the database. Values that are searched or sorted have columns; the rest is in serialized messages."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, text

from adk_agent_sim.persistence.row_codec import RESPONSE_TYPE

SCHEMA_VERSION = 2
"""The version of the tables below; `migration.py` upgrades older ones."""

STATUS_ACTIVE = "active"
STATUS_COMPLETED = "completed"
STATUS_CANCELLED = "cancelled"

metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("created_at", BigInteger, nullable=False),  # milliseconds since 1970
    Column("status", String, nullable=False, server_default=STATUS_ACTIVE),
    Column("proto_blob", LargeBinary, nullable=False),
    # The status, updated with each event, so that listing sessions reads no logs.
    Column("standing", String, nullable=False, server_default="running"),
    Column("agent_name", String, nullable=False, server_default=""),
    Column("waiting", Integer, nullable=False, server_default="0"),
    Column("last_seq", BigInteger, nullable=False, server_default="0"),
    Column("last_event_at", BigInteger, nullable=False, server_default="0"),  # milliseconds since 1970
)

Index("idx_sessions_created", sessions.c.created_at, sessions.c.id)

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
