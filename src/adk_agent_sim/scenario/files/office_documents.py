"""Text of Word, PowerPoint and Excel documents, read within bounds and without a library.

The text is what a reader would look for, not what ARE's converter returns.
A document may come from a model or a stranger: archives that unpack to gigabytes, XML that declares entities, and
pages without end are refused.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from posixpath import join, normpath
from xml.parsers import expat

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


class Paragraphs:
    """Collects the paragraphs of a document as lines."""

    def __init__(self, paragraph: str, text: str, marks: dict[str, str], budget: DocumentBudget) -> None:
        self._paragraph = paragraph
        self._text = text
        self._marks = marks
        self._budget = budget
        self._lines: list[str] = []
        self._line: list[str] = []
        self._rows: list[list[list[str]]] = []
        """The cells of the open rows; a cell may contain a table, whose rows come after."""
        self._is_text = False

    def start(self, tag: str, _: dict[str, str]) -> None:
        """Handle the start of an element."""
        self._is_text = tag == self._text
        if tag in self._marks:
            self._line.append(self._marks[tag])
        elif tag == "tr":
            self._rows.append([])
        elif tag == "tc" and self._rows:
            self._rows[-1].append([])

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        self._is_text = False
        if tag == self._paragraph:
            self._add_line("".join(self._line).rstrip())
            self._line.clear()
        elif tag == "tr":
            cells = self._rows.pop()
            # Each table around another one repeats its text, so that deep nesting takes time and not only text.
            self._budget.check_time()
            self._add_line(" | ".join(" ".join(cell).strip() for cell in cells))

    def _add_line(self, line: str) -> None:
        """Add a line to the innermost open cell, or to the document."""
        if self._rows and self._rows[-1]:
            self._rows[-1][-1].append(line)
        else:
            self._lines.append(line)

    def data(self, text: str) -> None:
        """Handle text inside of an element."""
        if self._is_text:
            self._budget.add_text(text)
            self._line.append(text)

    def finish(self) -> str:
        """Return the text."""
        return "\n".join(self._lines).strip("\n")


class SharedStrings:
    """Collects the texts that cells refer to by number."""

    def __init__(self, budget: DocumentBudget) -> None:
        self.texts: list[str] = []
        self._budget = budget
        self._parts: list[str] = []
        self._is_text = False
        self._is_phonetic = False

    def start(self, tag: str, _: dict[str, str]) -> None:
        """Handle the start of an element."""
        self._is_text = tag == "t"
        # `rPh` holds the reading of East Asian text, which would repeat the text in another script.
        self._is_phonetic = self._is_phonetic or tag == "rPh"

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        self._is_text = False
        if tag == "rPh":
            self._is_phonetic = False
        elif tag == "si":
            self.texts.append("".join(self._parts))
            self._parts.clear()

    def data(self, text: str) -> None:
        """Handle text inside of an element."""
        if self._is_text and not self._is_phonetic:
            self._budget.add_text(text)
            self._parts.append(text)


class SheetRows:
    """Collects the rows of a sheet as lines. Columns that a row leaves out stay empty, up to the last one it has."""

    def __init__(self, shared: list[str], budget: DocumentBudget) -> None:
        self.lines: list[str] = []
        self._shared = shared
        self._budget = budget
        self._cells: list[str] = []
        self._value: list[str] = []
        self._cell_type = ""
        self._is_value = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if tag == "row":
            self._cells = []
        elif tag == "c":
            self._cell_type = attributes.get("t", "n")
            self._value.clear()
            column = _parse_column(attributes.get("r", ""))
            self._cells += [""] * (column - len(self._cells))
        self._is_value = tag in ("v", "t")

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        self._is_value = False
        if tag == "c":
            text = self._resolve("".join(self._value))
            self._budget.add_text(text)
            self._cells.append(text)
        elif tag == "row" and any(self._cells):
            self.lines.append(" | ".join(self._cells))
            # A row of empty cells is text, too, and may have 16,384 of them.
            self._budget.add_text(" | " * len(self._cells))

    def data(self, text: str) -> None:
        """Handle text inside of an element."""
        if self._is_value:
            self._value.append(text)

    def _resolve(self, value: str) -> str:
        if self._cell_type == "b":
            return "TRUE" if value == "1" else "FALSE"
        if self._cell_type != "s":
            return value
        number = int(value) if re.fullmatch(r"\d{1,9}", value) else -1
        return self._shared[number] if 0 <= number < len(self._shared) else ""


def _parse_column(reference: str) -> int:
    """Return the position of a cell's column, 0 for A; sheets have at most 16,384 columns."""
    letters = re.match(r"[A-Z]{1,3}", reference)
    number = 0
    for letter in letters[0] if letters else "":
        number = number * 26 + ord(letter) - 64
    return min(max(0, number - 1), 16_383)


def open_office_archive(content: bytes) -> zipfile.ZipFile:
    """Open the archive that an Office document is."""
    check_document_size(content)
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentRefused("it is not an Office document") from error


def _list_parts(archive: zipfile.ZipFile, pattern: str) -> list[str]:
    found = [(int(match[1]), match[0]) for name in archive.namelist() if (match := re.fullmatch(pattern, name))]
    if len(found) > MAX_PARTS:
        raise DocumentRefused(f"it has more than {MAX_PARTS:,} parts")
    return [name for _, name in sorted(found)]


