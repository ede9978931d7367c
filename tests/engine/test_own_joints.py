"""Joint types of a user's own, written as a user would write them, in compiled code."""

import math
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit import derivatives
from rbdkit.engine import Kernels, backend, kernels_for, packaged
from rbdkit.engine.run.compiled_programs import loop_code, unrolled_code
from rbdkit.errors import ModelError
from rbdkit.integrators import RK4
from rbdkit.joints import Prescribed, Reversed, Revolute
from rbdkit.joints.joint_type import JointType, VectorJoint
from rbdkit.library import random_tree
from rbdkit.spatial import quaternion, se3, so3
from rbdkit.spatial.inertia import Inertia

WEIGHTS = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
"""Of a central difference of order 6."""


class Angle(VectorJoint):
    """What joints with one angle have in common."""

    nq = nv = 1
    q_names, q_units = ("angle",), ("rad",)

    def project(self, pose):
        return np.array([np.arctan2(pose[1, 0], pose[0, 0])])

    def turn(self, q):
        T = np.zeros((*np.shape(q)[:-1], 4, 4))
        c, s = np.cos(q[..., 0]), np.sin(q[..., 0])
        T[..., 0, 0], T[..., 0, 1], T[..., 1, 0], T[..., 1, 1] = c, -s, s, c
        T[..., 2, 2] = T[..., 3, 3] = 1.0
        return T

    def constraint_subspace(self, q):
        T = np.eye(6)[:, [0, 1, 3, 4, 5]]
        T[2, 4] = -self.motion_subspace(q)[5, 0]
        return T


class Twin(Angle):
    """A revolute joint, said once more."""

    kind = "twin"

    def pose(self, q, t=0.0):
        return self.turn(q)

    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, 0]]).T


class Cam(Angle):
    """A screw whose pitch depends on the angle: z = lift sin(2 angle) + pitch angle."""

    kind = "cam"
    arguments = {"lift": "number", "pitch": "number"}  # noqa: RUF012

    def __init__(self, lift=0.1, pitch=0.3):
        self.lift, self.pitch = float(lift), float(pitch)

    def pose(self, q, t=0.0):
        T = self.turn(q)
        T[..., 2, 3] = self.lift * np.sin(2 * q[..., 0]) + self.pitch * q[..., 0]
        return T

    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, 2 * self.lift * math.cos(2 * q[0]) + self.pitch]]).T


class Surface(VectorJoint):
    """On z = a x^2 + b x y, turned about z by w = x y + x / 5: two freedoms that change each other's axes."""

    kind = "surface"
    nq = nv = 2
    q_names, q_units = ("x", "y"), ("m", "m")
    a = 0.3

    def __init__(self, b=0.7):
        self.b = b

    def pose(self, q, t=0.0):
        x, y = q[..., 0], q[..., 1]
        w = x * y + 0.2 * x
        T = np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4)).copy()
        T[..., 0, 3], T[..., 1, 3], T[..., 2, 3] = x, y, self.a * x**2 + self.b * x * y
        T[..., 0, 0] = T[..., 1, 1] = np.cos(w)
        T[..., 0, 1], T[..., 1, 0] = -np.sin(w), np.sin(w)
        return T

    def motion_subspace(self, q):
        x, y = q
        slopes = np.array([[1, 0], [0, 1], [2 * self.a * x + self.b * y, self.b * x]])
        S = np.zeros((6, 2))
        S[2] = [y + 0.2, x]
        S[3:] = self.pose(q)[:3, :3].T @ slopes
        return S

    def project(self, pose):
        return pose[:2, 3].copy()

    def constraint_subspace(self, q):
        raise NotImplementedError


class Least(VectorJoint):
    """A point on the curve (cos x, sin 2x, x^2) / 2 that turns as it goes; nothing is said but what must be."""

    kind = "least"
    nq = nv = 1
    q_names, q_units = ("x",), ("rad",)

    def pose(self, q, t=0.0):
        x = q[..., 0]
        T = rbd.Revolute([0.6, 0.0, 0.8]).pose(np.sin(q))
        T[..., 0, 3], T[..., 1, 3], T[..., 2, 3] = 0.5 * np.cos(x), 0.5 * np.sin(2 * x), 0.5 * x**2
        return T

    def motion_subspace(self, q):
        x = q[0]
        R = self.pose(q)[:3, :3]
        along = np.array([-0.5 * np.sin(x), np.cos(2 * x), x])
        return np.concatenate([np.cos(x) * np.array([0.6, 0.0, 0.8]), R.T @ along])[:, None]


