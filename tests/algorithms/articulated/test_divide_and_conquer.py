"""Divide and conquer: any order of assembly, logarithmic depth, loops; and what the recursion costs."""

import math

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import divide_and_conquer, project_handles
from rbdkit.algorithms.articulated import Articulated, Connection, handles, take_apart
from rbdkit.algorithms.articulated.assembly_tree import balanced, bodies_of, depth, one_by_one
from rbdkit.engine.run.counting import operations
from rbdkit.errors import ModelError, StateError
from rbdkit.formulations.constrained.bodies import ConstrainedBodies
from rbdkit.library import planar_four_bar, random_state, random_tree, three_bar_linkage


def chain(n):
    return random_tree(0, n, [rbd.Revolute("z")], branching=0.0)


def random_order(model, rng):
    """Parts picked at random and put together, neighbours or not."""
    parts = [body.name for body in model.bodies]
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        pair = (parts[i], parts[j])
        parts = [part for k, part in enumerate(parts) if k not in (i, j)] + [pair]
    return parts[0]


@pytest.mark.source("F7.11")
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_assembly_does_not_matter(seed, geared_tree, off):
    """One after the other, halved, and at random: parts that no joint connects too. All as ABA has it."""
    model, q, v, tau, f_ext = geared_tree(seed)
    rng = np.random.default_rng(seed)
    expected = algorithms.aba(model, q, v, tau, f_ext=f_ext).qdd
    for order in (one_by_one(model), balanced(model), random_order(model, rng), random_order(model, rng)):
        found = divide_and_conquer(model, q, v, tau, f_ext=f_ext, order=order)
        assert found.order == order and found.repeated == 0
        assert len(found.assemblies) == len(model.bodies) - 1
        assert sum(len(assembly.joints) for assembly in found.assemblies) == len(model.bodies) - 1
        assert off(found.qdd, expected) < 1e-10


@pytest.mark.source("F7.11")
def test_depth_of_a_chain_is_the_logarithm():
    for n in (1, 3, 7, 31, 127):  # with the world powers of two
        assert depth(balanced(chain(n))) == math.log2(n + 1)
        assert depth(one_by_one(chain(n))) == n
    for n in (5, 20, 100):
        assert depth(balanced(chain(n))) == math.ceil(math.log2(n + 1))


@pytest.mark.source("F7.11")
@pytest.mark.parametrize("seed", range(10))
def test_depth_of_a_tree_is_logarithmic(seed):
    """With at most d joints on a body a part has a joint that leaves neither side less than 1/d of it, roughly."""
    model = random_tree(seed, 60, [rbd.Revolute("z")], branching=0.5)
    joints = [1 + len(model.children(i)) for i in range(len(model.bodies))]
    d = max(*joints, 2)
    assert depth(balanced(model)) <= math.ceil(math.log(61) / math.log(d / (d - 1))) + 1
    assert sorted(bodies_of(balanced(model))) == sorted(body.name for body in model.bodies)


@pytest.mark.source("F7.11", "F7.02")
@pytest.mark.parametrize("seed", range(3))
def test_an_assembled_piece_is_what_projection_says_of_it(seed, off):
    """Eq 7.63 against Eq 7.9: a chain of four with a free base, its ends as handles."""
    model = rbd.Model(gravity=(0.3, -0.2, -9.0))
    arm = random_tree(seed, 3, branching=0.0)
    model.add_body("b0", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.3, 0.4), mass=1.0))
    for body in arm.bodies[1:]:
        model.add_body(body.name, f"b{body.index - 1}", body.joint.type, body.joint.placement, body.inertia)
    q, v, tau = random_state(model, seed)
    tau[:6] = 0.0  # the free joint does not push
    system = take_apart(model, q, v, tau)
    pieces = []
    for i in range(1, 5):  # every link with a handle for each neighbour; the ends' are joints yet to come
        ends = [("left" if i == 1 else f"J{i}", 2), ("right" if i == 4 else f"J{i + 1}", 1)]
        Phi, b = system.inverse(i)
        active = system.joint(i).f_a - (system.joint(i + 1).f_a if i < 4 else 0.0)
        pieces.append(Articulated.rigid(ends, Phi, b + Phi @ active))
    joints = {i: renamed(system.joint(i), f"J{i}") for i in range(2, 5)}
    left = handles.assemble(pieces[0], pieces[1], [joints[2]]).body
    right = handles.assemble(pieces[2], pieces[3], [joints[4]]).body
    whole = handles.assemble(left, right, [joints[3]]).body
    assert whole.handles == (("left", 2), ("right", 1))
    projected = project_handles(model, q, v, tau, ["b0", "b3"])
    to_bodies = np.kron(np.eye(2), np.zeros((6, 6)))
    to_bodies[:6, :6], to_bodies[6:, 6:] = system.X[1], system.X[4]
    assert off(to_bodies @ whole.Phi @ to_bodies.T, projected.Phi) < 1e-10
    g = np.concatenate([np.zeros(3), model.gravity])
    assert off(to_bodies @ (whole.b + np.tile(g, 2)), projected.b) < 1e-10
    with pytest.raises(ModelError, match=r"'J3' must have one handle in each"):
        handles.assemble(left, left, [joints[3]])


