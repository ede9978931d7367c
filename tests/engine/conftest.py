"""Models with everything that a kernel can meet, kernels that are made once, and a cache folder of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from rbdkit.engine import Kernels
from rbdkit.engine.run import compiled_programs
from rbdkit.joints import Free, JointType, Planar, Reversed, Spherical
from rbdkit.library import joint_gallery, random_tree
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia
from rbdkit.trace.program import Program
from rbdkit.trace.run.backend import executable


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The tests neither use nor fill the user's cache of compiled code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RBDKIT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def all_joints(rng: np.random.Generator) -> list[JointType]:
    """Every type and option, each from both ends."""
    gallery = joint_gallery(rng)
    more = [Spherical(), Free(), Free(translation="successor"), Planar("y", translation="successor")]
    straight = [joint for joint in gallery if not isinstance(joint, Reversed)]
    return [*gallery, *(Reversed(joint) for joint in [*straight, *more])]


def dress(model: Model, seed: int) -> Model:
    """The model with rotors in every other joint, and dampers and springs in all of them."""
    rng = np.random.default_rng(seed)
    values: dict[str, object] = {}
    for k, joint in enumerate(model.joints):
        if joint.nv:
            values[f"{joint.name}.damping"] = rng.uniform(0.0, 1.0, joint.nv)
            values[f"{joint.name}.stiffness"] = rng.uniform(0.0, 2.0, joint.nv)
            values[f"{joint.name}.rest"] = joint.type.random(rng)
            values[f"{joint.name}.armature"] = rng.uniform(0.1, 1.0, joint.nv) * (k % 2)
    return model.with_parameters(values)


@lru_cache
def _tree(name: str) -> Model:
    rng = np.random.default_rng(1)
    if name == "all joints":
        return dress(random_tree(2, bodies=34, joints=all_joints(rng)), 3)
    if name == "plain":
        return random_tree(4, bodies=9, joints=[joint for joint in joint_gallery(rng) if joint.nv == 1])
    if name == "welded":
        model = Model("welded")
        model.add_body("wall", inertia=Inertia(2.0, com=[0.1, 0.2, 0.3]))
        model.add_body("shelf", "wall", placement=[0.0, 0.0, 1.0], inertia=Inertia(3.0))
        return model
    raise KeyError(name)


TREES = ("all joints", "plain", "welded")


@pytest.fixture(scope="session")
def tree() -> Callable[[str], Model]:
    """A model by its name."""
    return _tree


@pytest.fixture(scope="session")
def kernels() -> Callable[[str, str], Kernels]:
    """The kernels of a model by its name, for a backend."""
    return lru_cache(lambda name, backend: Kernels(_tree(name), backend))


@pytest.fixture
def small_trees() -> list[Model]:
    """Models with few links, in which every type of joint occurs; their straight-line code is made in no time."""
    joints = all_joints(np.random.default_rng(5))
    return [dress(random_tree(k, bodies=3, joints=joints[k : k + 3], name=f"small {k}"), k) for k in range(0, 30, 3)]


@pytest.fixture
def unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Straight-line code for any number of states and links."""
    monkeypatch.setattr("rbdkit.engine.run.shapes.STATES_A_LINK", 0)
    monkeypatch.setattr("rbdkit.engine.run.shapes.UNROLLED_LINKS", 99)
    monkeypatch.setattr("rbdkit.engine.run.shapes.UNROLLED_IN_STACKS", 99)


@pytest.fixture
def off() -> Callable[[np.ndarray, np.ndarray], float]:
    """Largest difference of two arrays relative to the largest element of the second."""

    def off(found: np.ndarray, expected: np.ndarray) -> float:
        assert np.shape(found) == np.shape(expected)
        scale = np.max(np.abs(expected), initial=0.0)
        return float(np.max(np.abs(found - expected), initial=0.0) / (scale if scale > 0.0 else 1.0))

    return off


@pytest.fixture
def wasm(host: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend 'wasm', beside 'python' and 'llvm'."""

    def with_wasm(program: Program, backend: str, *more: object) -> object:
        return host.code(program) if backend == "wasm" else executable(program, backend, *more)

    monkeypatch.setattr(compiled_programs, "executable", with_wasm)
