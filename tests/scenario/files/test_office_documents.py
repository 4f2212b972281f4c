"""PDF and Office documents become text, and hostile ones are refused within bounds."""

from __future__ import annotations

import importlib
import io
import sys
import zipfile
from pathlib import Path

import pytest

from adk_agent_sim.scenario.files import document, office_documents
from adk_agent_sim.scenario.files import document as document_text
from adk_agent_sim.scenario.files.document import extract_document_text, read_pdf
from adk_agent_sim.scenario.files.office_documents import DocumentRefused, read_docx, read_pptx, read_xlsx

_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_DRAWING = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def _build_archive(**parts: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def _build_docx(body: str) -> bytes:
    return _build_archive(**{"word/document.xml": f"<w:document {_WORD}><w:body>{body}</w:body></w:document>"})


def _write_paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def _build_pdf(text: str, *, page_count: int = 1) -> bytes:
    program = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    kids = " ".join(f"{4 + number} 0 R" for number in range(page_count))
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 3 0 R /Resources << /Font << /F1 "
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {page_count} >>".encode(),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(program), program),
        *[page] * page_count,
    ]
    file, offsets = b"%PDF-1.4\n", list[int]()
    for number, each in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def test_paragraphs_and_tables_of_a_word_document_are_read() -> None:
    cells = "".join(f"<w:tc>{_write_paragraph(text)}</w:tc>" for text in ("Rent", "900 &amp; more"))
    text = _write_paragraph("Contract") + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    broken = "<w:p><w:r><w:t>one</w:t><w:br/><w:t>two</w:t></w:r></w:p>"

    assert read_docx(_build_docx(text + broken)) == "Contract\nRent | 900 & more\none\ntwo"


def test_a_table_in_a_cell_is_a_part_of_the_cell() -> None:
    inner = "".join(f"<w:tr><w:tc>{_write_paragraph(text)}</w:tc></w:tr>" for text in ("in 1", "in 2"))
    cells = (_write_paragraph("A"), f"<w:tbl>{inner}</w:tbl>{_write_paragraph('B')}", _write_paragraph("C"))
    outer = "".join(f"<w:tc>{cell}</w:tc>" for cell in cells)
    text = f"<w:tbl><w:tr>{outer}</w:tr></w:tbl>{_write_paragraph('after')}"

    assert read_docx(_build_docx(text)) == "A | in 1 in 2 B | C\nafter"


def test_slides_are_read_in_their_order() -> None:
    slides = {
        f"ppt/slides/slide{number}.xml": f"<a:sld {_DRAWING}><a:p><a:r><a:t>Point {number}</a:t></a:r></a:p></a:sld>"
        for number in (10, 2, 1)
    }

    assert read_pptx(_build_archive(**slides)) == (
        "## Slide 1\n\nPoint 1\n\n## Slide 2\n\nPoint 2\n\n## Slide 3\n\nPoint 10"
    )


def _write_relationships(kind: str, **targets: str) -> str:
    namespace = "http://schemas.openxmlformats.org/package/2006/relationships"
    each = (f'<Relationship Id="{key}" Type="{_LINKS}/{kind}" Target="{to}"/>' for key, to in targets.items())
    return f'<Relationships xmlns="{namespace}">{"".join(each)}</Relationships>'


def test_slides_are_read_in_the_order_of_the_presentation() -> None:
    slides = {
        f"ppt/slides/slide{number}.xml": f"<a:sld {_DRAWING}><a:p><a:r><a:t>Point {number}</a:t></a:r></a:p></a:sld>"
        for number in (1, 2, 3)
    }
    listed = '<p:sldId id="256" r:id="r2"/><p:sldId id="257" r:id="r1"/>'
    presentation = f'<p:presentation xmlns:p="p" xmlns:r="{_LINKS}"><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>'
    relationships = _write_relationships("slide", r1="slides/slide1.xml", r2="/ppt/slides/slide2.xml")

    archive = _build_archive(
        **slides, **{"ppt/presentation.xml": presentation, "ppt/_rels/presentation.xml.rels": relationships}
    )

    assert read_pptx(archive) == "## Slide 1\n\nPoint 2\n\n## Slide 2\n\nPoint 1"