class HalfTurns(Angle):
    """Its coordinate is half the angle: what integrates velocities is its own, though it is a `VectorJoint`."""

    kind = "half_turns"

    def pose(self, q, t=0.0):
        return self.turn(2.0 * q)

    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, 0]]).T

    def rate(self, q, v):
        return 0.5 * v

    def integrate(self, q, dv):
        return q + 0.5 * dv

    def difference(self, q0, q1):
        return 2.0 * (q1 - q0)


class Exponential(Angle):
    """A revolute joint by the exponential of its axis times the angle."""

    kind = "exponential"
    axis = (0.6, 0.0, 0.8)

    def pose(self, q, t=0.0):
        T = np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4)).copy()
        T[..., :3, :3] = so3.exp(q[..., :1] * np.array(self.axis))
        return T

    def motion_subspace(self, q):
        return np.array([[*self.axis, 0, 0, 0]]).T


class Arm(rbd.Spherical):
    """A ball joint whose body sits at the end of an arm: curved, and its formulas call those of rbdkit."""

    kind = "arm"

    def __init__(self, arm=(0.3, 0.1, -0.2)):
        self.arm = np.array(arm)

    def pose(self, q, t=0.0):
        T = super().pose(q)
        T[..., :3, 3] = T[..., :3, :3] @ self.arm
        return T

    def motion_subspace(self, q):
        S = np.vstack([np.eye(3), np.zeros((3, 3))])
        S[3:] = np.cross(np.eye(3), self.arm).T
        return S


class Bore(rbd.SphereInCylinder):
    """Nothing of its own; S varies and the coordinates are curved."""


def model_of(joints, name="own"):
    model, rng = rbd.Model(name), np.random.default_rng(3)
    names = ["world"]
    for k, joint in enumerate(joints):
        parent = names[-1] if k < 3 else names[-2]  # a branch or two
        inertia = Inertia(rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.2, np.diag([0.4, 0.5, 0.6]))
        names.append(f"b{k}")
        model.add_body(f"b{k}", parent, joint, placement=se3.random(rng), inertia=inertia, joint_name=f"j{k}")
    return model


STRAIGHT = [Cam(0.2), Surface(), Reversed(Surface(0.4)), Twin(), Reversed(Cam(0.15))]
CURVED = [Arm(), Cam(0.2), Bore([0.6, 0.0, 0.8]), Reversed(Arm())]


@pytest.fixture(params=["straight", "curved"])
def model(request):
    return model_of(STRAIGHT if request.param == "straight" else CURVED)


@pytest.fixture
def state(model):
    rng = np.random.default_rng(4)
    return model.random_q(rng), *rng.normal(size=(2, model.nv))


def slope(f, at, direction):
    """d/ds f(at + s direction) with steps of 5e-3: truncation and rounding stay below 1e-10 here."""
    h = 5e-3
    return sum(w * (f(at(k * h * direction)) - f(at(-k * h * direction))) for k, w in WEIGHTS) / h


def test_kernels_give_what_the_readable_forms_give(model, state, off):
    """These take c_J by differences, where the class does not say it: to 11 digits."""
    q, v, a = state
    assert backend(model) == backend(model_of([Revolute()]))
    last = model.bodies[-1].name
    calls = {
        "rnea": lambda b: rbd.rnea(model, q, v, a, backend=b),
        "aba": lambda b: rbd.aba(model, q, v, a, backend=b),
        "crba": lambda b: rbd.crba(model, q, backend=b),
        "kinematics": lambda b: rbd.forward_kinematics(model, q, v, backend=b).velocities,
        "poses": lambda b: rbd.forward_kinematics(model, q, v, backend=b).poses,
        "jacobian": lambda b: rbd.jacobian(model, q, last, backend=b),
        "energy": lambda b: np.array(rbd.energy(model, q, v, backend=b).total),
    }
    for name, call in calls.items():
        assert off(call("auto"), call("book")) < 1e-10, name


