"""The bounds of size and time within which documents are read, and the error of those that exceed them.

A document may come from a model or a stranger: archives that unpack to gigabytes, XML that declares entities, and
pages without end are refused.
"""

from __future__ import annotations

import time

MAX_DOCUMENT_BYTES = 20_000_000
MAX_XML_BYTES = 30_000_000
"""The most that the parts of an archive that are read may unpack to, together."""
MAX_PAGE_BYTES = 2_000_000
"""The most that the program of a page of a PDF may unpack to."""
MAX_TEXT_CHARS = 2_000_000
MAX_PARTS = 2_000
"""The most slides, sheets or pages."""
MAX_SECONDS = 10.0
"""The most processor time that one document may take."""


class DocumentRefused(ValueError):
    """A document is damaged or exceeds a bound."""


class DocumentBudget:
    """Counts what reading one document has taken."""

    def __init__(self) -> None:
        self._bytes = 0
        self._chars = 0
        # Processor time, so that a busy host does not make a document unreadable.
        self._deadline = time.process_time() + MAX_SECONDS

    def add_bytes(self, count: int) -> None:
        """Count bytes that were unpacked."""
        self._bytes += count
        if self._bytes > MAX_XML_BYTES:
            raise DocumentRefused(f"it unpacks to more than {MAX_XML_BYTES:,} bytes")
        self.check_time()

    def add_text(self, text: str) -> None:
        """Count text that was found."""
        self._chars += len(text)
        if self._chars > MAX_TEXT_CHARS:
            raise DocumentRefused(f"it has more than {MAX_TEXT_CHARS:,} characters of text")
        self.check_time()

    def check_time(self, *_: object) -> None:
        """Raise DocumentRefused if reading takes too long; pypdf calls this with what it reads."""
        if time.process_time() > self._deadline:
            raise DocumentRefused(f"reading it takes more than {MAX_SECONDS:g} s")


def check_document_size(content: bytes) -> None:
    """Raise DocumentRefused if a document is too large to be opened."""
    if len(content) > MAX_DOCUMENT_BYTES:
        raise DocumentRefused(f"it is larger than {MAX_DOCUMENT_BYTES:,} bytes")
