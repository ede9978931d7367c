"""Prepare a checkout for its release: ``python .ci/release.py TAG ADDRESS``, as the workflow `release` does.

It refuses a tag that is not that of the version, and a version that the changelog calls unreleased. Links of the README
into the repository become absolute, at this tag: the pages of PyPI have no files beside them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)]+\))")


def check(tag: str, root: Path) -> None:
    """Refuse a tag under which this checkout must not be released."""
    found = re.search(r'^__version__ = "(.+)"$', (root / "rbdkit" / "__init__.py").read_text(encoding="utf-8"), re.M)
    version = found[1] if found else ""
    if tag != f"v{version}":
        raise SystemExit(
            f"the tag is {tag!r}, but rbdkit.__version__ is {version!r}: tag it 'v{version}', or change it"
        )
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.M):
        raise SystemExit(
            f"CHANGELOG.md has no date for {version}: write '## [{version}] - ' and the day of the release"
        )


def absolute(text: str, address: str, tag: str) -> str:
    """Return a page whose links into the repository are absolute; those of pictures lead to the file itself."""

    def lengthened(link: re.Match[str]) -> str:
        picture, words, target = link.groups()
        return f"{picture}{words}{address}/{'raw' if picture else 'blob'}/{tag}/{target}"

    return LINK.sub(lengthened, text)


def main(tag: str, address: str) -> None:
    """Check the tag, and rewrite README.md."""
    check(tag, ROOT)
    page = ROOT / "README.md"
    page.write_text(absolute(page.read_text(encoding="utf-8"), address.rstrip("/"), tag), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