def read_part(archive: zipfile.ZipFile, name: str, budget: DocumentBudget) -> Iterator[bytes]:
    """Yield the content of a part. The size that the archive declares may be wrong, so what comes out is counted."""
    try:
        with archive.open(name) as part:
            while piece := part.read(65_536):
                budget.add_bytes(len(piece))
                yield piece
    except KeyError as error:
        raise DocumentRefused(f"it has no part {PurePosixPath(name).name}") from error
    # zipfile raises RuntimeError for encrypted parts.
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, zlib.error) as error:
        raise DocumentRefused("it is damaged") from error


def parse_xml(
    pieces: Iterator[bytes],
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    data: Callable[[str], None],
) -> None:
    """Parse XML that declares no entities; tags have no prefix."""
    # With a separator, expat resolves prefixes, which every document may choose freely.
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: start(_strip_namespace(tag), attributes)
    parser.EndElementHandler = lambda tag: end(_strip_namespace(tag))
    parser.CharacterDataHandler = data
    parser.StartDoctypeDeclHandler = _refuse_declaration
    try:
        for piece in pieces:
            parser.Parse(piece, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise DocumentRefused("its XML is damaged") from error


def _refuse_declaration(*_: object) -> None:
    raise DocumentRefused("its XML has a document type, which Office documents do not have")


def _strip_namespace(tag: str) -> str:
    return tag.rpartition(" ")[2]


class PartList:
    """The sheets or slides that a document lists, in its order, which the numbers in the names of parts do not say."""

    def __init__(self, tag: str, kind: str) -> None:
        self.names: list[str] = []
        self._tag = tag
        self._kind = kind
        self._listed: list[tuple[str, str]] = []
        self._targets: dict[str, str] = {}

    def read(self, archive: zipfile.ZipFile, owner: str, budget: DocumentBudget) -> None:
        """Read the part with the list, and the one that says which parts are meant."""
        folder, _, name = owner.rpartition("/")
        for part in (owner, f"{folder}/_rels/{name}.rels"):
            if part not in archive.namelist():
                continue
            parse_xml(read_part(archive, part, budget), self.start, lambda _: None, lambda _: None)
        self._targets = {key: normpath(join("/", folder, target))[1:] for key, target in self._targets.items()}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if tag == self._tag:
            key = next((value for name, value in attributes.items() if name.endswith("/relationships id")), "")
            self._listed.append((attributes.get("name", ""), key))
        elif tag == "Relationship" and attributes.get("Type", "").endswith(f"/{self._kind}"):
            self._targets[attributes.get("Id", "")] = attributes.get("Target", "")

    def find_parts(self, archive: zipfile.ZipFile, pattern: str) -> list[str]:
        """Return the parts, and set `names`; without a list, these are the parts of a pattern by their number."""
        existing = {*archive.namelist()}
        found = [(name, self._targets[key]) for name, key in self._listed if self._targets.get(key) in existing]
        if len(found) > MAX_PARTS:
            raise DocumentRefused(f"it has more than {MAX_PARTS:,} parts")
        self.names = [name for name, _ in found or self._listed]
        return [part for _, part in found] or _list_parts(archive, pattern)


def read_docx(content: bytes) -> str:
    """Return the paragraphs of a Word document, cells of a table row separated by ` | `."""
    budget = DocumentBudget()
    with open_office_archive(content) as archive:
        paragraphs = Paragraphs("p", "t", {"tab": "\t", "br": "\n", "cr": "\n"}, budget)
        parse_xml(read_part(archive, "word/document.xml", budget), paragraphs.start, paragraphs.end, paragraphs.data)
    return paragraphs.finish()


def read_pptx(content: bytes) -> str:
    """Return the paragraphs of a presentation, slide by slide."""
    budget = DocumentBudget()
    slides: list[str] = []
    with open_office_archive(content) as archive:
        parts = PartList("sldId", "slide")
        parts.read(archive, "ppt/presentation.xml", budget)
        for number, part in enumerate(parts.find_parts(archive, r"ppt/slides/slide(\d+)\.xml"), start=1):
            paragraphs = Paragraphs("p", "t", {"br": "\n"}, budget)
            parse_xml(read_part(archive, part, budget), paragraphs.start, paragraphs.end, paragraphs.data)
            slides.append(f"## Slide {number}\n\n{paragraphs.finish()}")
    if not slides:
        raise DocumentRefused("it has no slides")
    return "\n\n".join(slides)


def read_xlsx(content: bytes) -> str:
    """Return the rows of a workbook, sheet by sheet, cells separated by ` | `."""
    budget = DocumentBudget()
    with open_office_archive(content) as archive:
        shared = SharedStrings(budget)
        if "xl/sharedStrings.xml" in archive.namelist():
            parse_xml(read_part(archive, "xl/sharedStrings.xml", budget), shared.start, shared.end, shared.data)
        parts = PartList("sheet", "worksheet")
        parts.read(archive, "xl/workbook.xml", budget)
        sheets: list[str] = []
        for number, part in enumerate(parts.find_parts(archive, r"xl/worksheets/sheet(\d+)\.xml")):
            rows = SheetRows(shared.texts, budget)
            parse_xml(read_part(archive, part, budget), rows.start, rows.end, rows.data)
            title = parts.names[number] if number < len(parts.names) else f"Sheet {number + 1}"
            sheets.append("\n".join([f"## {title}", "", *rows.lines]))
    if not sheets:
        raise DocumentRefused("it has no sheets")
    return "\n\n".join(sheets)
