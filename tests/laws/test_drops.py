"""Nothing falls through: shapes, poses and speeds at random, in compiled time stepping."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.laws import TimeStepping

STEP = 4e-3
RUNS = 167
"""Of six bodies each: a thousand drops."""


def shapes(rng):
    """One of each kind, with its inertia, how far it reaches, and its largest radius of curvature."""
    a, b, c = rng.uniform(0.04, 0.25, (3, 6))
    solid = rbd.Inertia
    yield rbd.Sphere(a[0]), solid.sphere(a[0], density=500.0), a[0], 0.0
    size = [a[1], b[1], c[1]]
    yield rbd.Box(size), solid.box(size, density=500.0), 0.5 * np.linalg.norm(size), 0.0
    yield rbd.Cylinder(a[2], 2 * b[2]), solid.cylinder(a[2], 2 * b[2], density=500.0), np.hypot(a[2], b[2]), 0.0
    yield rbd.Capsule(a[3], 2 * b[3]), solid.capsule(a[3], 2 * b[3], density=500.0), a[3] + b[3], 0.0
    radii = [a[4], b[4], c[4]]
    yield rbd.Ellipsoid(radii), solid.ellipsoid(radii, density=500.0), max(radii), max(radii) ** 2 / min(radii)
    yield rbd.Cone(a[5], 2 * b[5]), solid.cone(a[5], 2 * b[5], density=500.0), np.hypot(a[5], 2 * b[5]), 0.0


def dropped(seed):
    """A motion, and by how much each of its bodies may be inside of the ground, as the law says."""
    rng = np.random.default_rng(seed)
    model, reaches, curves, round_ = rbd.Model("drops"), [], [], []
    for i, (shape, inertia, reach, curve) in enumerate(shapes(rng)):
        model.add_body(f"body{i}", joint=rbd.Free(), inertia=inertia, geometry=shape)
        reaches.append(reach)
        curves.append(max(reach, curve))
        round_.append(reach if isinstance(shape, rbd.Cylinder | rbd.Cone) else 0.0)
    model.add_ground(friction=float(rng.uniform()), restitution=float(rng.choice([0.0, 0.3, 0.8])))
    q, v = model.neutral().reshape(6, 7), rng.normal(size=(6, 6))
    q[:, :4] = rng.normal(size=(6, 4))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    q[:, 4], q[:, 6] = 2.0 * np.arange(6), np.array(reaches) + rng.uniform(0.0, 0.5, 6)
    v[:, :3] *= rng.choice([0.0, 3.0, 10.0], (6, 1))
    v[:, 3:] *= rng.choice([0.0, 2.0, 10.0], (6, 1))
    motion = rbd.simulate(model, q.ravel(), v.ravel(), duration=0.5, dt=STEP)
    spin = np.linalg.norm(motion.v.reshape(-1, 6, 6)[..., :3], axis=-1).max(axis=0)
    found = motion.report.contacts
    bent = 0.5 * (STEP * spin) ** 2 * np.array(curves) / TimeStepping().recovery
    missed = STEP * found.residual / TimeStepping().recovery
    return motion, bent + missed + STEP * spin * np.array(round_) / 3.0


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT", "ignore:CONTACTS NOT SOLVED", "ignore:PENETRATION")
def test_nothing_falls_through():
    """Some spin with 100 rad/s; a flat ellipsoid among them goes in by a third of what it is thick, which alarms."""
    deepest, deep = 0.0, 0
    for seed in range(RUNS):
        motion, promised = dropped(seed)
        assert motion.report.backend.startswith("compiled loop")
        record = motion.contacts
        for i in range(6):
            depth = max(0.0, -record.least_gap(f"ground/body{i}").min())
            assert depth <= promised[i] + 1e-9, (seed, i, depth, promised[i])
            deepest = max(deepest, depth)
        assert motion.report.contacts.penetration == pytest.approx(max(0.0, -record.gap.min()), abs=1e-12)
        assert (motion.poses()[:, 1:, 2, 3] > 0.0).all(), seed
        assert motion.report.contacts.residual < 0.05, seed
        deep += motion.report.contacts.penetration > 0.01
        assert motion.report.contacts.penetration < 0.01 or motion.report.contacts.too_deep
    assert deepest < 0.04  # m
    assert deep <= 2


HEAPS = 20
"""Of six bodies each that fall on each other. A thousand bodies were dropped when this was written: as here."""


def solid(rng):
    """A ball, a box or a capsule, with its inertia and how far it reaches."""
    a, b, c = rng.uniform(0.05, 0.15, 3)
    match rng.integers(3):
        case 0:
            return rbd.Sphere(a), rbd.Inertia.sphere(a, density=500.0), a
        case 1:
            size = [2 * a, 2 * b, 2 * c]
            return rbd.Box(size), rbd.Inertia.box(size, density=500.0), float(np.linalg.norm([a, b, c]))
        case _:
            return rbd.Capsule(a, 2 * b), rbd.Inertia.capsule(a, 2 * b, density=500.0), a + b


def heaped(seed):
    """The motion of six bodies that fall on each other and on the ground, and how far each reaches."""
    rng, n = np.random.default_rng(seed), 6
    model, reaches = rbd.Model("heap"), []
    for i in range(n):
        shape, inertia, reach = solid(rng)
        model.add_body(f"body{i}", joint=rbd.Free(), inertia=inertia, geometry=shape)
        reaches.append(reach)
    model.add_ground(friction=float(rng.uniform()), restitution=float(rng.choice([0.0, 0.3, 0.8])))
    model.add_contacts(friction=float(rng.uniform()))
    q, v, reach = model.neutral().reshape(n, 7), rng.normal(size=(n, 6)), np.array(reaches)
    q[:, :4] = rng.normal(size=(n, 4))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1, keepdims=True)
    q[:, 4:6] = rng.uniform(-0.05, 0.05, (n, 2))
    q[:, 6] = np.cumsum(2.0 * reach) - reach + 0.02 * np.arange(n)
    v[:, :3] *= rng.choice([0.0, 3.0], (n, 1))
    v[:, 3:] *= rng.choice([0.0, 1.0], (n, 1))
    return rbd.simulate(model, q.ravel(), v.ravel(), duration=0.8, dt=STEP), reach


@pytest.mark.filterwarnings("ignore:ENERGY NOT KEPT", "ignore:CONTACTS NOT SOLVED")
def test_nothing_falls_through_in_heaps():
    """What one body sees of another one bends by its turning, and by Coriolis; that over the part that goes in a step.

    Whether they passed through each other unseen says the ground below: nothing is under it, nothing in another one.
    """
    for seed in range(HEAPS):
        motion, reach = heaped(seed)
        record, found = motion.contacts, motion.report.contacts
        v = np.abs(motion.v.reshape(-1, 6, 6))
        spin, speed = (np.linalg.norm(v[..., own], axis=-1).max(axis=0) for own in (slice(3), slice(3, 6)))
        part, missed = TimeStepping().recovery, STEP * found.residual / TimeStepping().recovery
        for pair in motion.model.contact_pairs:
            own = [int(end[4:]) for end in (pair.predecessor, pair.successor) if end.startswith("body")]
            turns, moves, far = (float(x[own].sum()) for x in (spin, speed, reach))
            promised = STEP**2 * (0.5 * turns**2 * far + turns * moves) / part + missed
            depth = max(0.0, -record.least_gap(pair.name).min())
            assert depth <= promised + 1e-9, (seed, pair.name, depth, promised)
        assert (motion.poses()[:, 1:, 2, 3] > 0.0).all(), seed
        assert found.penetration < 0.05, seed
        assert found.residual < 0.05, seed


@pytest.mark.parametrize("joint", [rbd.Free(), rbd.Free(translation="successor"), rbd.Spherical()])
@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_what_tumbles_gains_no_energy(joint, offset):
    """A body with three unlike moments of inertia at 0.4 rad a step; by Euler's steps it would gain a tenth each."""
    model = rbd.Model("tumbling", gravity=(0, 0, 0))
    inertia = rbd.Inertia(1.0, [offset, 0.0, 0.5 * offset], np.diag([1.0, 2.0, 2.5]) * 1e-2)
    model.add_body("body", joint=joint, inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_ground(height=-100.0)
    v = np.zeros(model.nv)
    v[:3] = 1.0, 20.0, 1.0
    for backend in ("auto", "book"):
        long = rbd.simulate(model, model.neutral(), v, duration=8.0, dt=0.02, backend=backend, progress=False)
        kinetic = long.energy().kinetic
        assert np.abs(kinetic / kinetic[0] - 1.0).max() < 0.01
        if model.nv == 6:
            com = long.poses("body") @ [*inertia.com, 1.0]
            straight = com[0] + np.outer(long.t / long.t[-1], com[-1] - com[0])
            np.testing.assert_allclose(com, straight, atol=1e-9)
    fine = rbd.simulate(model, model.neutral(), v, duration=0.4, dt=2.5e-4)
    about = inertia.transformed(np.eye(4)).matrix[:3, :3] if model.nv == 3 else inertia.inertia_com
    exact = solve_ivp(lambda t, w: np.linalg.solve(about, -np.cross(w, about @ w)), (0.0, 0.4), v[:3], rtol=1e-10)
    np.testing.assert_allclose(fine.v[-1, :3], exact.y[:, -1], atol=0.02)


@pytest.mark.parametrize("translation", ["predecessor", "successor"])
def test_what_turns_in_a_plane_keeps_its_energy_and_its_centre_of_mass_flies_straight(translation):
    """A disc that turns 0.4 rad a step about a centre of mass beside its origin."""
    model = rbd.Model("disc", gravity=(0, 0, 0))
    inertia = rbd.Inertia(2.0, [0.1, -0.05, 0.0], np.diag([1.0, 1.0, 2.0]) * 1e-2)
    joint = rbd.Planar(translation=translation)
    model.add_body("body", joint=joint, inertia=inertia, geometry=rbd.Sphere(0.1))
    model.add_ground(height=-100.0)
    for backend in ("auto", "book"):
        run = rbd.simulate(model, None, [20.0, 0.3, -0.2], 8.0, dt=0.02, backend=backend, progress=False)
        kinetic = run.energy().kinetic
        np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-12)
        com = run.poses("body") @ [*inertia.com, 1.0]
        np.testing.assert_allclose(com, com[0] + np.outer(run.t, com[1] - com[0]) / 0.02, atol=1e-11)