@pytest.mark.parametrize("code", ["python", "wasm"])
def test_other_backends_give_the_same(code, wasm, model, state, off):
    q, v, a = state
    kernels, expected = Kernels(model, code), kernels_for(model)
    assert off(kernels.aba(q, v, a), expected.aba(q, v, a)) < 1e-12
    assert off(kernels.rnea(q, v, a), expected.rnea(q, v, a)) < 1e-12


def test_straight_line_code_gives_the_same(model, state, off, unrolled):
    q, v, a = state
    kernels = Kernels(model, "python")
    for name, arguments in (("rnea", (q, v, a)), ("aba", (q, v, a)), ("crba", (q,))):
        assert off(getattr(kernels, name)(*arguments), getattr(rbd, name)(model, *arguments)) < 1e-12, name


def test_derivatives_are_those_of_the_readable_forms(model, state):
    """By differences; the kernels know how axes change that depend on q."""
    q, v, a = state
    kernels = Kernels(model, "python")
    by_q, by_v, by_a = kernels.rnea_jacobian(q, v, a)

    def forces(q=q, v=v):
        return rbd.rnea(model, q, v, a, backend="book")

    units = np.eye(model.nv)
    expected_q = [slope(lambda p: forces(q=p), lambda u: model.integrate(q, u), e) for e in units]
    expected_v = [slope(lambda s: forces(v=s), lambda u: v + u, e) for e in units]
    assert_allclose(by_q, np.transpose(expected_q), atol=1e-8)
    assert_allclose(by_v, np.transpose(expected_v), atol=1e-8)
    assert_allclose(by_a, rbd.crba(model, q), atol=1e-12)
    weights = np.cos(np.arange(model.nv))
    g = kernels.rnea_gradient(q, v, a, weights)
    assert_allclose(g.by_q, weights @ by_q, atol=1e-12)
    assert_allclose(g.by_v, weights @ by_v, atol=1e-12)
    expected = [
        slope(lambda p: rbd.aba(model, p, v, a, backend="book"), lambda u: model.integrate(q, u), e) for e in units
    ]
    assert_allclose(kernels.aba_jacobian(q, v, a)[0][0], np.transpose(expected), rtol=1e-7, atol=1e-6)


def test_springs_of_joints_of_ones_own(model, off):
    """Of curved ones the force is A.T k u with the class's own difference; its derivative by the graph of that."""
    rng = np.random.default_rng(5)
    values = {f"{joint.name}.stiffness": rng.uniform(1.0, 2.0, joint.nv) for joint in model.joints[1:]}
    model = model.with_parameters(values | {f"{j.name}.rest": j.type.random(rng) for j in model.joints[1:]})
    q, v, tau = model.random_q(rng), *rng.normal(size=(2, model.nv))
    assert off(rbd.forward_dynamics(model, q, v, tau), rbd.forward_dynamics(model, q, v, tau, backend="book")) < 1e-10
    by_q = Kernels(model, "python").aba_jacobian(q, v, tau, passive=True)[0][0]
    expected = [
        slope(lambda p: rbd.forward_dynamics(model, p, v, tau), lambda u: model.integrate(q, u), e)
        for e in np.eye(model.nv)
    ]
    assert_allclose(by_q, np.transpose(expected), rtol=1e-6, atol=1e-5)


def test_a_twin_of_ours_gives_the_same_numbers():
    own, ours = model_of([Twin() for _ in range(4)]), model_of([Revolute("z") for _ in range(4)])
    q, v, tau = np.random.default_rng(6).normal(size=(3, 4))
    assert_array_equal(rbd.aba(own, q, v, tau), rbd.aba(ours, q, v, tau))
    a, b = (rbd.simulate(model, q, v, duration=0.2, dt=1e-3) for model in (own, ours))
    assert_array_equal(a.q, b.q)
    assert a.report.backend == b.report.backend


def test_exponentials_are_recorded_to_the_last_digit_of_small_angles(off):
    own, ours = model_of([Exponential() for _ in range(3)]), model_of([Revolute([0.6, 0.0, 0.8]) for _ in range(3)])
    assert backend(own) == backend(ours)
    v, tau = np.random.default_rng(6).normal(size=(2, 3))
    for q in (np.zeros(3), np.array([1e-9, 0.3, -2.5]), np.array([3.1, -1e-5, 7.0])):
        assert off(rbd.aba(own, q, v, tau), rbd.aba(ours, q, v, tau)) < 1e-14


