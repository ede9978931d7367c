"""The package as it is shipped: a pure-Python wheel that imports light."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

import rbdkit

LATER = [
    "IPython",
    "anywidget",
    "dask",
    "ipykernel",
    "ipywidgets",
    "matplotlib",
    "mujoco",
    "pandas",
    "pythreejs",
    "trimesh",
    "collada",
    "xarray",
]


def pip(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *arguments], check=True)


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--wheel-dir", folder, root)
    (file,) = folder.iterdir()
    return file


def test_wheel_is_pure_python_and_complete(wheel, stored_files, root):
    assert wheel.name.endswith("-py3-none-any.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {file.relative_to(root).as_posix() for file in stored_files if root / "rbdkit" in file.parents}
    assert names == package


def metadata(wheel: Path) -> Message:
    """What a wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_has_the_version_of_the_package_and_the_licences_of_its_files(wheel, root):
    about = metadata(wheel)
    assert about["Version"] == rbdkit.__version__
    assert about["License-Expression"] == "BSD-3-Clause AND MIT"
    bundled = {file.relative_to(root).as_posix() for file in (root / "rbdkit").rglob("*LICENSE*")}
    assert bundled and set(about.get_all("License-File")) == {"LICENSE", *bundled}
    assert about.get_payload() == (root / "README.md").read_text(encoding="utf-8")


