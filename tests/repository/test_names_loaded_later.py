"""Packages that load what they show when it is first asked for."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import pytest

import rbdkit as rbd

PACKAGES = [
    "algorithms",
    "constraints",
    "engine",
    "forces",
    "functions",
    "library",
    "simulation",
    "spatial",
    "trace",
]
NAMES = ["rbdkit", *(f"rbdkit.{package}" for package in PACKAGES)]


@pytest.mark.parametrize("name", NAMES)
def test_all_names_are_there_and_are_offered(name):
    package = import_module(name)
    assert len(package.__all__) == len(set(package.__all__)) > 5
    for shown in package.__all__:
        assert getattr(package, shown) is getattr(package, shown)
    offered = dir(package)
    assert set(package.__all__) <= set(offered) and all(hasattr(package, x) for x in offered)
    assert not {"loads_later", "TYPE_CHECKING", "annotations"} & set(offered)
    with pytest.raises(AttributeError, match=f"^{name} has no 'nonsense'$"):
        package.nonsense  # noqa: B018


@pytest.mark.parametrize("name", NAMES)
def test_modules_do_not_stand_in_the_way_of_names(name):
    """Who imports the module of that name first, finds the function nevertheless."""
    package = import_module(name)
    shown = [x for x in package.__all__ if find_spec(f"{name}.{x}") and not isinstance(getattr(package, x), ModuleType)]
    lines = [f"import {name} as package", *(f"import {name}.{x}" for x in shown)]
    lines.append(f"print([x for x in {shown} if type(getattr(package, x)).__name__ == 'module'])")
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_names_that_other_libraries_have_are_answered():
    for name, says in (
        ("Hinge", "'Revolute'"),
        ("revolute", "did you mean 'Revolute'"),
        ("ik", "'inverse_kinematics'"),
    ):
        with pytest.raises(AttributeError, match=f"rbdkit has no '{name}'; .*{says}"):
            getattr(rbd, name)
    assert not hasattr(rbd, "_repr_html_")
    for name, says in rbd._ELSEWHERE.items():
        named = [word.strip("'") for word in re.findall(r"'(\w+)'", says)]
        assert name not in rbd.__all__ and all(hasattr(rbd, word) for word in named), name
