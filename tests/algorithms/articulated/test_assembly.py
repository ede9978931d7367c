"""Two articulated bodies joined into one: all formulas, their derivation, and forward dynamics by each."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.algorithms import aba_variant_1, aba_variant_2, divide_and_conquer
from rbdkit.algorithms.articulated import Equation, assembly, derive, given, take_apart, variant_1, variant_2
from rbdkit.algorithms.articulated.blocks import ONE, Block
from rbdkit.algorithms.articulated.handle import InverseHandle
from rbdkit.errors import ModelError
from rbdkit.library import joint_gallery, random_state, random_tree, three_bar_linkage
from rbdkit.spatial import plucker

SEEDS = range(5)


def two_bodies(kind, seed):
    """Handles of two free bodies in motion and the joint of a given type between them, in base coordinates."""
    model = rbd.Model("pair")
    box = rbd.Inertia.box((0.2, 0.3, 0.5), mass=1.5).transformed(rbd.pose(position=(0.1, 0.2, -0.1)))
    model.add_body("one", joint=rbd.Free(), inertia=box)
    model.add_body("two", "one", kind, (0.3, -0.2, 0.4), box)
    system = take_apart(model, *random_state(model, seed))
    return system.bodies[1], system.bodies[2], system.joint(2)


def kinds():
    return [pytest.param(kind, id=repr(kind)[:40]) for kind in joint_gallery(np.random.default_rng(0))]


def dense(one, two, joint, f):
    """a_1, a_2 from all equations at once: f_1 + f_2 = f, both bodies, T^T (a_2 - a_1) = T^T c, f_2 = f_a + T lam."""
    n_c = joint.T.shape[1]
    A = np.block([
        [one.I, np.zeros((6, 6)), joint.T],
        [np.zeros((6, 6)), two.I, -joint.T],
        [-joint.T.T, joint.T.T, np.zeros((n_c, n_c))],
    ])  # fmt: skip
    rhs = np.concatenate([f - one.p - joint.f_a, joint.f_a - two.p, joint.T.T @ joint.c])
    solution = np.linalg.solve(A, rhs)
    return solution[:6], solution[6:12]


@pytest.mark.source("F7.05", "F7.09", "F7.10")
@pytest.mark.parametrize("kind", kinds())
def test_all_formulas_say_what_the_whole_system_says(kind, off):
    """1e-11: the inverse inertias of these bodies lose two or three digits."""
    one, two, joint = two_bodies(kind, 3)
    standard = assembly.assemble(one, two, joint)
    second = variant_2.assemble(one, two, joint).handle
    first = variant_1.assemble(one.inverse(), two.inverse(), joint).handle
    for f in np.random.default_rng(1).normal(size=(3, 6)):
        a_1, a_2 = dense(one, two, joint, f)
        for handle in (standard, second):
            assert off(handle.I @ a_1 + handle.p, f, np.abs(handle.p).max()) < 1e-11
        assert off(first.Phi @ f + first.b, a_1) < 1e-11
        assert off(assembly.joint_acceleration(two, joint, a_1), joint.qdd(a_1, a_2), np.abs(a_1).max()) < 1e-11
    assert off(second.I, standard.I) < 1e-12 and off(second.p, standard.p) < 1e-11  # one matrix, two formulas
    assert off(first.inverse().I, standard.I) < 1e-11


@pytest.mark.source("F7.05", "F7.06")
@pytest.mark.parametrize("kind", kinds())
def test_across_the_joint(kind, off):
    """I^a S = 0; glued to handle 1 it completes the assembly; it gives the joint force from a_1 (Eq 7.25)."""
    one, two, joint = two_bodies(kind, 4)
    felt, whole = assembly.propagate(two, joint), assembly.assemble(one, two, joint)
    assert np.abs(felt.I @ joint.S).max(initial=0.0) < 1e-13 * np.abs(two.I).max()
    assert off(one.I + felt.I, whole.I) < 1e-14 and off(one.p + felt.p, whole.p) < 1e-13
    a_1, a_2 = dense(one, two, joint, np.arange(6.0))
    force = two.I @ a_2 + two.p
    assert off(felt.I @ a_1 + felt.p, force, np.abs(two.I @ a_2).max()) < 1e-12
    np.testing.assert_allclose(joint.S.T @ force, joint.tau, atol=1e-12 * max(1.0, np.abs(two.I @ a_2).max()))


@pytest.mark.source("F7.06")
@pytest.mark.parametrize(("kind", "rows"), [("x", [0]), ("y", [1]), ("z", [2])])
def test_rows_of_a_joint_along_an_axis_are_zero(kind, rows):
    """In coordinates of the joint; for a slider they are the rows of forces."""
    for shift, make in ((0, rbd.Revolute), (3, rbd.Prismatic)):
        model = random_tree(3, 2, [make(kind)], branching=0.0)
        result = algorithms.aba(model, *random_state(model, 3))
        for Ia in result.Ia[1:]:
            row = rows[0] + shift
            assert np.abs(Ia[row]).max() < 1e-15 and np.abs(Ia[:, row]).max() < 1e-15
            assert np.linalg.matrix_rank(Ia) == 5


@pytest.mark.source("F7.05")
@pytest.mark.parametrize("seed", SEEDS)
def test_subtrees_assembled_child_by_child(seed, geared_tree, off):
    """Eqs 7.19, 7.20 applied once for each child give what ABA calls I^A and p^A (Eqs 7.21, 7.22)."""
    model, q, v, tau, f_ext = geared_tree(seed)
    system, result = take_apart(model, q, v, tau, f_ext=f_ext), algorithms.aba(model, q, v, tau, f_ext=f_ext)
    handles = list(system.bodies)
    for i in model.inward:
        X, p = system.X[i], model.parent[i]
        assert off(X.T @ result.IA[i] @ X, handles[i].I) < 1e-12
        scale = np.abs(result.IA[i] @ result.c[i]).max()
        assert off(plucker.inverse(X).T @ handles[i].p, result.pA[i], scale) < 1e-10
        handles[p] = assembly.assemble(handles[p], handles[i], system.joint(i))


@pytest.mark.source("F7.08")
def test_the_rules_give_the_composite_equation_of_the_book():
    """The 5 x 5 matrix before Table 7.2, block by block, and its three stages."""
    stages = given.standard().stages
    assert stages[0].x == ("f", "f_1", "f_2", "a_2", r"\ddot q") and stages[0].y == "a_1"
    form = [[block.latex for block in row] for row in stages[0].A]
    assert form == [
        ["1", "-1", "-1", "0", "0"],
        ["0", "1", "0", "0", "0"],
        ["0", "0", "1", "-I_2", "0"],
        ["0", "0", "0", "1", "-S"],
        ["0", "0", r"S^{\mathsf T}", "0", "0"],
    ]
    assert [stage.below_diagonal for stage in stages] == [1, 1, 0]
    assert [row.latex for row in stages[0].g] == ["0", "I_1", "0", "1", "0"]
    assert given.variant_1().stages[0].x == ("a_1", "a_2", "f_1", "f_2", r"\lambda")


@pytest.mark.source("F7.08")
@pytest.mark.parametrize("kind", kinds())
def test_derived_formulas_are_those_that_are_used(kind, off):
    """Elimination by blocks, evaluated in numbers: all of Table 7.2, and a fourth combination that is not in it."""
    one, two, joint = two_bodies(kind, 5)
    numbers = given.values(one, two, joint)
    standard = assembly.assemble(one, two, joint)
    for derivation in (given.standard(), given.variant_2()):
        I, p = derivation.value(numbers)
        assert off(I, standard.I) < 1e-11 and off(p, standard.p) < 1e-11
    inverse = variant_1.assemble(one.inverse(), two.inverse(), joint).handle
    for derivation in (given.variant_1(), given.fourth()):
        Phi, b = derivation.value(numbers)
        assert off(Phi, inverse.Phi) < 1e-10 and off(b, inverse.b, np.abs(one.inverse().b).max()) < 1e-10


@pytest.mark.source("F7.08")
def test_identities_that_fall_out(off):
    """I_2 - I_2 S (S^T I_2 S)^-1 S^T I_2 = T (T^T I_2^-1 T)^-1 T^T (text after Table 7.2)."""
    for kind in joint_gallery(np.random.default_rng(2)):
        _, two, joint = two_bodies(kind, 6)
        S, T, I_2 = joint.S, joint.T, two.I
        left = I_2 - I_2 @ S @ np.linalg.solve(S.T @ I_2 @ S, S.T @ I_2)
        right = T @ np.linalg.solve(T.T @ np.linalg.solve(I_2, T), T.T)
        assert off(left, right, np.abs(I_2).max()) < 1e-11


@pytest.mark.source("F7.08")
def test_equations_that_cannot_be_solved_are_refused():
    """Nothing but the sum of the forces: no order of the rows has pivots."""
    dull = Equation({"f": ONE, "f_1": -ONE})
    with pytest.raises(ZeroDivisionError, match="zero pivot"):
        derive([dull, dull, Equation({"x": Block.symbol("S", "n")}, small=True)], "f", "a_1", "x")
    with pytest.raises(ZeroDivisionError, match="no inverse"):
        Block.symbol("S", columns="n").inverse()


@pytest.mark.source("F7.08")
def test_blocks_do_not_commute_and_cancel_with_their_inverses():
    A, B = Block.symbol("A"), Block.symbol("B")
    assert A @ B != B @ A and not A @ B - A @ B
    assert A @ A.inverse() == ONE and (A + B).inverse() @ (A + B).inverse().inverse() == ONE
    rng = np.random.default_rng(0)
    values = {"A": rng.normal(size=(6, 6)), "B": rng.normal(size=(6, 6))}
    a, b = values["A"], values["B"]
    found = ((A + B).inverse() @ A - ONE + (A @ B).inverse()).value(values)
    np.testing.assert_allclose(found, np.linalg.inv(a + b) @ a - np.eye(6) + np.linalg.inv(a @ b), atol=1e-12)
    assert (A - B @ A).latex == "A-B A" and (A + B).inverse().latex == "(A + B)^{-1}" and Block().latex == "0"


@pytest.mark.source("F7.09", "F7.10", "F7.11")
@pytest.mark.parametrize("solve", [aba_variant_1, aba_variant_2, divide_and_conquer])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_formula_gives_the_motion_of_the_tree(solve, seed, geared_tree, off):
    """Trees of 24 bodies, all joint types, rotors, external forces; joint forces are those of RNEA."""
    model, q, v, tau, f_ext = geared_tree(seed)
    found, expected = solve(model, q, v, tau, f_ext=f_ext), algorithms.aba(model, q, v, tau, f_ext=f_ext)
    lost = 10 * np.linalg.cond(rbd.crba(model, q)) * np.finfo(float).eps  # what H can lose
    assert off(found.qdd, expected.qdd) < lost
    assert off(found.a, expected.a) < lost
    f = found.f[1:] if isinstance(found.f, np.ndarray) else np.array([found.f[j.name] for j in model.joints[1:]])
    inverse = algorithms.rnea(model, q, v, expected.qdd, f_ext=f_ext).f[1:]
    assert off(f, inverse) < lost


@pytest.mark.source("F7.09")
@pytest.mark.parametrize("handle", ["b1", "b9", "b24"])
def test_variant_1_goes_towards_any_body(handle, geared_tree, off):
    """The base is then a handle with Phi = 0 somewhere in the tree: grounded, and of rank 0."""
    model, q, v, tau, f_ext = geared_tree(1)
    found, expected = (
        aba_variant_1(model, q, v, tau, f_ext=f_ext, handle=handle),
        algorithms.aba(model, q, v, tau, f_ext=f_ext),
    )
    assert off(found.qdd, expected.qdd) < 1e-11
    np.testing.assert_allclose(found.a[0, 3:], -model.gravity, atol=1e-15)
    assert off(found.f[1:], algorithms.rnea(model, q, v, expected.qdd, f_ext=f_ext).f[1:]) < 1e-11


@pytest.mark.source("F7.09", "F7.12")
def test_variant_1_closes_a_loop_that_repeats_no_constraint(off):
    """Two links on ball joints to the ground, each handle with three freedoms, joined by a third ball joint."""
    model, q, v = three_bar_linkage()
    system = take_apart(model, q, v, np.zeros(model.nv))
    links = {}
    for i, joint in ((1, system.joint(1)), (2, system.loops[0])):
        assert joint.handles == (0, i)
        links[i] = variant_1.assemble(system.inverse(i), system.inverse(0), joint.reversed()).handle
        assert np.linalg.matrix_rank(links[i].Phi, tol=1e-8) == 3
    with pytest.raises(ModelError, match="less than six degrees"):
        links[1].inverse("link 1")
    closed = variant_1.assemble(links[1], links[2], system.joint(2)).handle  # link1's equation in the whole linkage
    a = divide_and_conquer(model, q, v, np.zeros(model.nv)).a[1]
    assert off(system.X[1] @ closed.b, a) < 1e-12


@pytest.mark.source("F7.09", "F7.10")
def test_redundant_constraints_and_bodies_without_inertia_are_refused_by_name():
    _, _, joint = two_bodies(rbd.Fixed(), 0)
    ground = InverseHandle(np.zeros((6, 6)), np.zeros(6))
    with pytest.raises(ModelError, match=r"'two_joint' repeats a constraint.*more freedom"):
        variant_1.assemble(ground, ground, joint)
    model = rbd.Model()
    model.add_body("arm", joint=rbd.Revolute("x"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_body("bob", "arm", rbd.Revolute("x"), (0, 0, -1), rbd.Inertia(2.0, com=(0, 0, -1)), joint_name="elbow")
    state = random_state(model, 0)
    assert np.isfinite(algorithms.aba(model, *state).qdd).all()  # a point mass is nothing special to the standard form
    for solve in (aba_variant_1, divide_and_conquer):
        with pytest.raises(ModelError, match=r"body 'bob' has no inverse inertia.*rbdkit.aba"):
            solve(model, *state)
    with pytest.raises(ModelError, match=r"handle that joint 'elbow' brings has no inverse inertia"):
        aba_variant_2(model, *state)
    still = rbd.Model()
    still.add_body("tip", joint=rbd.Revolute("x"), joint_name="wrist")
    system = take_apart(still, np.zeros(1), np.zeros(1), np.zeros(1))
    with pytest.raises(ModelError, match="'wrist' moves something without inertia"):
        assembly.assemble(system.bodies[0], system.bodies[1], system.joint(1))


@pytest.mark.parametrize("solve", [aba_variant_1, aba_variant_2, divide_and_conquer])
def test_joints_that_follow_others_are_refused(solve, mimicking):
    coupled, _, _, _ = mimicking
    with pytest.raises(ModelError, match="'c_joint', 'd_joint' mimic"):
        solve(coupled, *random_state(coupled, 0))


@pytest.mark.source("F7.09", "F7.10", "F7.11")
@pytest.mark.parametrize("solve", [aba_variant_1, aba_variant_2, divide_and_conquer])
def test_driven_joints_and_fall(solve):
    """A slider driven as sin t carries a hinge; and a free body falls with gravity alone.

    1e-10: a ball of 0.1 m seen from 0.7 m has an inertia of condition 1e4, and its inverse is used.
    """

    def drive(t):
        return [np.sin(t)], [np.cos(t)], [-np.sin(t)]

    model = rbd.Model()
    ball = rbd.Inertia.sphere(0.1, mass=0.5)
    model.add_body("cart", joint=rbd.Prescribed(rbd.Prismatic("x"), drive), inertia=ball)
    model.add_body("bob", "cart", rbd.Revolute("y"), inertia=ball.transformed(rbd.pose(position=(0, 0, -0.7))))
    state = np.array([0.4]), np.array([1.0]), np.array([0.2])
    found, expected = solve(model, *state, t=1.0), algorithms.aba(model, *state, t=1.0)
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=1e-10)
    stone = random_tree(9, 1, [rbd.Free()])
    q, _, _ = random_state(stone, 9)
    qdd = solve(stone, q, np.zeros(6), np.zeros(6)).qdd
    np.testing.assert_allclose(rbd.forward_kinematics(stone, q).poses[1, :3, :3] @ qdd[3:], stone.gravity, atol=1e-13)
    np.testing.assert_allclose(qdd[:3], 0.0, atol=1e-12)


@pytest.mark.parametrize("solve", [aba_variant_1, aba_variant_2, divide_and_conquer])
def test_a_state_that_ran_away_gives_no_number_and_no_error(solve):
    model = random_tree(1, 2, [rbd.Prismatic("x")])
    with np.errstate(all="ignore"):
        assert np.isnan(solve(model, np.full(2, np.inf), np.zeros(2), np.zeros(2)).qdd).all()


@pytest.mark.source("F7.09", "F7.10", "F7.11")
@pytest.mark.parametrize("solve", [aba_variant_1, aba_variant_2, divide_and_conquer])
def test_far_away_it_is_the_same(solve, off):
    """A floating chain a thousand kilometres from the base: only what is left of positions is lost, 1e-10 m.

    In coordinates about the base the inverse inertias would have no digit left.
    """
    chain = random_tree(2, 4, [rbd.Revolute("z"), rbd.Spherical()], branching=0.0)
    model = rbd.Model("craft", gravity=(0.0, 0.0, -8.0))
    model.add_body("b0", joint=rbd.Free(), inertia=rbd.Inertia.box((0.2, 0.3, 0.4), mass=1.0))
    for body in chain.bodies[1:]:
        model.add_body(body.name, f"b{body.index - 1}", body.joint.type, body.joint.placement, body.inertia)
    q, v, tau = random_state(model, 2)
    near, f = algorithms.aba(model, q, v, tau), np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0])
    for distance in (0.0, 1e6):
        q[4:7] += [distance, -distance, 0.5 * distance]
        position = rbd.forward_kinematics(model, q).poses[3, :3, 3]
        f_ext = {"b3": np.concatenate([f[:3] + np.cross(position, f[3:]), f[3:]])}
        expected = algorithms.aba(model, q, v, tau, f_ext=f_ext)
        assert off(solve(model, q, v, tau, f_ext=f_ext).qdd, expected.qdd, np.abs(near.qdd).max()) < 1e-8


@pytest.mark.source("F7.01", "F7.05")
def test_a_flat_mechanism_needs_six_numbers(off):
    """Rows and columns nz, fx, fy of I^A, against the same recursion in 3 x 3 matrices with planar transforms."""
    flat = np.ix_([2, 3, 4], [2, 3, 4])
    model = rbd.Model("flat", gravity=(0.0, 0.0, 0.0))
    rod = rbd.Inertia.box((0.5, 0.1, 0.1), mass=1.2).transformed(rbd.pose(position=(0.25, 0.0, 0.0)))
    for k in range(1, 5):
        model.add_body(f"b{k}", "world" if k == 1 else f"b{k - 1}", rbd.Revolute("z"), (0.5, 0.1, 0.0), rod)
    q, v, tau = random_state(model, 0)
    result = algorithms.aba(model, q, v, tau)

    m, c, J = 1.2, 0.25, rod.matrix[2, 2]
    I = np.array([[J, 0.0, m * c], [0.0, m, 0.0], [m * c, 0.0, m]])
    planar = I
    for k in (4, 3, 2):
        felt = planar - np.outer(planar[:, 0], planar[0]) / planar[0, 0]  # S = (1, 0, 0)
        cos, sin = np.cos(q[k - 1]), np.sin(q[k - 1])
        x, y = 0.5, 0.1
        X = np.array([[1, 0, 0], [x * sin - y * cos, cos, sin], [x * cos + y * sin, -sin, cos]])
        planar = I + X.T @ felt @ X
    assert off(result.IA[1][flat], planar) < 1e-14
    others = np.delete(result.IA[1], [2, 3, 4], axis=0)[:, [2, 3, 4]]
    assert np.abs(others).max() < 1e-15  # the plane keeps to itself
