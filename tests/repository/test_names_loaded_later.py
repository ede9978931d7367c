"""Packages that load what they show when it is first asked for."""

from importlib import import_module

import pytest

PACKAGES = ["algorithms", "constraints", "engine", "forces", "functions", "joints", "library", "spatial", "trace"]
NAMES = ["rbdkit", *(f"rbdkit.{package}" for package in PACKAGES)]


@pytest.mark.parametrize("name", NAMES)
def test_all_names_are_there_and_are_offered(name):
    package = import_module(name)
    assert len(package.__all__) == len(set(package.__all__)) > 5
    for shown in package.__all__:
        assert getattr(package, shown) is getattr(package, shown)
    offered = dir(package)
    assert set(package.__all__) <= set(offered) and all(hasattr(package, x) for x in offered)
    assert not {"later", "TYPE_CHECKING", "annotations"} & set(offered)
    with pytest.raises(AttributeError, match=f"^{name} has no 'nonsense'$"):
        package.nonsense  # noqa: B018
