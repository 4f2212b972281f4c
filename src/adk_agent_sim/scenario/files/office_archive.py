"""The parts of an Office document: an archive of XML, read within bounds and without a library."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from posixpath import join, normpath
from xml.parsers import expat

from adk_agent_sim.scenario.files.document_budget import MAX_PARTS, DocumentBudget, DocumentRefused, check_document_size


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
