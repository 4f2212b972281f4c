"""Makes the classes of `src/adk_agent_sim/generated` from the protos beside this file; `make protos` runs it.

It needs grpcio-tools, which ties protobuf to a version of its own: hence a virtual environment of its own. The folder
given is rewritten, so what it holds depends on the protos and the pinned generator only.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

PROTO_FOLDER = Path(__file__).parent
PACKAGE = "adk_agent_sim.generated"

_OWN_IMPORT = re.compile(r"^from adksim\.", re.MULTILINE)
_DEFINITION = re.compile(r"^(?:message|enum) (\w+)", re.MULTILINE)
_PACKAGE_DOCSTRING = "Made by `make protos`; nothing here is written by hand."


def generate(output: Path) -> None:
    """Write the package of generated classes into the folder `into`."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    sources = sorted(path.relative_to(PROTO_FOLDER).as_posix() for path in PROTO_FOLDER.rglob("*.proto"))
    _run_protoc(output, sources)
    for path in output.rglob("*.py*"):
        path.write_text(_OWN_IMPORT.sub(f"from {PACKAGE}.adksim.", path.read_text(encoding="utf-8")), encoding="utf-8")
    _write_packages(output, sources)


def _run_protoc(output: Path, sources: list[str]) -> None:
    outputs = [f"--{kind}_out={output}" for kind in ("python", "pyi")]
    protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO_FOLDER}"]
    subprocess.run([*protoc, *outputs, *sources], check=True)  # noqa: S603 - our own files, no shell
    services = [source for source in sources if re.search("^service ", _read_source(source), re.MULTILINE)]
    subprocess.run([*protoc, f"--grpc_python_out={output}", *services], check=True)  # noqa: S603 - as above


def _write_packages(output: Path, sources: list[str]) -> None:
    """Make every folder a package; the one that holds modules exports their messages and enums."""
    for folder in [output, *(path for path in output.rglob("*") if path.is_dir())]:
        (folder / "__init__.py").write_text(f'"""{_PACKAGE_DOCSTRING}"""\n', encoding="utf-8")
    for source in sources:
        module = source.removesuffix(".proto").replace("/", ".") + "_pb2"
        names = "".join(f"    {name} as {name},\n" for name in sorted(_DEFINITION.findall(_read_source(source))))
        with (output / source).with_name("__init__.py").open("a", encoding="utf-8") as package:
            if names:
                package.write(f"from {PACKAGE}.{module} import (\n{names})\n")


def _read_source(source: str) -> str:
    return (PROTO_FOLDER / source).read_text(encoding="utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1]))