def test_a_joint_that_integrates_in_its_own_way():
    """Half the angle for a coordinate, the whole one for the velocity: the motion is that of a revolute joint."""
    own, ours = model_of([HalfTurns(), Twin()]), model_of([Revolute("z"), Twin()])
    assert own.integrate([0.2, 0.1], [0.4, 0.4]).tolist() == [0.4, 0.5]
    v, tau = np.array([0.7, -0.3]), np.array([0.1, 0.2])
    halved = [0.25, 0.3]
    assert_allclose(rbd.aba(own, halved, v, tau), rbd.aba(ours, [0.5, 0.3], v, tau), rtol=1e-13)
    for b in ("auto", "book"):
        runs = [
            rbd.simulate(m, q, v, duration=0.02, dt=1e-3, backend=b) for m, q in ((own, halved), (ours, [0.5, 0.3]))
        ]
        assert_allclose(runs[0].q * [2.0, 1.0], runs[1].q, atol=1e-13)


def test_motions_are_those_of_the_readable_form(model, state):
    """Step by step in NumPy; c_J by differences there, so not to the last digits."""
    q, v, _ = state
    run = rbd.simulate(model, q, v, duration=0.02, dt=1e-3)
    book = rbd.simulate(model, q, v, duration=0.02, dt=1e-3, backend="book")
    assert run.report.backend.startswith("compiled loop") and not book.report.backend.startswith("compiled")
    assert_allclose(run.q, book.q, atol=1e-10)
    assert_allclose(run.v, book.v, atol=1e-9)


def test_a_cam_keeps_its_energy_in_joint_and_body_coordinates():
    model = model_of([Cam(0.2), Twin()])
    q, v = np.array([0.3, -0.5]), np.array([0.7, 1.1])
    run = rbd.simulate(model, q, v, duration=0.1, dt=1e-3)
    energy = run.energy().total
    assert_allclose(energy, energy[0], rtol=1e-10)
    bodies = rbd.simulate(model, q, v, duration=0.1, dt=1e-3, formulation="se3")
    assert_allclose(bodies.poses()[-1], run.poses()[-1], atol=1e-8)


def test_pose_and_motion_subspace_are_enough():
    """c_J, T and the coordinates of a pose are made from them: in joint and in body coordinates the motion is one."""
    model = model_of([Least(), Twin()])
    q, v = np.array([0.3, -0.5]), np.array([0.7, 1.1])
    run = rbd.simulate(model, q, v, duration=0.05, dt=1e-3)
    assert run.report.backend.startswith("compiled loop")
    energy = run.energy().total
    assert_allclose(energy, energy[0], rtol=1e-9)
    bodies = rbd.simulate(model, q, v, duration=0.05, dt=1e-3, formulation="se3")
    assert_allclose(bodies.poses()[-1], run.poses()[-1], atol=1e-8)


def test_random_trees_with_joints_of_ones_own():
    """Forward dynamics undoes inverse dynamics, and H that of the readable form."""
    for seed in range(3):
        model = random_tree(seed, bodies=12, joints=[Cam(0.1 + 0.05 * seed), Surface(), Arm(), Twin(), rbd.Planar("y")])
        rng = np.random.default_rng(seed)
        q, v, a = model.random_q(rng), *rng.normal(size=(2, model.nv))
        assert_allclose(rbd.aba(model, q, v, rbd.rnea(model, q, v, a)), a, rtol=1e-8, atol=1e-8)
        H = rbd.crba(model, q, backend="book")
        assert_allclose(rbd.crba(model, q), H, atol=1e-12 * np.abs(H).max())


def test_a_driven_joint_and_one_that_follows():
    """A cam that moves as time says, and one that follows another joint."""
    model = rbd.Model("geared")
    inertia = Inertia.box([0.1, 0.2, 0.3], mass=1.0)
    turning = Prescribed(Cam(0.2), lambda t: (np.sin(t), np.cos(t), -np.sin(t)))
    model.add_body("lead", joint=Twin(), inertia=inertia, joint_name="lead")
    model.add_body("cam", "lead", Cam(0.3), [0.1, 0, 0], inertia, mimic=rbd.Mimic("lead", 1.5, 0.2))
    model.add_body("driven", "cam", turning, [0, 0.2, 0], inertia)
    model.add_body("end", "driven", Surface(), [0, 0.2, 0], inertia)
    q, v, tau = np.random.default_rng(7).normal(size=(3, model.nv))
    for function in (rbd.forward_dynamics, rbd.rnea):
        expected = function(model, q, v, tau, t=0.4, backend="book")
        assert_allclose(function(model, q, v, tau, t=0.4), expected, rtol=1e-9, atol=1e-9)