def renamed(joint: Connection, name: str) -> Connection:
    return Connection.make(name, joint.handles, joint.S, joint.T, joint.c, joint.tau, joint.rotor, joint.T_a)


def maximal(model, q, v, tau, f_ext):
    """True accelerations (n - 1, 6) from all bodies and all joint constraints in one system: no assembly, no tree."""
    bodies = ConstrainedBodies(
        model, tau=lambda t, x, w: tau, f_ext=lambda t, x, w: f_ext, groups="se3", reference="body"
    )
    x, w = bodies.state(q, v)
    system = bodies.index1(0.0, x, w)
    assert np.abs(system.slip).max() < 1e-12 and np.abs(bodies.constraint_error(x)).max() < 1e-13
    return system.solve()[0].reshape(-1, 6), system.redundant


def true_accelerations(model, q, found):
    R = rbd.forward_kinematics(model, q).poses[1:, :3, :3]
    return found.a[1:] + np.array([[*np.zeros(3), *(R_i.T @ model.gravity)] for R_i in R])


@pytest.mark.source("F7.12")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "kinds",
    [
        [rbd.Spherical()],
        [rbd.Revolute("z"), rbd.Cylindrical("x")],
        [rbd.Planar("y"), rbd.Prismatic("x"), rbd.Spherical()],
        [rbd.Universal("x", "y"), rbd.Helical("z", pitch=0.3)],
    ],
    ids=lambda kinds: "+".join(kind.kind for kind in kinds),
)
def test_loops_of_all_kinds_against_the_whole_system(kinds, seed, looped, off):
    """One to three loops in a tree, external forces, joint forces; in three orders. The dense system has cond 1e6."""
    model, q, v, tau, f_ext = looped(seed, kinds)
    expected, redundant = maximal(model, q, v, tau, f_ext)
    rng = np.random.default_rng(seed)
    for order in (balanced(model), one_by_one(model), random_order(model, rng)):
        found = divide_and_conquer(model, q, v, tau, f_ext=f_ext, order=order)
        assert off(true_accelerations(model, q, found), expected) < 1e-8
        assert found.repeated == redundant


@pytest.mark.source("F7.12")
def test_a_flat_loop_repeats_constraints(off):
    """Four bars and four hinges in a plane: three constraints say what others say, and Y is singular.

    1e-9: the inverse inertias of thin bars are large about their length, 1e3 times those across.
    """
    model = planar_four_bar()
    q, tau = model.neutral(), np.array([1.0, -0.5, 0.3])
    v = motion_of_the_loop(model, q)
    f_ext = np.random.default_rng(0).normal(size=(len(model.bodies), 6))
    expected, redundant = maximal(model, q, v, tau, f_ext)
    assert redundant == 3
    for order in (balanced(model), one_by_one(model)):
        found = divide_and_conquer(model, q, v, tau, f_ext=f_ext, order=order)
        assert found.repeated == 3
        assert off(true_accelerations(model, q, found), expected) < 1e-9


def motion_of_the_loop(model, q):
    """The one motion that keeps the loop closed, at 2 rad/s of the crank."""
    system = take_apart(model, q, np.zeros(3), np.zeros(3))
    loop = system.loops[0]
    V = np.array([take_apart(model, q, e, np.zeros(3)).v for e in np.eye(3)])
    K = loop.T.T @ (V[:, loop.handles[1]] - V[:, loop.handles[0]]).T
    v = np.linalg.svd(K)[2][-1]
    assert np.abs(K @ v).max() < 1e-14
    return 2.0 * v / v[0]


