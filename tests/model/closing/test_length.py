"""The length that angles are compared with."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.model.closing import length_of


def test_distances_between_joints_and_centres_of_mass():
    """By hand: of each body its own joint, those that it carries, its centre of mass and its loop joints."""
    model = rbd.Model()
    a = model.add_body("a", joint=rbd.Revolute("y"), placement=[9, 9, 9], inertia=rbd.Inertia(1.0, com=[2.0, 0, 0]))
    assert length_of(model) == pytest.approx(1.0)  # two points, each 1 m from their middle
    model.add_body("b", a, rbd.Revolute("y"), placement=[4.0, 0, 0], inertia=rbd.Inertia(1.0, com=[0, 0, 0]))
    on_a, on_b = [4.0, 0.0, 4.0], [0.0, 0.0]  # squares about the means 2 and 0
    assert length_of(model) == pytest.approx(np.sqrt(np.mean([*on_a, *on_b])))
    model.add_loop("pin", "a", "b", rbd.Revolute("y"), [0, 0, 3.0], [0, 6.0, 0])
    on_a = [np.sum((np.array(p) - [1.5, 0, 0.75]) ** 2) for p in ([0, 0, 0], [2, 0, 0], [4, 0, 0], [0, 0, 3])]
    on_b = [np.sum((np.array(p) - [0, 2, 0]) ** 2) for p in ([0, 0, 0], [0, 0, 0], [0, 6, 0])]
    assert length_of(model) == pytest.approx(np.sqrt(np.mean([*on_a, *on_b])))


def test_without_lengths_it_is_that_of_the_body_itself():
    """The root of the mean square of how far its mass is from its centre, sqrt(3/5) of a sphere's radius."""
    model = rbd.Model()
    model.add_body("ball", joint=rbd.Spherical(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    assert length_of(model) == pytest.approx(np.sqrt(0.6) * 0.1)