# --- which code it is -------------------------------------------------------------------------------------------------


def test_other_numbers_compile_nothing():
    q, v, tau = np.random.default_rng(8).normal(size=(3, 2))
    rbd.aba(model_of([Cam(0.2), Twin()]), q, v, tau)
    rbd.simulate(model_of([Cam(0.2), Twin()]), q, v, duration=0.002, dt=1e-3)
    made = loop_code.cache_info().misses, unrolled_code.cache_info().misses
    other = model_of([Cam(0.35, 0.22), Twin()])
    assert not np.allclose(rbd.aba(other, q, v, tau), rbd.aba(model_of([Cam(0.2), Twin()]), q, v, tau))
    rbd.simulate(other, q, v, duration=0.002, dt=1e-3)
    assert made == (loop_code.cache_info().misses, unrolled_code.cache_info().misses)


def test_lanes_have_numbers_of_their_own():
    model = model_of([Cam(0.2), Twin()])
    lifts = np.linspace(0.1, 0.4, 9)
    runs = rbd.sweep(model, {"j0.lift": lifts}, q0=[0.3, 0.2], v0=[1.0, 0.0], duration=2.0, dt=1e-3, progress=False)
    for k in (0, 4, 8):
        alone = rbd.simulate(model.with_parameters({"j0.lift": lifts[k]}), [0.3, 0.2], [1.0, 0.0], duration=2.0)
        assert_allclose(runs[k].q[-1], alone.q[-1], rtol=1e-10)


class Silent(Cam):
    """It does not say its arguments: all of them look the same."""

    arguments = {}  # noqa: RUF012


def test_joints_that_look_the_same_are_not_taken_for_each_other():
    one, other = model_of([Silent(0.2)]), model_of([Silent(0.3)])
    assert one.joints[1].type == other.joints[1].type
    for model in (one, other):
        found, expected = (rbd.aba(model, [0.4], [1.0], [0.0], backend=b) for b in ("auto", "book"))
        assert_allclose(found, expected, rtol=1e-10)


FAR = 0.3


class Changeable(Angle):
    """It uses what can change under it: a global name, a class attribute, one of its own and an array."""

    kind = "changeable"
    lift = 0.1

    def __init__(self):
        self.pitch, self.table = 0.2, np.array([0.05, 0.0])

    def advance(self, q):
        return FAR * q**2 + self.lift * q + self.pitch * np.sin(q) + self.table[0] * q

    def pose(self, q, t=0.0):
        T = self.turn(q)
        T[..., 2, 3] = self.advance(q[..., 0])
        return T

    def motion_subspace(self, q):
        slope = 2 * FAR * q[0] + self.lift + self.pitch * np.cos(q[0]) + self.table[0]
        return np.array([[0, 0, 1.0, 0, 0, slope]]).T


def test_what_changes_under_a_compiled_joint_is_seen(monkeypatch):
    joint = Changeable()
    model = model_of([joint])

    def turn():
        found, expected = (rbd.rnea(model, [0.4], [1.0], [0.0], backend=b)[0] for b in ("auto", "book"))
        assert found == pytest.approx(expected, rel=1e-10)
        assert backend(model)[0] != "book"
        return found

    before = turn()
    changes = (
        lambda: setattr(joint, "pitch", 0.7),
        lambda: joint.table.__setitem__(0, 0.5),
        lambda: monkeypatch.setattr(Changeable, "lift", 0.6),
        lambda: monkeypatch.setitem(globals(), "FAR", 0.9),
    )
    for change in changes:
        change()
        after = turn()
        assert abs(after - before) > 1e-3
        before = after


# --- what cannot be compiled, and what contradicts itself -------------------------------------------------------------


class Branches(Twin):
    def pose(self, q, t=0.0):
        return self.turn(q if q[0] > -9.0 else -q)


