"""Contact forces that rigid bodies do not determine: said, smallest, and the same in every order."""

import pickle

import numpy as np
import pytest
from scipy.optimize import minimize

import rbdkit as rbd
from rbdkit.laws.shares import least_shares
from rbdkit.scene.touching import OPEN, contact_plots, touching

FEET = [(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)]


def table(order, friction, com=(0.0, 0.0, 0.0)):
    """A table of 2 kg on feet in this order."""
    model = rbd.Model("table", gravity=(0, 0, -10))
    feet = [rbd.Geometry(rbd.Sphere(0.02), (*FEET[i], -0.1)) for i in order]
    inertia = rbd.Inertia(2.0, com, np.diag([0.02, 0.04, 0.05]))
    model.add_body("table", joint=rbd.Free(), inertia=inertia, geometry=feet)
    model.add_ground(friction=friction)
    return model


def by_foot(motion, order, k=-2):
    """Forces in a state by foot, (4, 3)."""
    found = np.zeros((4, 3))
    for point in motion.contacts.at(k):
        found[order[int(point.name.split("[")[1][:-1])]] += point.force
    return found


@pytest.mark.parametrize("law", ["time_stepping", "rigid", "impulse"])
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_four_legs_share_evenly_in_every_order_and_say_that_it_is_a_choice(law, friction):
    """m g / 4 each; with the centre of mass aside the least norm, by the pseudoinverse of force and moments."""
    com = (0.05, 0.02, 0.0)
    for aside in ((0.0, 0.0, 0.0), com):
        arms = np.array([[1.0, x - aside[0], y - aside[1]] for x, y in FEET]).T
        expected = np.linalg.pinv(arms) @ [20.0, 0.0, 0.0]
        for order in ((0, 1, 2, 3), (2, 3, 1, 0)):
            q = [1, 0, 0, 0, 0, 0, 0.12]
            motion = rbd.simulate(table(order, friction, aside), q, duration=0.01, dt=1e-3, contact=law)
            np.testing.assert_allclose(by_foot(motion, order)[:, 2], expected, rtol=0, atol=1e-6)  # of sweeps
            contacts = motion.contacts
            assert contacts.indeterminate.all() and len(contacts.indeterminate_sums) == 4
            assert "indeterminate" in repr(contacts) and contacts.at(0)[0].indeterminate
            assert any("stiffness would decide on shares" in note for note in motion.report.notes)


def test_plots_and_pictures_show_it():
    motion = rbd.simulate(table((0, 1, 2, 3), 0.5), [1, 0, 0, 0, 0, 0, 0.12], duration=0.01)
    (plot,) = contact_plots(motion)
    assert all("not determined" in name for name in plot.tabs[0].names)
    assert {arrow.color for arrow in touching(motion, 2, 0.01, 1.0).arrows} == {OPEN}


def test_three_legs_on_ice_are_determined():
    model = table((0, 1, 2), 0.0, com=(0.05, 0.0, 0.0))
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.12], duration=0.01)
    assert not motion.contacts.indeterminate.any() and motion.contacts.indeterminate_sums == ()
    assert not any("indeterminate" in note for note in motion.report.notes)
    assert not any("not determined" in name for name in contact_plots(motion)[0].tabs[0].names)


def test_corners_of_one_box_are_a_choice_and_their_sum_is_none():
    model = rbd.Model("box")
    size = (0.2, 0.1, 0.1)
    model.add_body("box", joint=rbd.Free(), inertia=rbd.Inertia.box(size, mass=1.0), geometry=rbd.Box(size))
    model.add_ground(friction=0.4)
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.05], duration=0.01)
    assert motion.contacts.indeterminate.all() and motion.contacts.indeterminate_sums == ()


def test_what_slides_keeps_friction_at_its_limit():
    model = table((3, 1, 0, 2), 0.3)
    motion = rbd.simulate(model, [1, 0, 0, 0, 0, 0, 0.12], [0, 0, 0, 2, 0, 0], duration=0.02)
    force = motion.contacts.force.reshape(-1, 4, 3)[1:-1]
    np.testing.assert_allclose(force[..., 0], -0.3 * force[..., 2], rtol=1e-6)
    np.testing.assert_allclose(force[..., 2].sum(axis=1), 20.0, rtol=1e-6)
    assert motion.contacts.indeterminate.all()
    np.testing.assert_allclose(motion.v[:, :3] * [1, 0, 1], 0.0, atol=1e-8)  # it does not turn aside


def test_compliant_surfaces_determine_their_forces():
    motion = rbd.simulate(
        table((0, 1, 2, 3), 0.5), [1, 0, 0, 0, 0, 0, 0.12], duration=0.002, dt=1e-4, contact="compliant"
    )
    assert not motion.contacts.indeterminate.any()