def test_sheets_have_their_own_titles_in_the_order_of_the_workbook() -> None:
    sheets = {
        f"xl/worksheets/sheet{number}.xml": f"<worksheet {_SHEET}><row><c><v>{number}</v></c></row></worksheet>"
        for number in (1, 2)
    }
    listed = '<sheet name="Second" r:id="r2"/><sheet name="Chart" r:id="r3"/><sheet name="First" r:id="r1"/>'
    relationships = _write_relationships("worksheet", r1="worksheets/sheet1.xml", r2="worksheets/sheet2.xml")
    workbook = f'<workbook {_SHEET} xmlns:r="{_LINKS}"><sheets>{listed}</sheets></workbook>'

    archive = _build_archive(**sheets, **{"xl/workbook.xml": workbook, "xl/_rels/workbook.xml.rels": relationships})

    assert read_xlsx(archive) == "## Second\n\n2\n\n## First\n\n1"


def test_rows_of_a_workbook_are_read_with_shared_texts_and_empty_columns() -> None:
    row = '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>4.5</v></c><c r="D1" t="b"><v>1</v></c></row>'
    inline = '<row><c r="A2" t="inlineStr"><is><t>here</t></is></c></row>'
    workbook = _build_archive(
        **{
            "xl/workbook.xml": f'<workbook {_SHEET}><sheets><sheet name="Costs" sheetId="1"/></sheets></workbook>',
            "xl/sharedStrings.xml": f"<sst {_SHEET}><si><t>Ren</t><t>t</t></si></sst>",
            "xl/worksheets/sheet1.xml": f"<worksheet {_SHEET}><sheetData>{row}{inline}</sheetData></worksheet>",
        }
    )

    assert read_xlsx(workbook) == "## Costs\n\nRent |  | 4.5 | TRUE\nhere"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK but no archive", "not an Office document"),
        (_build_archive(other="x"), "has no part document.xml"),
        (_build_docx("<w:p>"), "XML is damaged"),
        (_build_docx("</w:p>"), "XML is damaged"),
        (_build_archive(**{"word/document.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "document type"),
        (_build_docx(" " * (office_documents.MAX_XML_BYTES + 1)), "unpacks to more than"),
        (_build_docx(_write_paragraph("a" * (office_documents.MAX_TEXT_CHARS + 1))), "characters of text"),
        (b"a" * (office_documents.MAX_DOCUMENT_BYTES + 1), "larger than"),
    ],
    ids=["no zip", "no part", "unclosed", "not opened", "entities", "bomb", "long text", "large"],
)
def test_hostile_documents_are_refused(content: bytes, why: str) -> None:
    with pytest.raises(DocumentRefused, match=why):
        read_docx(content)


def test_a_cell_far_to_the_right_costs_no_more_than_the_widest_sheet() -> None:
    rows = '<row><c r="ZZZ1"><v>1</v></c></row>' * 100
    sheet = f"<worksheet {_SHEET}><sheetData>{rows}</sheetData></worksheet>"
    workbook = {"xl/workbook.xml": f"<workbook {_SHEET}/>", "xl/worksheets/sheet1.xml": sheet}

    with pytest.raises(DocumentRefused, match="characters of text"):
        read_xlsx(_build_archive(**workbook))


def test_documents_are_read_only_with_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = _build_docx(_write_paragraph("Hello"))
    monkeypatch.setattr(document_text, "_PDF_LIBRARY", "a_library_that_is_not_installed")
    with pytest.raises(ValueError, match=r"File type was recognized as \['.docx'\]"):
        extract_document_text("/a.docx", document)

    (tmp_path / "stand_in_for_the_extra.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    monkeypatch.setattr(document_text, "_PDF_LIBRARY", "stand_in_for_the_extra")
    assert extract_document_text("/A.DOCX", document) == "Hello"
    with pytest.raises(ValueError, match=r"DocumentRefused: it is not an Office document"):
        extract_document_text("/a.pptx", b"\xff\xfe")


def test_pages_of_a_pdf_are_read_and_damaged_ones_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_pdf(_build_pdf("Hello from a PDF", page_count=2)) == "Hello from a PDF\n\nHello from a PDF"
    with pytest.raises(DocumentRefused, match="damaged"):
        read_pdf(b"%PDF-1.4 and nothing")
    monkeypatch.setattr(document, "MAX_PARTS", 1)
    with pytest.raises(DocumentRefused, match="more than 1 pages"):
        read_pdf(_build_pdf("Hello", page_count=2))