class Counts(Twin):
    def pose(self, q, t=0.0):
        self.calls = getattr(self, "calls", 0) + 1
        return self.turn(q)


class Prints(Twin):
    def pose(self, q, t=0.0):
        print(end="")
        return self.turn(q)


class Grows(Twin):
    def pose(self, q, t=0.0):
        return self.turn(q + 0.0 * np.i0(q[0]))


class Clock(Twin):
    def pose(self, q, t=0.0):
        return self.turn(q + 0.1 * t)


NOTES: list[float] = []


class Notes(Twin):
    def pose(self, q, t=0.0):
        NOTES.append(1.0)
        return self.turn(q)


REASONS = {
    Branches: "cannot branch on a symbol",
    Counts: "its pose keeps or imports 'calls'",
    Prints: "it calls 'print'",
    Grows: "no value yet|i0",
    Clock: "its pose depends on time",
    Notes: "it uses 'NOTES', which can change",
}


@pytest.mark.parametrize("cls", REASONS)
def test_what_cannot_be_recorded_runs_in_the_readable_form_and_says_why(cls):
    model = model_of([cls()])
    name, why = backend(model)
    assert name == "book"
    assert why.startswith(f"joint 'j0': {cls.__name__} cannot be compiled: ")
    assert re.search(REASONS[cls], why), why
    assert_allclose(rbd.aba(model, [0.4], [1.0], [0.3]), rbd.aba(model_of([Twin()]), [0.4], [1.0], [0.3]), rtol=1e-13)
    assert rbd.simulate(model, [0.4], [1.0], duration=0.002, dt=1e-3).report.steps == 2


class WrongSubspace(Cam):
    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, self.lift * np.cos(2 * q[0]) + self.pitch]]).T


class WrongProduct(Cam):
    def velocity_product(self, q, v, t=0.0):
        return np.array([0, 0, 0, 0, 0, 4 * self.lift * np.sin(2 * q[0]) * v[0] ** 2])


class Bent(Twin):
    def pose(self, q, t=0.0):
        T = self.turn(q)
        T[..., 0, 1] *= 1.1
        return T


class Constant(Cam):
    constant_S = True


class WrongRate(Arm):
    def rate(self, q, v):
        return 2.0 * quaternion.rate(q, v)


class WrongDifference(Arm):
    def difference(self, q0, q1):
        return -super().difference(q0, q1)


class WrongLocalRate(Arm):
    def local_rate(self, u):
        return super().local_rate(u).T


CONTRADICTIONS = {
    WrongSubspace: r"joint type WrongSubspace: its motion_subspace is not the derivative of its pose: .*differ by 0\.",
    WrongProduct: "joint type WrongProduct: its velocity_product is not the rate of S times v",
    Bent: "joint type Bent: its pose is no rigid motion",
    Constant: "joint type Constant: it says constant_S, but its motion_subspace depends on q",
    WrongRate: "joint type WrongRate: its (rate is not how integrate begins|motion_subspace is not)",
    WrongDifference: "joint type WrongDifference: its difference does not undo integrate",
    WrongLocalRate: "joint type WrongLocalRate: its local_rate is not what keeps integrate moving with v",
}


@pytest.mark.parametrize("cls", CONTRADICTIONS)
def test_formulas_that_contradict_each_other_are_refused_with_how_much(cls):
    model = model_of([cls()])
    q, v = model.neutral(), np.ones(model.nv)
    with pytest.raises(ModelError, match=CONTRADICTIONS[cls]):
        rbd.aba(model, q, v, v)


class Rheonomic(Twin):
    @property
    def is_driven(self):
        return True


def test_a_type_that_moves_in_time_is_left_alone():
    assert backend(model_of([Rheonomic()])) == (
        "book",
        "joint 'j0': Rheonomic cannot be compiled: it moves as time says",
    )


# --- parameters, files, pages -----------------------------------------------------------------------------------------


class Screw(Angle):
    """A helical joint, said once more."""

    kind = "screw"
    arguments = {"pitch": "number"}  # noqa: RUF012

    def __init__(self, pitch=0.2):
        if not pitch > 0.0:
            raise ModelError(f"pitch {pitch} of a screw must be positive")
        self.pitch = pitch

    def pose(self, q, t=0.0):
        T = self.turn(q)
        T[..., 2, 3] = self.pitch * q[..., 0]
        return T

    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, self.pitch]]).T


