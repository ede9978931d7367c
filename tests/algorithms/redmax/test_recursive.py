"""Recursive hybrid dynamics, the inverse inertia product and constraints by the dual, against matrices."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms.redmax import (
    Bodies,
    InverseInertia,
    Rows,
    bodies_at,
    constrained_by_dual,
    hybrid_accelerations,
    hybrid_velocities,
    hyper_reduced_equation,
    recursive_hybrid,
    redmax_jacobian,
    reduced_equation,
)
from rbdkit.algorithms.solvers import InfeasibleError
from rbdkit.derivatives import stiffness_at
from rbdkit.errors import ModelError
from rbdkit.library import chain_pendulum, random_state

ROUND_OFF = 1e-10  # 28 bodies; the condition of H in these trees is below 1e5


@pytest.fixture(params=range(3))
def case(request, make_tree):
    seed = request.param
    model = make_tree(seed, False)
    q, v, tau = random_state(model, seed)
    return model, bodies_at(model, q, v, tau, t=0.4, passive=False), (q, v, tau), np.random.default_rng(seed)


def random_rows(bodies: Bodies, reduced: int, maximal: int, rng: np.random.Generator) -> Rows:
    G_r, G_m = rng.normal(size=(reduced, bodies.nv)), rng.normal(size=(maximal, 6 * bodies.n))
    return Rows(G_r, rng.normal(size=reduced), G_m, rng.normal(size=maximal))


@pytest.mark.source("S2.25")
def test_recursive_hybrid_dynamics_is_that_of_articulated_bodies(case, off):
    model, bodies, (q, v, tau), rng = case
    assert off(recursive_hybrid(bodies).qdd, algorithms.forward_dynamics_crba(model, q, v, tau, t=0.4)) < ROUND_OFF
    names = [joint.name for joint in model.joints[1:] if joint.nv and rng.uniform() < 0.5]
    qdd, others = rng.normal(size=model.nv), [j.name for j in model.joints[1:] if j.name not in names]
    found = recursive_hybrid(bodies, names, qdd)
    expected = algorithms.hybrid_aba(model, q, v, tau, qdd, others, t=0.4)
    assert off(found.qdd, expected.qdd) < ROUND_OFF
    assert off(found.tau, expected.tau) < ROUND_OFF


@pytest.mark.source("S2.25")
def test_all_accelerations_given_is_inverse_dynamics(case, off):
    model, bodies, (q, v, _), rng = case
    qdd = rng.normal(size=model.nv)
    found = recursive_hybrid(bodies, [joint.name for joint in model.joints[1:]], qdd)
    assert off(found.tau, algorithms.rnea_base(model, q, v, qdd, t=0.4)) < ROUND_OFF


@pytest.mark.source("S2.26")
def test_inverse_inertia_product_is_that_of_the_matrix(case, off):
    model, bodies, (q, *_), rng = case
    H, x = algorithms.crba(model, q, t=0.4).H, rng.normal(size=(model.nv, 3))
    assert off(InverseInertia(bodies).times(H @ x), x) < ROUND_OFF
    assert off(InverseInertia(bodies).times(H @ x[:, 0]), x[:, 0]) < ROUND_OFF


@pytest.mark.source("S2.26")
def test_with_stiffness_it_inverts_what_lies_on_the_diagonal(case, off):
    """The blocks of bodies and of joints on the diagonal of h D - h^2 K, and nothing else of it."""
    model, _, (q, v, _), rng = case
    bodies, h = bodies_at(model, q, v, t=0.4), 0.05
    stiffness = stiffness_at(model, bodies, q, t=0.4)
    first, added = 6 * bodies.n, stiffness.implicit(h).toarray()
    P = np.zeros_like(added)
    for j in bodies.order:
        for block in (bodies.block(j), slice(first + bodies.own[j].start, first + bodies.own[j].stop)):
            P[block, block] = added[block, block]
    along = np.vstack([redmax_jacobian(bodies), np.eye(model.nv)])
    x = rng.normal(size=model.nv)
    matrix = reduced_equation(bodies).M_r + along.T @ P @ along
    assert off(InverseInertia(bodies, stiffness, h).times(matrix @ x), x) < ROUND_OFF


@pytest.mark.source("S2.22")
def test_hybrid_dynamics_by_one_system_is_the_recursive_one(case, off):
    model, bodies, _, rng = case
    joints = [joint for joint in model.joints[1:] if joint.nv and rng.uniform() < 0.4]
    places = [a for joint in joints for a in range(joint.v_slice.start, joint.v_slice.stop)]
    qdd, h = rng.normal(size=model.nv), 0.01
    expected = recursive_hybrid(bodies, [joint.name for joint in joints], qdd)
    found = hybrid_accelerations(bodies, places, qdd[places])
    assert off(found.motion, expected.qdd) < ROUND_OFF
    assert off(found.tau, expected.tau[places] - bodies.f_r[places]) < ROUND_OFF  # beside those that act anyway
    step = hybrid_velocities(bodies, places, h, qdd=qdd[places])
    assert off(step.motion, bodies.qd + h * expected.qdd) < ROUND_OFF
    assert off(step.tau, found.tau) < 1e-8  # momenta of a step of 0.01 s hide two digits of forces
    still = hybrid_velocities(bodies, places, h, qd=np.zeros(len(places)))
    assert np.abs(still.motion[places]).max() < ROUND_OFF
    assert off(hybrid_velocities(bodies, places, h, qdd=-bodies.qd[places] / h).tau, still.tau) < 1e-8


@pytest.mark.source("S2.25")
def test_equations_by_the_dual_are_those_of_the_saddle_point(case, off):
    model, bodies, _, rng = case
    k = 4
    rows = random_rows(bodies, k, k, rng)
    found, reduced = constrained_by_dual(bodies, rows), reduced_equation(bodies)
    G = np.vstack([rows.G_r, rows.G_m @ reduced.J])
    b = np.concatenate([rows.b_r, rows.b_m - rows.G_m @ bodies.stacked(bodies.drift)])
    A = np.block([[reduced.M_r, -G.T], [G, np.zeros((2 * k, 2 * k))]])
    expected = np.linalg.solve(A, np.concatenate([reduced.f_r, b]))
    assert off(found.qdd, expected[: model.nv]) < 1e-8  # the Delassus matrix has the condition of G M^-1 G^T
    assert off(found.multipliers, expected[model.nv :]) < 1e-8


@pytest.mark.source("S2.25")
def test_bounds_by_the_dual_obey_the_conditions_of_the_least(case, off):
    """Karush, Kuhn and Tucker: nothing missing, forces that only push, and only where nothing is left over."""
    model, bodies, _, rng = case
    m = 6
    equations = Rows.reduced(bodies, rng.normal(size=(2, model.nv)), rng.normal(size=2))
    bounds = random_rows(bodies, m, 2, rng)
    found, reduced = constrained_by_dual(bodies, equations, bounds), reduced_equation(bodies)
    missing, scale = bounds.wanting(bodies, found.qdd), 1.0 + np.abs(found.qdd).max()
    assert (missing < 1e-8 * scale).all()
    assert (found.bounds >= 0.0).all()
    assert 0 < np.count_nonzero(found.bounds) < m + 2
    assert np.abs(missing * found.bounds).max() < 1e-6 * scale * found.bounds.max()
    assert np.abs(equations.wanting(bodies, found.qdd)).max() < 1e-8 * scale
    assert off(reduced.M_r @ found.qdd, reduced.f_r + found.force) < 1e-8


def test_bounds_that_contradict_each_other_are_refused():
    bodies = bodies_at(chain_pendulum(2), np.zeros(2), np.zeros(2))
    rows = Rows.reduced(bodies, np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 1.0]))
    with pytest.raises(InfeasibleError):
        constrained_by_dual(bodies, Rows.none(bodies), rows)


def test_equations_that_say_a_thing_twice_are_refused():
    bodies = bodies_at(chain_pendulum(2), np.zeros(2), np.zeros(2))
    rows = Rows.reduced(bodies, np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros(2))
    with pytest.raises(ModelError, match="depend on each other"):
        constrained_by_dual(bodies, rows)


@pytest.mark.source("S2.18")
def test_hyper_reduced_chain_is_the_one_whose_joints_follow(off):
    """Joints that all turn alike, once by J_rR and once as joints of the model that mimic the first."""
    free, tied = rbd.Model("free"), rbd.Model("tied")
    for k in range(5):
        for model in (free, tied):
            after = rbd.Mimic("hinge0") if model is tied and k else None
            model.add_body(
                f"rod{k}", f"rod{k - 1}" if k else "world", rbd.Revolute("y"), [0, 0, -0.3 if k else 0],
                rbd.Inertia.box([0.02, 0.02, 0.3], mass=1.0).transformed(rbd.pose(position=[0, 0, -0.15])),
                joint_name=f"hinge{k}", mimic=after,
            )  # fmt: skip
    angle, rate, J = 0.3, 1.7, np.ones((5, 1))
    found = hyper_reduced_equation(bodies_at(free, np.full(5, angle), np.full(5, rate)), J)
    expected = algorithms.forward_dynamics_crba(tied, np.array([angle]), np.array([rate]), np.zeros(1))
    assert off(found.accelerations(), expected) < 1e-13
    same = reduced_equation(bodies_at(tied, np.array([angle]), np.array([rate])))
    assert off(found.M_r, same.M_r) < 1e-13


@pytest.mark.source("S2.18")
def test_hyper_reduced_coordinates_that_bend_keep_energy():
    """qd = J(s) s' with a J that varies: the energy of the one freedom stays along its acceleration."""
    model = chain_pendulum(3)
    angles = lambda s: np.array([s, s * s, np.sin(s)])  # noqa: E731
    rates = lambda s: np.array([[1.0], [2.0 * s], [np.cos(s)]])  # noqa: E731
    bends = lambda s: np.array([[0.0], [2.0], [-np.sin(s)]])  # noqa: E731
    s, speed, h = 0.4, 1.3, 1e-4

    def energy(s: float, speed: float) -> float:
        return float(rbd.energy(model, angles(s), rates(s)[:, 0] * speed).total)

    bodies = bodies_at(model, angles(s), rates(s)[:, 0] * speed)
    equation = hyper_reduced_equation(bodies, rates(s), bends(s) * speed, np.array([speed]))
    a = float(equation.accelerations()[0])
    ends = [energy(s + k * h * speed + 0.5 * (k * h) ** 2 * a, speed + k * h * a) for k in (-1, 1)]
    assert abs(ends[1] - ends[0]) / (2 * h) < 1e-6  # W; the energy is some J, differences of it keep 7 digits


def test_joints_that_follow_are_refused_by_name(make_tree):
    model = make_tree(0, True)
    bodies = bodies_at(model, model.neutral(), np.zeros(model.nv))
    for algorithm in (recursive_hybrid, InverseInertia):
        with pytest.raises(ModelError, match=r"follower_joint.* follows 'leads'"):
            algorithm(bodies)
    with pytest.raises(ModelError, match="no joint 'knee'"):
        recursive_hybrid(bodies, ["knee"])
