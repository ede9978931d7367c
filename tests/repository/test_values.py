"""Values do not change: what holds one can keep it, hash it and hand it on."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import rbdkit

GROW = {  # made piece by piece, by those who hold them
    "trace.program.Block",
    "trace.program.Define",
    "trace.program.Loop",
    "trace.program.Switch",
    "formats.urdf.build._Lump",
    "formats.xml.reader.Element",
    "scene.mesh_reader.MeshReader",
    "simulation.ensembles.crew.Job",
    "laws.time_stepping.Step",
}


@pytest.fixture(scope="module")
def data_classes() -> dict[str, type]:
    found = {}
    for module in pkgutil.walk_packages(rbdkit.__path__, "rbdkit."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__ == module.name and dataclasses.is_dataclass(value):
                found[f"{module.name.removeprefix('rbdkit.')}.{name}"] = value
    return found


def test_data_classes_are_frozen_but_for_those_that_grow(data_classes):
    """By trying: no attribute of an instance can be set or taken away."""
    assert len(data_classes) > 200
    changeable = set()
    for name, cls in data_classes.items():
        instance, attribute = object.__new__(cls), (dataclasses.fields(cls) or [None])[0]
        if attribute is None:
            continue
        try:
            setattr(instance, attribute.name, 0)
        except dataclasses.FrozenInstanceError:
            with pytest.raises(dataclasses.FrozenInstanceError):
                delattr(instance, attribute.name)
        else:
            changeable.add(name)
    assert changeable == GROW