def test_numbers_are_parameters_with_derivatives():
    """Those of a helical joint, exact, beside those of its twin, by differences."""
    own, ours = model_of([Screw(0.2), Screw(0.3)]), model_of([rbd.Helical("z", pitch) for pitch in (0.2, 0.3)])
    assert set(own.parameters) == set(ours.parameters)
    assert own.parameters["j1.pitch"] == 0.3 and model_of([Cam()]).parameters["j0.lift"] == 0.1
    changed = own.with_parameters({"j1.pitch": 0.5})
    assert changed.joint("j1").type == Screw(0.5) and own.joint("j1").type == Screw(0.3)
    for value, message in ((-1.0, "pitch -1.0 of a screw must be positive"), (np.nan, "pitch nan of a Screw joint")):
        with pytest.raises(ModelError, match=message):
            own.with_parameters({"j1.pitch": value})
    state = np.random.default_rng(9).normal(size=(3, 2))
    for model in (own, ours):
        model.add_force("band", rbd.Spring("world", "b1", stiffness=20.0, damping=0.3, at_b=(0.2, 0.1, 0.0)))
    for jacobian in (derivatives.rnea_parameter_jacobian, derivatives.forward_dynamics_parameter_jacobian):
        found, expected = jacobian(own, *state), jacobian(ours, *state)
        assert set(found) == set(expected)
        assert_allclose(found["j1.pitch"], expected["j1.pitch"], rtol=1e-9, atol=1e-9)


def test_files_keep_it_for_whoever_has_the_class(tmp_path):
    model = model_of([Cam(0.15, 0.4), Reversed(Screw(0.25))])
    rbd.save(model, tmp_path / "cam.json")
    read = rbd.load(tmp_path / "cam.json", joints=[Cam, Screw])
    assert [joint.type for joint in read.joints[1:]] == [joint.type for joint in model.joints[1:]]
    assert isinstance(read.joint("j0").type, Cam)
    assert rbd.formats.to_json(read) == rbd.formats.to_json(model)
    with pytest.raises(rbd.FormatError, match=r"joint kind 'cam' is unknown; .*give classes of your own as joints="):
        rbd.load(tmp_path / "cam.json")
    with pytest.raises(rbd.FormatError, match=r"joint\.type\.lift: must be a finite number"):
        text = (tmp_path / "cam.json").read_text().replace('"lift": 0.15', '"lift": "high"')
        rbd.load(text, joints=[Cam, Screw])
    with pytest.raises(rbd.FormatError, match=r"is URDF, which knows no joints=.*; JSON does"):
        rbd.load("<robot name='r'><link name='a'/></robot>", joints=[Cam])


def test_classes_that_files_cannot_hold_are_refused_by_name():
    class Thief(Twin):
        kind = "revolute"
        arguments = {}  # noqa: RUF012

    class Other(Twin):
        kind = "cam"
        arguments = {}  # noqa: RUF012

    for own, message in (
        ([Thief], "the kind 'revolute' of Thief is that of Revolute"),
        ([Cam, Other], "the kind 'cam' of Other is that of Cam"),
        ([Twin], "Twin does not say what it takes; write `arguments`"),
        ([Cam()], "is not a class of joints; give the classes themselves"),
    ):
        with pytest.raises(ModelError, match=message):
            rbd.load(rbd.formats.to_json(model_of([Revolute()])), joints=own)
    for joint, message in (
        (Thief(), "the kind 'revolute' of Thief is one of rbdkit's"),
        (Twin(), "Twin is not one of"),
    ):
        with pytest.raises(rbd.FormatError, match=message):
            rbd.formats.to_json(model_of([joint]))


def test_a_web_page_gets_its_code_and_numbers():
    package = packaged(model_of([Cam(0.2), Twin()]), RK4(), algorithms=("aba",))
    assert package["counts"]["most_numbers"] > 0 and "joint_numbers" in package["numbers"]
    with pytest.raises(ModelError, match=r"'j0\.lift' of model 'own' cannot be changed in a web page"):
        packaged(model_of([Cam(0.2)]), RK4(), parameters=("j0.lift",))


def test_every_class_is_a_joint_type():
    assert all(issubclass(cls, JointType) for cls in (*REASONS, *CONTRADICTIONS))
