"""Text of documents: plain text unchanged, HTML as Markdown, PDF and others if the extra `documents` is installed."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from mimetypes import MimeTypes
from posixpath import splitext
from typing import Any

from adk_agent_sim.scenario.files.office_documents import (
    MAX_PAGE_BYTES,
    MAX_PARTS,
    DocumentBudget,
    DocumentRefused,
    check_document_size,
    read_docx,
    read_pptx,
    read_xlsx,
)

_PDF_LIBRARY = "pypdf"
"""The only library of the extra `documents`: if it is missing, so is the extra."""

_INLINE_MARKERS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
_BLOCK_TAGS = {"p", "div", "ul", "ol", "table", "pre", "blockquote"}
_HEADING_PREFIXES = {f"h{level}": "#" * level for level in range(1, 7)}
_HIDDEN_TAGS = {"script", "style"}

_KNOWN_TYPES = MimeTypes()
"""The types that Python knows, without those of the host's own tables; and some that most hosts know."""
for _suffix in (".ics", ".markdown", ".md", ".rst"):
    _KNOWN_TYPES.add_type("text/plain", _suffix)


def extract_document_text(path: str, content: bytes) -> str:
    """Return the text of a document.

    Raises:
        ValueError: The file is empty, of an unknown type, or not UTF-8 text or a document that can be read.
    """
    if not content:
        raise ValueError(f"File is empty: {path}")
    kind = splitext(path)[1]
    read_text = _find_reader(kind.lower())
    if read_text is None and _KNOWN_TYPES.guess_type(f"document{kind}")[0] is None:
        raise _build_conversion_error(kind, "NotImplementedError")
    try:
        if read_text is not None:
            return read_text(content)
        text = content.decode()
    except (UnicodeDecodeError, DocumentRefused) as error:
        raise _build_conversion_error(kind, f"{type(error).__name__}: {error}") from None
    if kind.lower() in {".html", ".htm"}:
        return _convert_html_to_markdown(text)
    lines = "\n".join(line.rstrip() for line in re.split(r"\r?\n", text))
    return re.sub(r"\n{3,}", "\n\n", lines)


def _find_reader(kind: str) -> Callable[[bytes], str] | None:
    """Return the function that reads files with this suffix; None if none does, or the extra is missing."""
    return _READERS.get(kind) if find_spec(_PDF_LIBRARY) is not None else None


def _build_conversion_error(kind: str, reason: str) -> ValueError:
    """Return ARE's error for a file that it cannot convert."""
    return ValueError(
        f"Could not convert file to Markdown. File type was recognized as {[kind]}. "
        "While converting the file, the following error was encountered:\n\n"
        f"Traceback (most recent call last):\n{reason}"
    )


def truncate_lines(text: str, limit: int | None) -> str:
    """Return the first lines of a text, with a note of the total if some are omitted."""
    lines = text.split("\n")
    if limit is None or limit <= 0 or len(lines) <= limit:
        return text
    return "\n".join(lines[:limit]) + f"\n\n[Document truncated. Showing {limit} of {len(lines)} lines]"


def _convert_html_to_markdown(html: str) -> str:
    page = _MarkdownConverter()
    page.feed(html)
    page.close()
    title = "".join(page.title)
    return f"# {title}\n{''.join(page.body)}" if title else "".join(page.body)


class _MarkdownConverter(HTMLParser):
    """Converts HTML to Markdown while parsing it."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.body: list[str] = []
        self._open_tags: list[str] = []
        self._link_target = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write the Markdown that starts an element."""
        # Void elements have no end tag, so they must not stay open.
        if tag in {"br", "hr", "img", "meta", "link", "input"}:
            self.body.append("\n" if tag == "br" else "")
            return
        self._open_tags.append(tag)
        if tag in _HEADING_PREFIXES:
            self.body.append(f"\n\n{_HEADING_PREFIXES[tag]} ")
        elif tag == "li":
            self.body.append("* ")
        elif tag == "a":
            self._link_target = dict(attrs).get("href") or ""
            self.body.append("[")
        self.body.append(_INLINE_MARKERS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        """Write the Markdown that ends an element, and of unclosed elements inside it."""
        if tag not in self._open_tags:
            return
        while self._open_tags.pop() != tag:
            pass
        if tag in _HEADING_PREFIXES or tag in _BLOCK_TAGS:
            self.body.append("\n\n")
        elif tag in {"li", "tr"}:
            self.body.append("\n")
        elif tag in {"td", "th"}:
            self.body.append(" | ")
        elif tag == "a":
            self.body.append(f"]({self._link_target})")
        self.body.append(_INLINE_MARKERS.get(tag, ""))

    def handle_data(self, data: str) -> None:
        """Append text to the title or the body."""
        if "title" in self._open_tags:
            self.title.append(data)
        elif "head" not in self._open_tags and not _HIDDEN_TAGS & set(self._open_tags):
            self.body.append(data if "pre" in self._open_tags else _collapse_whitespace(data))


def _collapse_whitespace(text: str) -> str:
    words = " ".join(text.split())
    if not words:
        return " " if text and "\n" not in text else ""
    return (" " if text[0].isspace() else "") + words + (" " if text[-1].isspace() else "")


def read_pdf(content: bytes) -> str:
    """Return the text of the pages of a PDF."""
    pypdf: Any = import_module("pypdf")

    budget = DocumentBudget()
    check_document_size(content)
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        if len(reader.pages) > MAX_PARTS:
            raise DocumentRefused(f"it has more than {MAX_PARTS:,} pages")
        texts: list[str] = []
        for page in reader.pages:
            contents = page.get_contents()
            # pypdf parses a page's program in one go, so its size is bounded before. Running it calls the visitor, also
            # in the forms that it draws, which can contain each other many times over.
            if contents is not None and len(contents.get_data()) > MAX_PAGE_BYTES:
                raise DocumentRefused(f"a page has more than {MAX_PAGE_BYTES:,} bytes")
            texts.append(page.extract_text(visitor_operand_before=budget.check_time))
            budget.add_text(texts[-1])
    except DocumentRefused:
        raise
    # pypdf raises whatever its parser stumbles over in a damaged file.
    except (
        pypdf.errors.PyPdfError,
        RecursionError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
    ) as error:
        raise DocumentRefused(f"it is damaged ({type(error).__name__})") from error
    return "\n\n".join(texts)


_READERS: dict[str, Callable[[bytes], str]] = {
    ".docx": read_docx,
    ".pptx": read_pptx,
    ".xlsx": read_xlsx,
    ".pdf": read_pdf,
}
