"""Chains of cuboids in both systems of units, and the scenes of Sueda's notes made from them in a few lines."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import cuboid_chain, cuboid_tree


def test_units_change_numbers_and_no_motion():
    joints = [rbd.Revolute("y"), rbd.Universal("y", "z")]
    runs = [rbd.simulate(cuboid_chain(4, joints, cgs=cgs), duration=0.2, dt=1e-3) for cgs in (False, True)]
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-9)  # the same angles; round-off grows with the motion
    assert 1e7 * runs[0].energy().kinetic == pytest.approx(runs[1].energy().kinetic, rel=1e-7)
    box = runs[1].model.bodies[1].inertia
    assert box.mass == pytest.approx(10.0)
    assert box.inertia_com.diagonal() == pytest.approx(np.array([2.0, 101.0, 101.0]) * 10.0 / 12.0)  # Eq 1.24


def test_two_links_fall_as_the_closed_form_says():
    """The first instant of a straight chain: M qdd = tau of gravity, by hand."""
    model = cuboid_chain(1, cgs=True)
    about_end = 10.0 * 101.0 / 12.0 + 10.0 * 25.0
    assert rbd.forward_dynamics(model, [0.0], [0.0], [0.0])[0] == pytest.approx(10.0 * 980.0 * 5.0 / about_end)


SCENES = {
    "serial chain": lambda: cuboid_chain(5, cgs=True),
    "branches": lambda: cuboid_tree([-1, 0, 0, 1, 1, 2], cgs=True),
    "joint types": lambda: cuboid_chain(
        6,
        [rbd.Revolute("y"), rbd.Universal("x", "y"), rbd.EulerAngles("XYZ"), rbd.ExponentialSpherical(),
         rbd.FreeInPlane("y"), rbd.Composite(rbd.Prismatic("x"), rbd.Revolute("z"))],
        cgs=True,
    ),
}  # fmt: skip


def with_spring():
    model = cuboid_chain(4, cgs=True)
    model.add_spring("spring", "rigid4", "world", 5e3, at_a=(10.0, 0, 0), at_b=(40.0, 0, -10.0))
    return model


def with_muscle():
    model = cuboid_chain(3, cgs=True)
    path = [("rigid1", (2.0, 0, 1.0)), ("rigid2", (5.0, 0, 1.0)), ("rigid3", (8.0, 0, 1.0))]
    model.add_muscle("muscle", path, peak_force=1e5, optimal_length=16.0, activation=0.0)
    return model


def with_string():
    model = cuboid_chain(2, cgs=True)
    points = [[20.0 + 2.0 * k, 0.0, 0.0] for k in range(4)]
    model.add_deformable("string", points, [(k, k + 1) for k in range(3)], 3.0, 1e5, attached={0: "rigid2"})
    return model


def on_a_spline():
    frames = [rbd.pose(position=[4.0 * k, 0.0, 3.0 * np.sin(k)]) for k in range(7)]
    model = cuboid_chain(2, [rbd.SplineCurve(frames), rbd.Revolute("y")], cgs=True)
    return model


SCENES |= {"spring": with_spring, "muscle": with_muscle, "string": with_string, "spline": on_a_spline}


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_compiled_and_keep_their_energy(name):
    model = SCENES[name]()
    start = model.neutral() if name != "spline" else np.array([3.0, 0.2])  # within one segment
    run = rbd.simulate(model, start, duration=0.1, dt=5e-4)
    assert "compiled" in run.report.backend
    total = run.energy().total
    assert np.ptp(total) < 1e-6 * max(np.ptp(run.energy().kinetic), 1.0)


def test_what_is_no_chain():
    for parents, joints in (([], None), ([-1, 3], None), ([-1], [])):
        with pytest.raises(rbd.ModelError, match="cuboid"):
            cuboid_tree(parents, joints)
