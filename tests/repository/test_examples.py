"""Examples in docstrings run as they stand; every public name has one, and says of each argument what it is."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import rbdkit
import rbdkit_course

PACKAGE, COURSE = (Path(package.__file__).parent for package in (rbdkit, rbdkit_course))
PROMPT = re.compile(r"^ *>>> ", re.MULTILINE)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMES = re.compile(r"(\*{0,2}\w+)(?:, (\*{0,2}\w+))*(?: : \S.*)?")
"""The first line of an entry among the parameters: 'name : type', or several names of one type, or names alone."""

FACES = [
    "rbdkit",
    "rbdkit.constraints",
    "rbdkit.derivatives",
    "rbdkit.forces",
    "rbdkit.formats",
    "rbdkit.formulations",
    "rbdkit.integrators",
    "rbdkit.joints",
    "rbdkit.library",
    "rbdkit.model",
    "rbdkit.simulation",
    "rbdkit.spatial",
]
"""What users of the package make or call by name; all of it has an example."""
RECORDS = {
    "Acting",
    "BodyMotion",
    "DynamicsDerivatives",
    "Gradient",
    "RneaDerivatives",
    "SemanticDescription",
    "Solve",
    "Stage",
    "State",
    "Surroundings",
}
"""Classes that users are handed and need not make."""
BASES = {"ConstraintElement", "CrouchGrossman", "ForceElement", "JointType", "MuntheKaas", "OneStep"}
"""Classes that others are made from."""


def modules_with_examples() -> list[str]:
    """Found by their text: what draws is imported by the tests that need it."""
    parts = [
        file.relative_to(package.parent).with_suffix("").parts
        for package in (PACKAGE, COURSE)
        for file in sorted(package.rglob("*.py"))
        if PROMPT.search(file.read_text(encoding="utf-8"))
    ]
    return [".".join(part[:-1] if part[-1] == "__init__" else part) for part in parts]


def examples_of(thing: object, name: str, names: dict[str, object]) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder(exclude_empty=True).find(thing, name, globs=names)
    return [test for test in found if test.examples]


def what_goes_wrong(test: doctest.DocTest) -> str:
    """The report of the examples that print something else or raise; nothing if all are right."""
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=report.append)
    return "".join(report)


def section(text: str, title: str) -> list[str]:
    """The lines of a section of a docstring, without its title."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-{{3,}}$|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].rstrip().splitlines() if found else []


def documented(thing: object) -> list[str]:
    """The names of the parameters in a docstring, in order; those of a record may stand among its attributes."""
    text, is_record = inspect.getdoc(thing) or "", dataclasses.is_dataclass(thing) or hasattr(thing, "_fields")
    lines = section(text, "Parameters") or (section(text, "Attributes") if is_record else [])
    entries = [line for line in lines if line and not line.startswith(" ")]
    for entry in entries:
        assert NAMES.fullmatch(entry), f"not a line of names and their type: {entry!r}"
    return [name.lstrip("*") for entry in entries for name in entry.split(" : ")[0].split(", ")]


def arguments(thing: object) -> list[str]:
    """The names of the arguments, but of errors: they are made by those who raise them."""
    return [] if inspect.isclass(thing) and issubclass(thing, BaseException) else [*inspect.signature(thing).parameters]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_run(name):
    module = importlib.import_module(name)
    found = examples_of(module, name, {})
    assert found
    wrong = [report for test in found if (report := what_goes_wrong(test))]
    assert not wrong, "\n".join(wrong)


def public_names() -> list[str]:
    """What can be called on the faces, but for protocols, which are not made but met."""
    names = []
    for face in map(importlib.import_module, FACES):
        for name in face.__all__:
            drawn = face is rbdkit and not (PACKAGE / name).is_dir()  # imported by the test that needs it
            if drawn or (face is not rbdkit and callable(thing := getattr(face, name)) and is_made(thing)):
                names.append(f"{face.__name__}.{name}")
    return names


def is_made(thing: object) -> bool:
    if getattr(thing, "_is_protocol", False) or not hasattr(thing, "__name__"):
        return False
    return thing.__module__.startswith("rbdkit.") and thing.__name__ not in RECORDS | BASES


@pytest.mark.parametrize("name", public_names())
def test_public_names_have_an_example_and_say_what_they_take_and_return(name):
    face, _, own = name.rpartition(".")
    thing = getattr(importlib.import_module(face), own)
    text = inspect.getdoc(thing) or ""
    assert PROMPT.search("\n".join(section(text, "Examples"))), f"{name} has no example"
    assert documented(thing) == arguments(thing)
    if inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        assert section(text, "Returns"), f"{name} does not say what it returns"


def test_a_wrong_example_would_be_seen():
    def lies() -> None:
        """A function.

        Examples
        --------
        >>> 1 + 1
        3
        """

    (test,) = examples_of(lies, "lies", {})
    assert "Expected:\n    3\nGot:\n    2" in what_goes_wrong(test)
