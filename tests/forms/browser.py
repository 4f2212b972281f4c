"""Prints the corpus as the browser's tests read it: each tool's schema, and arguments that fit it as JSON texts.

To make the file anew:

    PYTHONPATH=src python tests/forms/browser.py > web/src/form/corpus.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def cases() -> Iterator[dict[str, Any]]:
    """The corpus as this ADK declares it."""
    from forms.corpus.signatures import CASES

    from adk_agent_sim.forms.json_schema import read_parameters_schema

    for case in CASES:
        found = case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
        if found is not None:
            yield {
                "name": case.name,
                "schema": read_parameters_schema(json.loads(found.model_dump_json(exclude_none=True))),
                "good": [json.dumps(arguments, separators=(",", ":")) for arguments in case.good],
            }


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
    sys.stdout.write(f"[\n{lines}\n]\n")
