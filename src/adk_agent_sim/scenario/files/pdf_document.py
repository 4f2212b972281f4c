"""Text of PDF documents, read by pypdf within bounds of size and time."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

from adk_agent_sim.scenario.files.document_budget import (
    MAX_PAGE_BYTES,
    MAX_PARTS,
    DocumentBudget,
    DocumentRefused,
    check_document_size,
)


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
