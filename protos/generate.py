"""Makes the classes of `src/adk_agent_sim/generated` from the protos beside this file; `make protos` runs it.

It needs grpcio-tools, which ties protobuf to a version of its own: hence a virtual environment of its own. The folder
given is written anew, so what it holds depends on the protos and the pinned generator only.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

PROTOS = Path(__file__).parent
PACKAGE = "adk_agent_sim.generated"

_OURS = re.compile(r"^from adksim\.", re.MULTILINE)
_NAMES = re.compile(r"^(?:message|enum) (\w+)", re.MULTILINE)
_NOTE = "Made by `make protos`; nothing here is written by hand."


def generate(into: Path) -> None:
    """Write the package of generated classes into the folder `into`."""
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    sources = sorted(path.relative_to(PROTOS).as_posix() for path in PROTOS.rglob("*.proto"))
    _compile(into, sources)
    for path in into.rglob("*.py*"):
        path.write_text(_OURS.sub(f"from {PACKAGE}.adksim.", path.read_text(encoding="utf-8")), encoding="utf-8")
    _packages(into, sources)


def _compile(into: Path, sources: list[str]) -> None:
    outputs = [f"--{kind}_out={into}" for kind in ("python", "pyi")]
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}"]
    subprocess.run([*protoc, *outputs, *sources], check=True)  # noqa: S603 - our own files, no shell
    services = [source for source in sources if re.search("^service ", _text(source), re.MULTILINE)]
    subprocess.run([*protoc, f"--grpc_python_out={into}", *services], check=True)  # noqa: S603 - as above


def _packages(into: Path, sources: list[str]) -> None:
    """Make every folder a package; the one that holds modules exports their messages and enums."""
    for folder in [into, *(path for path in into.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text(f'"""{_NOTE}"""\n', encoding="utf-8")
    for source in sources:
        module = source.removesuffix(".proto").replace("/", ".") + "_pb2"
        names = "".join(f"    {name} as {name},\n" for name in sorted(_NAMES.findall(_text(source))))
        with (into / source).with_name("__init__.py").open("a", encoding="utf-8") as package:
            if names:
                package.write(f"from {PACKAGE}.{module} import (\n{names})\n")


def _text(source: str) -> str:
    return (PROTOS / source).read_text(encoding="utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