def test_cables_share_and_say_so():
    """Three that pull in one line, of which sweeps load the first alone."""
    model = rbd.Model("cables", gravity=(0, 0, -10))
    model.add_body("load", joint=rbd.Prismatic("z"), inertia=rbd.Inertia(3.0))
    for k in range(3):
        ends = {"at_a": (0.1 * k, 0, 0), "at_b": (0.1 * k, 0, 0)}
        model.add_constraint(f"cable{k}", rbd.TautString("world", "load", length=1.0, **ends))
    motion = rbd.simulate(model, [-1.0], duration=0.01)
    np.testing.assert_allclose(motion.contacts.push[1:-1], 10.0, rtol=1e-6)
    assert motion.contacts.indeterminate_sums == ("cable0", "cable1", "cable2")
    assert any("cable0, cable1, cable2 are indeterminate" in note for note in motion.report.notes)


def test_records_are_pickled_and_cut():
    motion = rbd.simulate(table((0, 1, 2, 3), 0.5), [1, 0, 0, 0, 0, 0, 0.12], duration=0.01)
    again = pickle.loads(pickle.dumps(motion.contacts))
    np.testing.assert_array_equal(again.force, motion.contacts.force)
    some = again.rows([2, -2])
    np.testing.assert_array_equal(some.force[:4], motion.contacts.force[8:12])
    assert some.indeterminate.all() and some.indeterminate_sums == motion.contacts.indeterminate_sums


def test_the_smallest_shares_are_those_that_another_solver_finds():
    """Random bodies on random points with friction, masses a millionfold apart: the same effect, cones, least norm."""
    rng = np.random.default_rng(2)
    constrained = 0
    for _ in range(25):
        m, mu = int(rng.integers(3, 6)), rng.choice([0.0, 0.3, 1.0], 5)
        mu = mu[:m]
        place = rng.uniform(-1.0, 1.0, (m, 3)) * [1.0, 1.0, 0.1]
        axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        J = np.array([np.concatenate([np.cross(r, a), a]) for r in place for a in axes])
        W = J @ np.diag(10.0 ** rng.uniform(-3.0, 3.0, 6)) @ J.T
        lam = np.column_stack([rng.uniform(0.0, 5.0, m), rng.normal(size=(m, 2))])
        size = np.hypot(lam[:, 1], lam[:, 2])
        lam[:, 1:] *= np.minimum(1.0, mu * lam[:, 0] / size)[:, None]
        found = least_shares(W, lam, mu, np.zeros((m, 2))).lam
        np.testing.assert_allclose(J.T @ found.ravel(), J.T @ lam.ravel(), atol=1e-7)
        assert (np.hypot(found[:, 1], found[:, 2]) <= mu * found[:, 0] + 1e-7).all() and found[:, 0].min() > -1e-7
        keep = np.concatenate([[True, mu_i > 0.0, mu_i > 0.0] for mu_i in mu])
        A = J.T[:, keep]
        null = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :].T
        constrained += np.abs(null.T @ found.ravel()[keep]).max(initial=0.0) > 1e-6

        def forces(y, lam=lam, keep=keep, null=null):
            x = lam.copy().ravel()
            x[keep] += null @ y
            return x.reshape(-1, 3)

        cones = [{"type": "ineq", "fun": lambda y, f=forces: f(y)[:, 0]}]
        cones.append(
            {"type": "ineq", "fun": lambda y, f=forces, mu=mu: (mu * f(y)[:, 0]) ** 2 - (f(y)[:, 1:] ** 2).sum(axis=1)}
        )
        other = minimize(lambda y, f=forces: (f(y) ** 2).sum(), np.zeros(null.shape[1]), constraints=cones, tol=1e-12)
        if null.shape[1] and other.success:
            np.testing.assert_allclose((found**2).sum(), other.fun, rtol=1e-5)
    assert constrained > 3


def test_round_off_across_a_plane_has_no_part_in_shares():
    """A sleeve that a pole squeezes from both sides, in a plane: what cannot move across it decides nothing."""
    J = np.array(
        [[1.0, 0.0, 0.1], [0.0, 1.0, 0.2], [0.0, 0.0, 0.0], [-1.0, 0.0, 0.1], [0.0, 1.0, -0.2], [0.0, 0.0, 0.0]]
    )
    lam = np.array([[0.4, -0.09, 0.0], [0.09, 0.025, 0.0]])
    found = []
    for seed in range(4):
        noise = 1e-15 * np.random.default_rng(seed).normal(size=(6, 6))
        W = J @ np.diag([50.0, 80.0, 9000.0]) @ J.T + noise + noise.T
        shares = least_shares(W, lam, np.array([0.3, 0.3]), np.zeros((2, 2)))
        assert shares.free.shape[2] == 1
        np.testing.assert_allclose(J.T @ (shares.lam - lam).ravel(), 0.0, atol=1e-9)
        found.append(shares.lam)
    np.testing.assert_allclose(found[1:], [found[0]] * 3, rtol=0, atol=1e-9)
