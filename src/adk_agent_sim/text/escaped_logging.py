"""Loggers whose messages and tracebacks are escaped, whatever handler prints them."""

from __future__ import annotations

import logging

from adk_agent_sim.text.escaping import escape_message

_FORMATTER = logging.Formatter()


def get_logger(name: str) -> logging.Logger:
    """Return the logger of a module; use it instead of `logging.getLogger`.

    A filter of a parent logger would not see the messages of its children, so each logger gets one.
    """
    logger = logging.getLogger(name)
    logger.addFilter(escape_record)  # adding it again has no effect
    return logger


def escape_record(record: logging.LogRecord) -> bool:
    """Escape the message and the traceback of a record in place; returns True, as a filter that keeps the record."""
    record.msg, record.args = escape_message(record.getMessage()), None
    if record.exc_info and not record.exc_text:
        record.exc_text = _FORMATTER.formatException(record.exc_info)
    if record.exc_text:
        record.exc_text = escape_message(record.exc_text)
    return True


class EscapingFormatter(logging.Formatter):
    """Escapes the messages of other packages too."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the escaped text of a record."""
        return escape_message(super().format(record)) if not _is_escaped(record) else super().format(record)


def configure_logging() -> None:
    """Print warnings of all packages on stderr, escaped: the configuration of a server."""
    handler = logging.StreamHandler()
    handler.setFormatter(EscapingFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def escape_default_handler() -> None:
    """Escape what Python prints on stderr as long as no handler is configured."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(EscapingFormatter("%(message)s"))


def _is_escaped(record: logging.LogRecord) -> bool:
    return escape_record in logging.getLogger(record.name).filters
