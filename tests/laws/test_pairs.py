"""What laws know of pairs whose places an other package tells."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import StateError
from rbdkit.laws import Compliant
from rbdkit.laws.model_pairs import ROOM, pairs_of

pytest.importorskip("coal")


def cans(gravity=-10.0):
    """Two cylinders, the upper one on the lower one, which is fixed."""
    model = rbd.Model("cans", gravity=(0, 0, gravity))
    shape = rbd.Cylinder(0.1, 0.2)
    model.add_body("table", joint=rbd.Fixed(), geometry=shape)
    inertia = rbd.Inertia.cylinder(0.1, 0.2, mass=1.0)
    model.add_body("can", joint=rbd.Free(), inertia=inertia, geometry=rbd.Geometry(shape, (0.0, 0.0, 0.05)))
    model.add_contact("table", "can", friction=0.5)
    q = model.neutral()
    q[6] = 0.15
    return model, q


def test_reach_counts_shapes_without_a_closed_form():
    """From the body's origin to the farthest point of its shape's ball, as with others."""
    pairs = pairs_of(cans()[0])
    np.testing.assert_allclose(pairs.reach, [0.0, np.hypot(0.1, 0.1), 0.05 + np.hypot(0.1, 0.1)])


def test_a_can_that_spins_into_another_one_is_seen_in_time():
    """All its speed is that of its spin: one that reached nowhere would stand still."""
    model, q = cans(gravity=0.0)
    q[6] += 0.2
    scene = rbd.laws.Scene(rbd.formulations.JointSystem(model), pairs_of(model))
    v = np.array([7.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert scene.fastest(0.0, q, v) == pytest.approx(7.0 * (0.05 + np.hypot(0.1, 0.1)))


def test_compliant_surfaces_have_patches_of_their_own():
    """Each place of each pair its own; two cans side by side rest as each does alone."""
    model, _ = cans()
    inertia = rbd.Inertia.cylinder(0.1, 0.2, mass=3.0)
    shape = rbd.Geometry(rbd.Cylinder(0.1, 0.2), (0.0, 0.0, 0.05))
    model.add_body("other table", joint=rbd.Fixed(), placement=(1.0, 0.0, 0.0), geometry=rbd.Cylinder(0.1, 0.2))
    model.add_body("other can", joint=rbd.Free(), inertia=inertia, geometry=shape)
    model.add_contact("other table", "other can", friction=0.5)
    q = model.neutral()
    q[6], q[11], q[13] = 0.15, 1.0, 0.15
    law = Compliant(stiffness=2e3, damping=10.0)
    motion = rbd.simulate(model, q, duration=0.3, dt=2e-3, contact=law)
    for name, weight in (("table/can", 10.0), ("other table/other can", 30.0)):
        np.testing.assert_allclose(motion.contacts.normal_force(name)[-1], weight, rtol=0.03)  # it still swings


def test_more_places_than_there_is_room_for_are_refused_by_name():
    model, q = cans()
    pairs = pairs_of(model)
    with pytest.raises(StateError, match=f"contact 'table/can': its faces share {ROOM + 1} corners"):
        pairs._require_room(np.array([0, 0]), np.array([0, ROOM]))
    assert len(pairs.near(0.0, q, np.zeros(6), 1e-6)) <= ROOM
