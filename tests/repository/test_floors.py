"""Imports point one way: each package of rbdkit stands on a floor and knows only its own and those below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "rbdkit"
COURSE = ROOT / "notebooks" / "rbdkit_course"

FLOORS = [
    {"atomic_write", "errors", "loaded"},
    {"trace"},
    {"meshes", "spatial"},
    {"collision", "constraints", "forces", "joints"},
    {"model"},
    {"algorithms"},
    {"engine", "formats"},
    {"actuation", "assembly", "freedom", "functions", "inspection", "library", "reaching", "results"},
    {"costs", "derivatives"},
    {"formulations"},
    {"integrators"},
    {"laws"},
    {"accuracy", "drafting", "formulas", "identification", "linearization", "simulation"},
    {"scene"},
    {"figures", "pictures", "stepping"},
    {"export", "widgets"},
]
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}
DRAWING = {"IPython", "anywidget", "ipydatawidgets", "ipywidgets", "matplotlib", "pythreejs"}
LOWEST_DRAWING_FLOOR = FLOOR_OF["simulation"]


def sources() -> list[Path]:
    """Every file but the front door, rbdkit/__init__.py, which shows names of all floors."""
    return [file for file in sorted(PACKAGE.rglob("*.py")) if file != PACKAGE / "__init__.py"]


def home(file: Path) -> str:
    """The package of rbdkit, or the module beside them, that a file belongs to."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything that a file imports, inside functions too."""
    top = COURSE if COURSE in file.parents else PACKAGE
    package = [top.name, *file.relative_to(top).parent.parts]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def test_every_package_has_a_floor():
    assert {home(file) for file in sources()} <= set(FLOOR_OF)


def test_no_file_imports_from_a_floor_above():
    wrong = []
    for file in sources():
        for line, name in imports(file):
            parts = name.split(".")
            if parts[0] != "rbdkit":
                continue
            target = parts[1] if len(parts) > 1 else ""
            if FLOOR_OF.get(target, len(FLOORS)) > FLOOR_OF[home(file)]:
                wrong.append(f"{file.relative_to(PACKAGE.parent)}:{line} imports {name}")
    assert not wrong, "imports from above:\n" + "\n".join(wrong)


def test_the_package_knows_nothing_of_the_course():
    """It is a distribution of its own, which an engineer need not install."""
    wrong = [
        f"{file.relative_to(ROOT)}:{line} imports {name}"
        for file in PACKAGE.rglob("*.py")
        for line, name in imports(file)
        if name.split(".")[0] == COURSE.name
    ]
    assert not wrong, "imports of the course:\n" + "\n".join(wrong)


def test_the_readable_algorithms_know_no_kernel():
    """They are what kernels are recorded from and compared with."""
    readable = [file for file in sources() if home(file) == "algorithms"]
    wrong = [
        f"{file.relative_to(PACKAGE.parent)}:{line} imports {name}"
        for file in readable
        for line, name in imports(file)
        if name.startswith("rbdkit.engine")
    ]
    assert len(readable) > 80 and not wrong, "imports of kernels:\n" + "\n".join(wrong)


def test_the_compiler_is_entered_by_its_face_alone():
    others = [file for file in sources() if home(file) != "trace"]
    wrong = [
        f"{file.relative_to(ROOT)}:{line} imports {name}"
        for file in [*others, *COURSE.rglob("*.py")]
        for line, name in imports(file)
        if (name.startswith("rbdkit.trace.") and (PACKAGE / "trace" / name.split(".")[2]).with_suffix(".py").exists())
        or name.startswith(("rbdkit.trace.run.", "rbdkit.trace.emit."))
    ]
    assert not wrong, "imports past rbdkit/trace/__init__.py:\n" + "\n".join(wrong)


def test_only_the_upper_floors_draw():
    wrong = [
        f"{file.relative_to(PACKAGE.parent)}:{line} imports {name}"
        for file in sources()
        if FLOOR_OF[home(file)] < LOWEST_DRAWING_FLOOR
        for line, name in imports(file)
        if name.split(".")[0] in DRAWING
    ]
    assert not wrong, "drawing libraries below the scene:\n" + "\n".join(wrong)


def test_an_import_from_above_would_be_seen(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "rbdkit")
    file = tmp_path / "rbdkit" / "model" / "model.py"
    file.parent.mkdir(parents=True)
    file.write_text("from ..formats import save\nfrom . import body\ndef f():\n    import rbdkit.widgets.view\n")
    assert list(imports(file)) == [(1, "rbdkit.formats.save"), (2, "rbdkit.model.body"), (4, "rbdkit.widgets.view")]
