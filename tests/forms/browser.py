"""Prints the corpus for the tests of the browser app: each tool's schema, and valid arguments as JSON texts.

To regenerate the file:

    PYTHONPATH=src python tests/forms/browser.py > web/src/form/corpus.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def iter_cases() -> Iterator[dict[str, Any]]:
    """Yield the corpus as the installed ADK declares it."""
    from forms.corpus.signatures import CASES

    from adk_agent_sim.forms.json_schema import read_parameters_schema

    for case in CASES:
        declaration = case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
        if declaration is not None:
            yield {
                "name": case.name,
                "schema": read_parameters_schema(json.loads(declaration.model_dump_json(exclude_none=True))),
                "good": [json.dumps(arguments, separators=(",", ":")) for arguments in case.good],
            }


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in iter_cases())
    sys.stdout.write(f"[\n{lines}\n]\n")
