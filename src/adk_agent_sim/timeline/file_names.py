"""Makes file names from names that come from outside: of agents, sessions, cases and scenarios.

The only place that does so, for the command line and the browser. A name made here is one component of a path, on every
system: no separator, no device name of Windows, no hidden file, and short enough for a suffix.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from pathlib import Path

MAX_BYTES = 120
"""The length of a name in UTF-8; file systems allow 255, and extensions, locks and temporary files add to it."""

_UNSAFE = re.compile(r"[^\w .+@=,-]+")

_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin|conout|clock|(?:com|lpt)[0-9¹²³])(?=[ .]|$)", re.IGNORECASE)


def to_file_stem(name: str, fallback: str = "agent") -> str:
    """Return a name as the beginning of a file name; `fallback` if nothing of it can be used."""
    # A dot in front hides a file, and Windows drops dots and spaces at the end of a name.
    stem = _UNSAFE.sub("_", name).strip(" .")
    if not stem.strip("_"):
        return fallback
    # Commands would take a name with a dash in front for an option.
    if _WINDOWS_DEVICE.match(stem) or stem.startswith("-"):
        stem = f"_{stem}"
    if len(stem.encode()) <= MAX_BYTES:
        return stem
    # Two long names that begin alike must not become the same file.
    digest = blake2b(name.encode(errors="surrogatepass"), digest_size=4).hexdigest()
    return f"{stem.encode()[: MAX_BYTES - 9].decode(errors='ignore').rstrip(' .')}_{digest}"


def to_snake_case(name: str) -> str:
    """Return a name in snake case: `MathAgent` and `Math Agent` become `math_agent`."""
    words = re.sub(r"(?<=[^A-Z_])(?=[A-Z])", "_", name).lower()
    return re.sub(r"[^a-z0-9]+", "_", words).strip("_") or "agent"


def find_unused_path(folder: Path, name: str, extension: str, fallback: str = "agent") -> Path:
    """Return a path in the folder, named after `name`, that does not exist, not even as a broken link."""
    stem = to_file_stem(name, fallback)
    path, number = folder / f"{stem}{extension}", 1
    while path.exists() or path.is_symlink():
        number += 1
        path = folder / f"{stem}_{number}{extension}"
    return path
