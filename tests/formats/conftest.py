"""Helpers of the tests of files: small documents, where frames are, and whether two models move alike."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pytest

from rbdkit.algorithms import energy, forward_kinematics
from rbdkit.formats import FormatWarning
from rbdkit.model import Model


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(24)


@pytest.fixture(scope="session")
def robots() -> Path:
    """The folder of example-robot-data."""
    return Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))


@pytest.fixture(scope="session")
def urdf() -> Callable[..., str]:
    """A URDF document: the given elements, one a line, the first on line 2; `links` adds empty links before them."""

    def document(*elements: str, links: str = "") -> str:
        empty = [f'<link name="{name}"/>' for name in links.split()]
        return "\n".join(['<robot name="r">', *empty, *elements, "</robot>"])

    return document


@pytest.fixture(scope="session")
def link_poses() -> Callable[[Model, np.ndarray], dict[str, np.ndarray]]:
    """World pose of every body and named frame."""

    def poses(model: Model, q: np.ndarray) -> dict[str, np.ndarray]:
        of_body = forward_kinematics(model, q).poses
        found = {body.name: of_body[body.index] for body in model.bodies}
        return found | {frame.name: of_body[frame.body] @ frame.placement for frame in model.frames}

    return poses


@pytest.fixture(scope="session")
def same_dynamics(link_poses) -> Callable[..., None]:
    """Assert that two models have the same energies, and their common frames the same places, in random states.

    The Lagrangian says all about the dynamics. `coordinates(q, v)` takes a state of the first model to the second.
    """

    def compare(one: Model, two: Model, coordinates=lambda q, v: (q, v), seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(3):
            q, v = one.random_q(rng), rng.normal(size=one.nv)
            q2, v2 = coordinates(q, v)
            a, b = energy(one, q, v), energy(two, q2, v2)
            # round-off of the roll, pitch, yaw angles and of sums over the bodies
            assert np.isclose(a.kinetic, b.kinetic, rtol=1e-11, atol=1e-11)
            assert np.isclose(a.potential, b.potential, rtol=1e-11, atol=1e-11 * (1.0 + abs(a.kinetic)))
            places, others = link_poses(one, q), link_poses(two, q2)
            for name in places.keys() & others.keys():
                np.testing.assert_allclose(places[name], others[name], atol=1e-12, err_msg=name)

    return compare


class Endless(Exception):
    """More calls than was thought of."""


@pytest.fixture(scope="session")
def calls() -> Callable[..., int]:
    """How many functions are called while one runs, built-in ones too: a measure of work without a clock."""

    def count(function: Callable[[], object], most: float = np.inf) -> int:
        number = 0

        def watch(frame: object, event: str, _: object) -> None:
            nonlocal number
            number += event in ("call", "c_call")
            if number > most:
                raise Endless(f"more than {most} calls")

        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            function()
        finally:
            sys.setprofile(before)
        return number

    return count


@pytest.fixture(scope="session")
def told() -> Callable:
    """Context manager that collects the texts of the format warnings."""

    @contextmanager
    def collect() -> Iterator[list[str]]:
        texts: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield texts
        assert all(issubclass(w.category, FormatWarning) for w in caught), [str(w.message) for w in caught]
        texts.extend(str(w.message) for w in caught)

    return collect
