"""Loops whose rows depend on each other: everywhere that they are closed, or at single poses."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.formulations import SE3, Bodywise, ConstrainedBodies, SO3xR3
from rbdkit.formulations.constrained import compiled
from rbdkit.integrators import RK4, GeneralizedAlpha, Projected
from rbdkit.library import random_tree, rectangular_bricard, sarrus_linkage
from rbdkit.model.closing.rank import CEILING, FLOOR
from rbdkit.simulation import SimulationWarning

GRAVITY = 9.81


def run_compiled(system, method, h, steps, x, v):
    run = system.compiled_run(method, h * np.arange(steps + 1), x, v, 1, lambda done: None)
    assert not run.ran_away
    return run.q, run.v


def run_stepped(system, method, h, steps, x, v):
    states = [method.init(system, 0.0, x, v)]
    for _ in range(steps):
        states.append(method.step(system, states[-1], h))
    return np.array([s.x for s in states]), np.array([s.v for s in states])


def at_rest(system):
    return system.state(system.model.neutral(), np.zeros(system.model.nv))


@pytest.mark.parametrize("system_class", [SE3, SO3xR3, Bodywise])
def test_bricards_linkage_moves_alike_compiled_and_from_python(system_class, monkeypatch):
    """Six bars, one redundant row. At the stages of a step the loop stands open by 1e-5: with a fixed limit there the
    redundant row is taken for one that says something, and the linkage is off by metres after a second.
    """
    system = system_class(rectangular_bricard())
    ranks, arrays = [], {}
    rate, loop_arrays = ConstrainedBodies.rate, compiled.loop_arrays_of

    def seen(self, t, x, v):
        ranks.append(self.index1(t, x, v).rank)
        return rate(self, t, x, v)

    def kept(system):
        arrays.update(loop_arrays(system))
        return arrays

    monkeypatch.setattr(ConstrainedBodies, "rate", seen)
    monkeypatch.setattr(compiled, "loop_arrays_of", kept)
    h, steps = 1e-2, 100
    xs, vs = run_stepped(system, RK4(), h, steps, *at_rest(system))
    assert set(ranks) == {29}
    x, v = run_compiled(system, RK4(), h, steps, *at_rest(system))
    np.testing.assert_allclose(x, xs, rtol=0, atol=1e-13)
    np.testing.assert_allclose(v, vs, rtol=0, atol=1e-12)
    for k in (0, 30, 60, 99):  # "rank" counts the rows of the loop that the last stage of a step took
        run_compiled(system, RK4(), h, 1, xs[k], vs[k])
        assert arrays["rank"][0] == 29 - 25


@pytest.mark.parametrize("system_class", [SE3, SO3xR3, Bodywise])
def test_bricards_linkage_keeps_its_loop_and_its_energy(system_class):
    """Which is all there is to say of one freedom: over seconds, and with order four when the step is halved."""
    system = system_class(rectangular_bricard(1.0, 0.8, 0.9))
    errors = []
    for h in (1e-2, 5e-3):
        x, v = run_compiled(system, RK4(), h, round(4.0 / h), *at_rest(system))
        energy = system.energy(x, v).total
        errors.append((np.ptp(energy), np.abs(system.constraint_error(x)).max()))
        assert np.ptp(system.energy(x, v).kinetic) > 1.0
    assert errors[1][0] < 1e-7 and errors[1][1] < 1e-7
    assert errors[0][0] > 8.0 * errors[1][0] and errors[0][1] > 8.0 * errors[1][1]


@pytest.mark.parametrize("method", [Projected(RK4()), GeneralizedAlpha(rho=1.0)], ids=lambda method: method.name)
def test_bricards_linkage_moves_alike_with_its_loop_kept_closed(method):
    """Against the plain method with a short step; generalized alpha solves other equations, without accelerations of
    the constraints, with errors of order two."""
    system = SE3(rectangular_bricard())
    x, v = at_rest(system)
    exact = run_compiled(system, RK4(), 1e-3, 400, x, v)[0][-1]
    ends = [run_stepped(system, method, h, round(0.4 / h), x, v)[0] for h in (0.04, 0.02)]
    off = [np.abs(end[-1] - exact).max() for end in ends]
    assert off[0] / off[1] > 0.8 * 2.0**method.order
    assert off[1] < (1e-6 if method.order == 4 else 2e-3)
    assert np.abs(system.constraint_error(ends[1])).max() < 1e-12


def sarrus_angle(model, length, start, times):
    """Angle of the lower bars over the level, from the equation of motion of one freedom (Lagrange, by hand).

    Lower bars turn about their ends; upper bars turn the other way, with their centres at 1.5 of the height of the
    lower bars' tips and half as far out; the platform rises by twice that height.
    """
    I = model.body("lower_x").inertia.matrix[1, 1]  # about the hinge
    m, plate = model.body("lower_x").inertia.mass, model.body("platform").inertia.mass
    own = I - m * (0.5 * length) ** 2

    def slope(_, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        # T = [2 (I + own) + 2 m l^2 (s^2/4 + 9 c^2/4) + 4 M l^2 c^2] w^2 / 2 ; V = g l s (2 m (1/2 + 3/2) + 2 M)
        inertia = 2 * (I + own) + 2 * m * length**2 * (0.25 * s * s + 2.25 * c * c) + 4 * plate * length**2 * c * c
        change = (4.0 * m * (0.25 - 2.25) - 8.0 * plate) * length**2 * s * c
        return y[1], -(0.5 * change * y[1] ** 2 + GRAVITY * length * c * (4 * m + 2 * plate)) / inertia

    found = solve_ivp(slope, (0.0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12)
    return found.y[0]


@pytest.mark.parametrize("system_class", [SE3, SO3xR3])
def test_sarrus_linkage_moves_as_lagrange_says(system_class):
    """The platform goes straight down; six hinges, one redundant row."""
    model = sarrus_linkage(length=0.5, rise=0.6)
    system = system_class(model)
    times = 2e-3 * np.arange(101)
    x, _ = run_compiled(system, RK4(), 2e-3, 100, *at_rest(system))
    poses = system.poses(x)[:, model.body("platform").index]
    np.testing.assert_allclose(poses[:, 2, 3], np.sin(sarrus_angle(model, 0.5, (0.6, 0.0), times)), rtol=0, atol=1e-9)
    assert np.abs(poses[:, :3, :3] - np.eye(3)).max() < 1e-9
    assert np.abs(poses[:, :2, 3] - [0.2, 0.0]).max() < 1e-9


def parallelogram(crank=0.4, base=1.0):
    model = rbd.Model("parallelogram")
    side = rbd.Inertia.box([0.05, 0.05, crank], mass=1.0).transformed(rbd.pose(position=[0, 0, 0.5 * crank]))
    rod = rbd.Inertia.box([base, 0.05, 0.05], mass=2.0).transformed(rbd.pose(position=[0.5 * base, 0, 0]))
    model.add_body("crank1", joint=rbd.Revolute("y"), inertia=side)
    model.add_body("coupler", "crank1", rbd.Revolute("y"), [0, 0, crank], rod)
    model.add_body("crank2", joint=rbd.Revolute("y"), placement=[base, 0, 0], inertia=side)
    model.add_loop("close", "coupler", "crank2", rbd.Revolute("y"), [base, 0, 0], [0, 0, crank])
    return model


def crank_angle(model, start, times):
    """(2 I + m l^2) a'' = (2 M l/2 + m l) g sin a, a from the vertical; smooth where all links are in a line."""
    rate = (2 * 0.2 + 2 * 0.4) * GRAVITY / (2 * model.I[1][1, 1] + 2 * 0.4**2)
    found = solve_ivp(lambda _, y: (y[1], rate * np.sin(y[0])), (0, times[-1]), start, "DOP853", times, rtol=1e-12)
    return found.y[0]


def test_a_parallelogram_passes_where_its_links_are_in_a_line():
    """Its loop kept closed, on the branch that it came on, with the accuracy that it has elsewhere: twice, and when it
    stands in the line at a stage of a step exactly.
    """
    model = parallelogram()
    system, h, steps = SE3(model), 5e-3, 130
    starts = [(0.7, 1.3), (0.5 * np.pi - 1.5 * h * 6.0, 6.0), (0.5 * np.pi, 4.0)]
    for angle, speed in starts:
        x, v = system.state(np.array([angle, -angle, angle]), np.array([speed, -speed, speed]))
        n = steps if angle == 0.7 else 20
        xs, vs = run_stepped(system, Projected(RK4()), h, n, x, v)
        R = xs.reshape(n + 1, 3, 12)[:, 0]
        found = np.unwrap(np.arctan2(R[:, 2], R[:, 0]))
        expected = crank_angle(model, (angle, speed), h * np.arange(n + 1))
        assert angle != 0.7 or (np.sum(np.diff(np.sign(np.cos(expected))) != 0) == 2)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)
        assert np.ptp(system.energy(xs, vs).total) < 1e-4


def test_a_run_through_lost_rank_comes_back_and_says_so():
    """With the plain method the loop opens a little at each pass; the report names the first one."""
    model = parallelogram()
    with pytest.warns(SimulationWarning, match="CONSTRAINTS VIOLATED: joint 'close'"):
        motion = rbd.simulate(
            model, [0.7, -0.7, 0.7], [1.3, -1.3, 1.3], duration=2.0, dt=5e-3, formulation="se3", progress=False
        )
    passed = np.flatnonzero(np.diff(np.sign(np.cos(crank_angle(model, (0.7, 1.3), motion.t)))))[0] * 5e-3
    (note,) = [note for note in motion.report.notes if "lose rank" in note]
    assert "rk4_projected" in note
    assert float(note.split("t = ")[1].split()[0]) == pytest.approx(passed, abs=0.011)
    start = rbd.simulate(
        model, np.array([0.5, -0.5, 0.5]) * np.pi, [2.0, -2.0, 2.0], duration=0.2, dt=5e-3, formulation="se3",
        progress=False,
    )  # fmt: skip
    assert any(note.startswith("the motion starts where") for note in start.report.notes)
    fine = rbd.simulate(rectangular_bricard(), duration=0.5, dt=5e-3, formulation="se3", progress=False)
    assert not fine.report.notes


def test_a_loop_that_time_drives_stands_open_by_nothing():
    """The gap is measured from where the driven joint is to be at that time."""
    model = parallelogram()
    crank = rbd.Prescribed(rbd.Revolute("y"), lambda t: (np.array([0.3 + t]), np.ones(1), np.zeros(1)))
    driven = rbd.Model("driven parallelogram")
    rod, side = model.body("coupler").inertia, model.body("crank2").inertia
    driven.add_body("crank1", joint=crank, inertia=side)
    driven.add_body("coupler", "crank1", rbd.Revolute("y"), [0, 0, 0.4], rod)
    driven.add_body("crank2", joint=rbd.Revolute("y"), placement=[1.0, 0, 0], inertia=side)
    driven.add_loop("close", "coupler", "crank2", rbd.Revolute("y"), [1.0, 0, 0], [0, 0, 0.4])
    motion = rbd.simulate(
        driven, [-0.3, 0.3], [-1.0, 1.0], duration=0.5, dt=0.01, formulation="se3", integrator="rk4_projected",
        progress=False,
    )  # fmt: skip
    assert motion.system.gap(motion.t, motion.x).max() < 1e-12
    assert motion.system.index1(0.5, motion.x[-1], motion.w[-1]).freedom == 0
    assert not any("rank" in note for note in motion.report.notes)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_whatever_becomes_of_such_a_run_its_poses_are_poses():
    """Ten seconds from many starts: some run away, which ends them; none leaves something that is no rotation."""
    model = parallelogram()
    system, rng = SE3(model), np.random.default_rng(0)
    for _ in range(26):
        speed, angle = rng.uniform(-4, 4), rng.uniform(-3, 3)
        x, v = system.state(np.array([angle, -angle, angle]), np.array([speed, -speed, speed]))
        times = 5e-3 * np.arange(2001)
        run = system.compiled_run(RK4(), times, x, v, 10, lambda done: None)
        R = system.poses(run.q)[..., :3, :3]
        assert np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max() < 1e-9


@pytest.mark.parametrize("formulation", ["se3", "quaternion", "local_velocity"])
def test_a_step_that_turns_beyond_all_measure_ends_the_run(formulation):
    """Sines of compiled code end at 1e9 rad: what they turn is no rotation any more."""
    model = rbd.Model("spinner", gravity=(0, 0, 0))
    model.add_body("body", joint=rbd.Free(), inertia=rbd.Inertia(1.0, inertia_com=np.eye(3)))
    system = rbd.formulations.FORMULATIONS[formulation](model)
    fast = 1e4 if formulation == "local_velocity" else 1e6  # there a rounding error in w turns the axis of the body
    for spin, ends in ((fast, False), (1e13, True)):
        x, v = system.state(model.neutral(), np.array([spin, 0, 0, 0, 0, 0]))
        run = system.compiled_run(RK4(), 1e-3 * np.arange(4), x, v, 1, lambda done: None)
        assert run.ran_away == ends
        R = system.poses(run.q)[:, 1, :3, :3]
        assert np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max() < 1e-9


JOINTS = [rbd.Fixed(), rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"),
          rbd.Planar("x"), rbd.Planar(translation="successor"), rbd.Spherical(), rbd.Universal()]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "joints", [JOINTS, *([joint] for joint in JOINTS)], ids=lambda joints: "-".join(j.kind for j in joints)
)
def test_gaps_are_the_residuals_of_the_joints(joints, seed):
    """To first order, with shifts divided by the length; also where a joint has turned round several times.

    The largest gap hides the others, so each type stands alone, too.
    """
    model = random_tree(seed, 10 if len(joints) > 1 else 1, joints)
    system = SE3(model)
    x, _ = system.state(model.random_q(seed), np.zeros(model.nv))
    assert system.gaps.largest(system.reference_poses(x)) < 1e-14
    rng = np.random.default_rng(seed)
    for size in (1e-3, 1e-6):
        off = system.move(x, size * rng.normal(size=6 * system.n))
        g = system.constraint_error(off)
        found, length = [], system.gaps.length
        for place, rows in zip(system.constraints.joints, system.constraints.rows, strict=True):
            T = place.type.constraint_subspace(place.type.neutral())
            turning = np.linalg.norm(T[:3], axis=0) > 0
            own = g[rows] / (min(1.0, length) if place.type.kind == "universal" else np.where(turning, 1.0, length))
            found.append(np.linalg.norm(own))
        assert system.gaps.largest(system.reference_poses(off)) == pytest.approx(max(found), rel=300 * size)


def test_the_limit_follows_the_gap():
    """s^2 of a redundant row off the manifold stays below the gap, that of rows that say something above."""
    system = SE3(rectangular_bricard())
    x, v = at_rest(system)
    rng = np.random.default_rng(4)
    for size in (1e-3, 1e-5, 1e-7):
        here = system.index1(0.0, system.move(x, size * rng.normal(size=30)), v)
        assert FLOOR <= here.loops.limit <= CEILING
        assert here.rank == 29 and here.weakest > 0.05
        s = np.linalg.svd(here.J)[1]
        assert s[-1] < 10.0 * here.loops.gap and s[-2] > 0.2


def test_bodies_that_only_a_loop_gives_inertia():
    """A massless tip that a loop pins to a body with mass: the tree alone cannot answer, so J decides."""
    model = rbd.Model("pinned tip")
    bar = rbd.Inertia(1.0, [0, 0, -0.5], 0.1 * np.eye(3))
    model.add_body("bar", joint=rbd.Revolute("y"), inertia=bar)
    model.add_body("tip", "bar", rbd.Revolute("y"), [0, 0, -1.0])
    model.add_loop("weld", "tip", "bar", rbd.Fixed(), None, [0, 0, -1.0])
    system = SE3(model, reference="body")
    assert not system.tree_has_inertia and "no inertia" in system.obstacle(None)
    here = system.index1(0.0, *system.state(np.array([0.3, 0.0]), np.array([1.0, 0.0])))
    assert (here.rank, here.redundant, here.freedom) == (11, 5, 1)
    assert here.accelerations()[1] == pytest.approx(-GRAVITY * 0.5 * np.sin(0.3) / 0.35, rel=1e-12)


def test_responses_of_light_bodies_are_those_of_heavy_ones_times_their_ratio():
    """The limit for rows of loops follows the masses, however small all of them are."""
    free = {}
    for scale in (1.0, 1e-3):
        model = parallelogram()
        changed = {f"{body.name}.mass": scale * body.inertia.mass for body in model.bodies[1:]}
        changed |= {f"{body.name}.inertia": scale * body.inertia.inertia_com for body in model.bodies[1:]}
        free[scale] = SE3(model.with_parameters(changed)).compared[1]
    np.testing.assert_allclose(1e-3 * free[1e-3], free[1.0], rtol=1e-12)


def test_responses_are_those_of_free_bodies_whose_mass_lies_around_the_joint():
    model = parallelogram()
    model.add_loop("brace", model.bodies[1].name, model.bodies[-1].name, rbd.Planar())
    system, expected = SE3(model), []
    for loop in model.loops:
        T = loop.joint.type.constraint_subspace(loop.joint.type.neutral())
        response = np.zeros(T.shape[1])
        for body in (loop.predecessor, loop.successor):
            if body:
                inertia = model.bodies[body].inertia.mass * np.diag([system.gaps.length**2] * 3 + [1.0] * 3)
                response += np.diag(T.T @ np.linalg.solve(inertia, T))
        expected.append(response)
    np.testing.assert_allclose(system.compared[1], np.concatenate(expected), rtol=1e-14)
