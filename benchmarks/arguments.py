"""What every benchmark takes on its command line, and the quiet in which it prints its table."""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Sequence


def read(description: str | None, benchmarks: Sequence[str] = ()) -> argparse.Namespace:
    """Read the command line: `quick`, and `benchmarks`, the ones to run; all without any."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the smallest size: shows that it runs, measures nothing")
    if benchmarks:
        parser.add_argument(
            "benchmarks", nargs="*", metavar="BENCHMARK", help=f"what to measure: {', '.join(benchmarks)}; without, all"
        )
    arguments = parser.parse_args()
    if unknown := [name for name in vars(arguments).get("benchmarks", ()) if name not in benchmarks]:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(benchmarks)}")
    be_quiet()
    return arguments


def be_quiet() -> None:
    """Leave out what ADK logs and warns of, which would stand in the middle of the table."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