@pytest.mark.source("F7.12")
def test_a_linkage_in_space(off):
    model, q, v = three_bar_linkage()
    nothing = np.zeros((3, 6))
    expected, redundant = maximal(model, q, v, np.zeros(6), nothing)
    found = divide_and_conquer(model, q, v, np.zeros(6))
    assert found.repeated == redundant == 0
    assert off(true_accelerations(model, q, found), expected) < 1e-12


@pytest.mark.source("F7.12")
def test_forces_in_a_loop_hold_the_bodies_where_they_go(looped, off):
    """Newton and Euler for every body with all joint forces on it, the loops' too."""
    model, q, v, tau, f_ext = looped(1, [rbd.Spherical(), rbd.Revolute("z")])
    found, system = divide_and_conquer(model, q, v, tau, f_ext=f_ext), take_apart(model, q, v, tau, f_ext=f_ext)
    total = np.zeros((len(model.bodies), 6))
    for joint in [system.joint(i) for i in model.outward] + system.loops:
        p, s = joint.handles
        f = system.X[s].T @ found.f[joint.name]
        total[s] += f
        total[p] -= f
        np.testing.assert_allclose(joint.S.T @ f, joint.tau, atol=1e-9 * np.abs(f).max())
    for i in model.outward:
        I, p = system.bodies[i]
        needed = I @ np.linalg.solve(system.X[i], found.a[i]) + p
        assert off(total[i], needed, np.abs(p).max()) < 1e-9


@pytest.mark.source("F7.12")
def test_a_loop_in_contradiction_is_refused():
    """A body that is fixed to the ground, and that a motor on the ground is to accelerate."""
    model = rbd.Model()
    model.add_body("anvil", inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    motor = rbd.Prescribed(rbd.Prismatic("x"), lambda t: ([0.0], [0.0], [3.0]))
    model.add_loop("motor", "world", "anvil", motor)
    with pytest.raises(StateError, match=r"'anvil_joint', 'motor' repeat constraints but ask.*close the loop"):
        divide_and_conquer(model, np.zeros(0), np.zeros(0), np.zeros(0))
    tied = random_tree(0, 2)
    tied.add_loop("knot", "b1", "b1", rbd.Spherical())
    with pytest.raises(ModelError, match=r"'knot' connects body 1 to itself"):
        divide_and_conquer(tied, *random_state(tied, 0))


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("world", "b1"), r"'b2' is missing"),
        ((("world", "b1"), ("b2", "b1")), r"'b1' is there more than once"),
        ((("world", "b1"), ("b2", "b3")), r"'b3' is unknown"),
        (("world", "b1", "b2"), r"neither the name of a body nor a pair"),
        ((("world", 1), "b2"), r"1 is neither"),
    ],
)
def test_orders_that_are_none(order, message):
    model = chain(2)
    with pytest.raises(ModelError, match=message):
        divide_and_conquer(model, *random_state(model, 0), order=order)


@pytest.mark.source("F7.07")
def test_the_cost_of_aba_grows_by_the_same_number_with_every_body():
    """Operations of the code that runs, for chains of up to 1000 bodies: O(n) to the last multiplication."""

    def cost(n):
        count = operations(chain_of_equal_links(n), "aba")
        return np.array([count.mul, count.add, count.div])

    each = cost(4) - cost(3)
    assert (each > 0).all()
    for n in (10, 1000):
        np.testing.assert_array_equal(cost(n), cost(3) + (n - 3) * each)


def chain_of_equal_links(n):
    model = rbd.Model("chain")
    link = rbd.Inertia.box((0.1, 0.1, 0.5), mass=1.0).transformed(rbd.pose(position=(0.1, 0.05, 0.25)))
    for k in range(1, n + 1):
        parent = "world" if k == 1 else f"b{k - 1}"
        model.add_body(f"b{k}", parent, rbd.Revolute("z"), (0.1, 0.2, 0.3), link)
    return model


@pytest.mark.source("F7.07")
def test_a_chain_of_a_thousand_bodies(off):
    """Every joint force of RNEA comes back; the same motion by divide and conquer would be ten assemblies deep."""
    model = chain_of_equal_links(1000)
    rng = np.random.default_rng(0)
    q, tau = 0.01 * rng.normal(size=1000), rng.normal(size=1000)
    qdd = algorithms.aba(model, q, np.zeros(1000), tau).qdd
    inverse = algorithms.rnea(model, q, np.zeros(1000), qdd)
    assert off(inverse.tau, tau, np.abs(inverse.f).max()) < 1e-11
    assert depth(balanced(model)) == 10
