"""Collects the text of an Office document while its XML is parsed: paragraphs, shared texts, and rows of a sheet."""

from __future__ import annotations

import re

from adk_agent_sim.scenario.files.document_budget import DocumentBudget


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
