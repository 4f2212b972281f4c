"""Errors of the database behind a timeline."""

from __future__ import annotations

from adk_agent_sim.errors.base import SimulatorError


class StoreFailed(SimulatorError):
    """A database operation failed; nothing was written."""

    def __init__(self, database: str, action: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot {action} {database}: {reason}. {advice}")
        self.database = database
        self.reason = reason


class StoreNotOpened(StoreFailed):
    """The database cannot be used as a store."""

    def __init__(self, database: str, reason: str, advice: str) -> None:
        super().__init__(database, "open the database", reason, advice)


class StoreTooNew(StoreFailed):
    """A newer release wrote the database; it was not changed."""

    def __init__(self, database: str, found_version: int, supported_version: int) -> None:
        super().__init__(
            database,
            "open the database",
            f"its tables have version {found_version}, but this release supports versions up to {supported_version}",
            "Install the newer adksim that wrote it, or choose another database.",
        )
        self.found_version = found_version
        self.supported_version = supported_version


class StoreTooOld(StoreFailed):
    """A development version from before the first release wrote the database; it was not changed."""

    def __init__(self, database: str, found_version: int) -> None:
        super().__init__(
            database,
            "open the database",
            f"a development version wrote it (version {found_version} of the tables), and it was left as it is",
            "Choose another database.",
        )
        self.found_version = found_version
