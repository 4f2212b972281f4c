"""Recorded facts about the ARE package: its tools, its scenarios and the traces it wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ARE = Path(__file__).parent / "corpus" / "are"


def manifest() -> dict[str, Any]:
    """Every app class with its tools, as the package states them."""
    return json.loads((ARE / "tools_manifest.json").read_text(encoding="utf-8"))
