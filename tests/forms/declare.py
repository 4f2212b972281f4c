"""Prints how the installed ADK declares the corpus, as JSON Lines; `adk_1_39.jsonl` has the output of 1.39.1.

To regenerate that file, in its own environment:

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


def iter_declarations() -> Iterator[dict[str, Any]]:
    """Yield the parameters of every tool that the installed ADK can declare."""
    from forms.corpus.signatures import CASES

    for case in CASES:
        try:
            declared = case.adk_tool()._get_declaration()  # pyright: ignore[reportPrivateUsage]
        except (ValueError, TypeError, RecursionError, AttributeError):
            continue
        if declared is not None:
            yield json.loads(declared.model_dump_json(exclude_none=True, exclude={"description", "response"}))


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    for each in iter_declarations():
        sys.stdout.write(json.dumps(each, separators=(",", ":")) + "\n")