def test_the_wheel_of_the_course_brings_its_notebooks_and_its_command(stored_files, root, tmp_path):
    pip("wheel", "--no-deps", "--wheel-dir", tmp_path, root / "notebooks")
    (file,) = tmp_path.iterdir()
    assert file.name.endswith("-py3-none-any.whl")
    assert metadata(file)["Version"] == rbdkit.__version__, "one version for both"
    wheel = zipfile.ZipFile(file)
    names = {name for name in wheel.namelist() if ".dist-info/" not in name and not name.endswith("ruff.toml")}
    stored = {
        file.relative_to(root / "notebooks").as_posix() for file in stored_files if root / "notebooks" in file.parents
    }
    package = {name for name in stored if name.startswith("rbdkit_course/")}
    assert names == package | {f"rbdkit_course/notebooks/{name}" for name in stored if name.endswith(".ipynb")}
    (commands,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "rbdkit-course = rbdkit_course.__main__:main" in commands


def test_the_course_asks_for_what_notebooks_need(root):
    """Its requirements are two extras of rbdkit, which cannot be named: pip takes a checkout with one set of extras."""
    course, rbdkit = (
        tomllib.loads((root / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in ("notebooks", ".")
    )
    extras = rbdkit["optional-dependencies"]
    assert sorted(course["dependencies"]) == sorted(["rbdkit", *extras["lab"], *extras["robots"]])


OURS = {"rbdkit", "rbdkit_course", "tests"}


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")


def _brought(wanted: list[str], own: dict[str, list[str]]) -> set[str]:
    """The distributions that requirements bring with them; those of rbdkit's extras are its `own`."""
    found: set[str] = set()
    while wanted:
        requirement = wanted.pop()
        name, extras = _name(requirement), re.search(r"\[(.*?)\]", requirement)
        if name == "rbdkit":
            wanted += [each for extra in extras[1].split(",") for each in own[extra]] if extras else []
        elif name not in found:
            found.add(name)
            try:
                wanted += [each for each in requires(name) or () if "extra ==" not in each]
            except PackageNotFoundError:  # on other systems only
                continue
    return found


def test_the_extra_for_tests_brings_what_tests_import(root, stored_files):
    """At the head of a file: what is missing there keeps all tests from being collected."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    brought = _brought([*project["dependencies"], *extras["test"]], extras)
    homes = packages_distributions() | {"pinocchio": ["pin"]}  # which puts its files elsewhere
    missing = {}
    for file in stored_files:
        if root / "tests" not in file.parents or not re.match(r"(test_|conftest).*\.py$", file.name):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            for package in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - OURS:
                if not brought & {_name(each) for each in homes.get(package, [package])}:
                    missing[package] = file.name
    assert not missing


@pytest.mark.slow
def test_wheel_imports_in_an_empty_environment_without_ipython(wheel, tmp_path):
    environment = tmp_path / "empty"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    pip("--python", python, "install", "--no-compile", "numpy", "scipy", "llvmlite")  # little of them is imported
    pip("--python", python, "install", "--no-deps", wheel)
    code = "import importlib.util as u, rbdkit; print(u.find_spec('IPython') is None, rbdkit.__file__)"
    result = subprocess.run([python, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["True", str(next(environment.rglob("rbdkit/__init__.py")))]


def test_import_loads_nothing_that_draws():
    code = "import json, sys, rbdkit; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(result.stdout))
    assert "rbdkit" in loaded
    assert loaded.isdisjoint(LATER), loaded & set(LATER)


def test_runs_are_compared_without_widgets():
    code = """
import sys, rbdkit as rbd
ways = {"heun": ("joint", "heun"), "rk4": ("joint", "rk4")}
print(*rbd.compare_runs(rbd.library.pendulum(), ways, q0=[1.0], duration=0.05).columns())
print(*sorted(sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    columns, loaded = result.stdout.splitlines()
    assert "energy drift" in columns
    assert set(loaded.split()).isdisjoint([*LATER, "rbdkit.widgets"])


def test_motions_are_plotted_without_widgets():
    """A script on a computer without a screen draws, and pythreejs need not be there."""
    code = """
import sys, rbdkit as rbd
model = rbd.library.pendulum()
rbd.plot(rbd.simulate(model, [1.0], duration=0.05)).savefig(sys.argv[1])
rbd.plot(rbd.sweep(model, {"rod.mass": [1.0, 2.0]}, duration=0.05)).savefig(sys.argv[1])
print(*sorted(sys.modules))
"""
    given = [sys.executable, "-c", code, os.devnull]
    options = {"capture_output": True, "text": True, "env": os.environ | {"MPLBACKEND": "agg"}}
    loaded = set(subprocess.run(given, **options, check=True).stdout.split())
    assert "rbdkit.figures.motion" in loaded
    assert loaded.isdisjoint({*LATER, "matplotlib.pyplot", "rbdkit.widgets"} - {"matplotlib"})


def test_a_first_model_loads_no_files_and_no_algorithms():
    """And what it does not load is there all the same."""
    code = """
import sys, rbdkit as rbd
rbd.library.double_pendulum()
print(*sorted(sys.modules))
assert all(callable(getattr(rbd.library, name)) for name in rbd.library.__all__)
assert set(rbd.library.__all__) <= set(dir(rbd.library))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert "rbdkit.library.pendulums" in loaded
    assert loaded.isdisjoint(
        ["rbdkit.formats", "rbdkit.algorithms", "rbdkit.engine", "rbdkit.trace", "importlib.metadata"]
    )


def test_computing_and_simulating_load_nothing_slow():
    """SciPy's parts take longer to load than all that this does."""
    code = """
import sys, rbdkit as rbd
model = rbd.Model("pendulum")
for k in range(2):
    rod = rbd.Inertia(1.0, com=[0, 0, -0.5])
    model.add_body(f"rod{k}", model.bodies[-1], rbd.Revolute("y"), placement=[0, 0, -k], inertia=rod)
rbd.aba(model, [0.1, 0.2], [0, 0], [0, 0])
assert "scipy" not in sys.modules and "numpy.ma" not in sys.modules
later = ["algorithms", "collision", "constraints.tie", "engine.contact", "engine.rows.of_model", "engine.steps.redmax"]
later += ["forces.muscle", "forces.spring", "model.closing"]
assert not [part for part in later if f"rbdkit.{part}" in sys.modules]
rbd.simulate(model, [0.1, 0.2], duration=0.1)
print(*sorted(sys.modules))
"""
    subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, check=True)  # records what is not kept yet
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(result.stdout.split())
    assert "rbdkit.simulation.trajectory" in loaded
    assert loaded.isdisjoint([*LATER, "scipy.linalg", "scipy.integrate", "scipy.spatial"])
