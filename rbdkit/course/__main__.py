"""Work on the course: ``python -m rbdkit.course headers``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rbdkit.course import headers

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def main(arguments: list[str] | None = None) -> int:
    """Do one of the jobs, named by the first argument."""
    parser = argparse.ArgumentParser(prog="python -m rbdkit.course", description=__doc__)
    jobs = parser.add_subparsers(dest="job", required=True)
    writing = jobs.add_parser("headers", help="write headers, footers and hints of the notebooks from the table")
    writing.add_argument("folder", nargs="?", type=Path, default=NOTEBOOKS, help="where the notebooks lie")
    chosen = parser.parse_args(arguments)
    for file in headers.write(chosen.folder):
        print(f"{file.relative_to(chosen.folder)} is up to date now")
    return 0


if __name__ == "__main__":
    sys.exit(main())
