"""Write the reference as web pages, made from the docstrings: python .ci/reference/build.py [folder [module ...]]

It needs pdoc, which the extra `docs` brings. The front page is the docstring of `rbdkit`, which has the conventions.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy.typing
import pdoc

HERE = Path(__file__).resolve().parent


class ArrayLike:
    """Stands for NumPy's type of that name, which would be written out in a hundred words."""


class NDArray:
    """Likewise."""

    def __class_getitem__(cls, item: Any) -> type:
        return cls


def build(folder: Path, *modules: str) -> Path:
    """Write the pages of these modules, and of what is in them, into a folder; its first page is returned."""
    for kind in (ArrayLike, NDArray):
        kind.__module__ = "numpy.typing"
        setattr(numpy.typing, kind.__name__, kind)
    warnings.filterwarnings("ignore", "Error parsing type annotation", module="pdoc")  # those stay as they are written
    pdoc.render.configure(docformat="numpy", template_directory=HERE)
    rbdkit = importlib.import_module("rbdkit")
    for package in [rbdkit, *(getattr(rbdkit, name) for name in rbdkit.__all__)]:
        for name in getattr(package, "__all__", ()):
            vars(package)[name] = getattr(package, name)  # what is loaded when first used is there now
    pdoc.pdoc(*modules, output_directory=folder)
    return folder / "index.html"


if __name__ == "__main__":
    folder, *modules = sys.argv[1:] or [str(HERE.parents[1] / "build" / "reference")]
    print(build(Path(folder), *(modules or ["rbdkit"])))
