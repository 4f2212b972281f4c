"""Prints how the installed ADK declares the corpus, one JSON object a line; `adk_1_39.jsonl` holds what 1.39.1 says.

To make that file anew, in an environment of its own:

    python -m venv older && older/bin/pip install google-adk==1.39.1
    older/bin/python tests/forms/declare.py > tests/forms/adk_1_39.jsonl
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def declarations() -> Iterator[dict[str, Any]]:
    """The parameters of every tool that this ADK can declare."""
    from forms.corpus.signatures import CASES

    for case in CASES:
        try:
            found = case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
        except (ValueError, TypeError, RecursionError, AttributeError):
            continue
        if found is not None:
            yield json.loads(found.model_dump_json(exclude_none=True, exclude={"description", "response"}))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    for declared in declarations():
        sys.stdout.write(json.dumps(declared, separators=(",", ":")) + "\n")
