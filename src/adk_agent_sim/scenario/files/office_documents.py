"""Text of Word, PowerPoint and Excel documents, read without a library.

The text is what a reader would look for, not what ARE's converter returns.
"""

from __future__ import annotations

from adk_agent_sim.scenario.files.document_budget import DocumentBudget, DocumentRefused
from adk_agent_sim.scenario.files.office_archive import PartList, open_office_archive, parse_xml, read_part
from adk_agent_sim.scenario.files.office_text import Paragraphs, SharedStrings, SheetRows


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
