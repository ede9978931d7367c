"""Joints that consist of simple ones, which compiled code steps one by one: the readable form makes the same steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd

JOINTS = [
    rbd.SphereInCylinder("x"), rbd.Reversed(rbd.SphereInCylinder("y")), rbd.Composite(rbd.Fixed(), rbd.Spherical()),
    rbd.Composite(rbd.Prismatic("x"), rbd.Spherical()), rbd.Composite(rbd.Spherical(), rbd.Prismatic("x")),
    rbd.Composite(rbd.Planar("z"), rbd.Revolute("x")),
    rbd.Reversed(rbd.Planar("z")), rbd.Reversed(rbd.Free()),
]  # fmt: skip


@pytest.mark.parametrize("joint", JOINTS, ids=str)
def test_steps_beside_the_ground(joint):
    """Spheres in cylinders and composite joints tumbled without the gyroscopic step: off by 1e-5 in 0.1 s."""
    model = rbd.Model("tumbling")
    box = rbd.Inertia.box((0.2, 0.15, 0.1), mass=1.0).transformed(rbd.pose(position=(0.1, 0.02, 0.05)))
    model.add_body("b", joint=joint, placement=(0.0, 0.0, 5.0), inertia=box, geometry=rbd.Sphere(0.1))
    model.add_ground()
    v = np.linspace(3.0, -4.0, model.nv)
    compiled, book = (
        rbd.simulate(model, model.neutral(), v, duration=0.05, dt=2e-3, backend=backend) for backend in ("auto", "book")
    )
    assert "compiled loop" in compiled.report.backend
    assert_allclose(compiled.q, book.q, rtol=0, atol=1e-14)  # round-off of 25 steps of numbers of size 1
    assert_allclose(compiled.v, book.v, rtol=0, atol=1e-13)
