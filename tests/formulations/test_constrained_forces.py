"""Forces in the compiled loop of constrained bodies: the same motion as from Python, by law, table or constant."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.engine.rows.joint_program import FORMS, form_of, joint_numbers, project
from rbdkit.formulations import joint_state
from rbdkit.library import joint_gallery, random_state, random_tree
from rbdkit.model.places import places
from rbdkit.spatial import se3
from rbdkit.spatial.compact import Pose
from rbdkit.trace import select

JOINTS = [rbd.Fixed(), rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Helical("y", pitch=0.1), rbd.Cylindrical("z"),
          rbd.Planar("x"), rbd.Planar(translation="successor"), rbd.Spherical(), rbd.Free(),
          rbd.Free(translation="successor")]  # fmt: skip
STEPS = 2


@pytest.fixture(scope="module")
def tree():
    """A tree with every joint that the loop knows, and a state of it."""
    model, rng = rbd.Model("every joint"), np.random.default_rng(5)
    for k, joint in enumerate(JOINTS):
        parent = model.bodies[int(rng.integers(max(0, k - 2), k + 1))].name
        inertia = rbd.Inertia.box(rng.uniform(0.2, 1.0, 3), mass=rng.uniform(0.5, 2.0))
        inertia = inertia.transformed(rbd.pose(position=rng.normal(size=3)))
        model.add_body(f"b{k}", parent, joint, se3.exp(rng.normal(size=6)), inertia)
    return model, *random_state(model, 5)[:2]


def law(t, q, v):
    n = min(len(q), len(v))
    pull = np.concatenate([q[:n], np.zeros(len(v) - n)])
    return np.sin(3.0 * t) - 0.3 * v - 0.5 * np.sin(pull) + 0.1 * q[-1] * v[0]


def push(bodies):
    def wind(t, q, v):
        return np.array([[0.1 * k, q[0], -v[1], np.cos(t), 0.2 * k * v[0], -0.3] for k in range(bodies)])

    return wind


def both_ways(model, q, v, formulation, integrator, **forces):
    """Compiled, and stepped from Python by functions that nobody may trace."""
    options = {"duration": STEPS * 1e-3, "dt": 1e-3, "formulation": formulation, "integrator": integrator}
    times = 1e-3 * np.arange(STEPS + 1)

    def from_python(given):
        if callable(given):
            return rbd.untraced(given)
        values = np.asarray(given)
        if values.shape == (STEPS + 1, model.nv):
            return rbd.untraced(lambda t, q, v: [np.interp(t, times, column) for column in values.T])
        return rbd.untraced(lambda t, q, v: values)

    marked = {name: rbd.traced(given) if callable(given) else given for name, given in forces.items()}
    compiled = rbd.simulate(model, q, v, progress=False, **marked, **options)
    plain = rbd.simulate(model, q, v, progress=False, **{k: from_python(x) for k, x in forces.items()}, **options)
    assert "compiled loop" in compiled.report.backend and "Python" in plain.report.backend
    return compiled, plain


def agree(compiled, plain):
    """To the round-off of a saddle-point system of ten bodies, in a few steps."""
    np.testing.assert_allclose(compiled.x, plain.x, rtol=0, atol=1e-12)
    np.testing.assert_allclose(compiled.w, plain.w, rtol=0, atol=1e-11 * np.abs(plain.w).max())


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("integrator", ["rk4", "symplectic_euler"])
@pytest.mark.parametrize("formulation", ["se3", "so3xr3", "bodywise"])
def test_traced_torques_and_external_forces(tree, formulation, integrator):
    model, q, v = tree
    motions = both_ways(model, q, v, formulation, integrator, tau=law, f_ext=push(len(model.bodies)))
    assert motions[0].report.backend.endswith("tau and f_ext traced")
    agree(*motions)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("rows", [None, STEPS + 1], ids=["constant", "sampled"])
def test_torques_by_number(tree, rows):
    model, q, v = tree
    rng = np.random.default_rng(2)
    tau = rng.normal(size=model.nv if rows is None else (rows, model.nv))
    agree(*both_ways(model, q, v, "se3", "rk4", tau=tau))


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_held_torques(tree):
    """Runs of one step each under a constant are one run under the table."""
    model, q, v = tree
    tau = np.random.default_rng(3).normal(size=(STEPS, model.nv))
    options = {"dt": 1e-3, "formulation": "se3", "progress": False}
    whole = rbd.simulate(model, q, v, duration=STEPS * 1e-3, tau=tau, **options)
    assert "compiled loop" in whole.report.backend
    for row in tau:
        piece = rbd.simulate(model, q, v, duration=1e-3, tau=row, **options)
        q, v = piece.q[-1], piece.v[-1]
    np.testing.assert_allclose(whole.q[-1], q, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_a_torque_drives_a_closed_loop():
    model = rbd.library.rectangular_bricard()
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    agree(*both_ways(model, q, v, "se3", "rk4", tau=lambda t, q, v: -0.2 * v + np.sin(q) + 0.5))


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_long_runs_of_plain_functions_are_compiled_without_a_mark():
    model = rbd.library.double_pendulum()
    motion = rbd.simulate(model, duration=0.5, tau=lambda t, q, v: -0.1 * v, formulation="se3", progress=False)
    joints = rbd.simulate(model, duration=0.5, tau=lambda t, q, v: -0.1 * v, progress=False)
    assert "compiled loop" in motion.report.backend
    np.testing.assert_allclose(motion.q, joints.q, rtol=0, atol=1e-10)  # two formulations at their own error


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_a_law_that_fails_after_the_step_is_blamed():
    model = rbd.library.pendulum()

    @rbd.traced
    def bad(t, q, v):
        return [select(t < 1.0505, 1.0, np.inf)]

    motion = rbd.simulate(model, v0=[1.0], duration=2.0, tau=bad, formulation="se3", progress=False)
    assert "compiled loop" in motion.report.backend and motion.t[-1] == pytest.approx(1.05)
    assert "tau(t, q, v) returned inf" in motion.report.stopped


@pytest.mark.parametrize("seed", range(4))
def test_coordinates_from_poses_on_scalars(seed):
    """As the joints' own functions on arrays have them, off the joint's surface too."""
    rng = np.random.default_rng(seed)
    for joint in JOINTS:
        model = rbd.Model("one")
        frame = rbd.pose(position=rng.normal(size=3)) @ se3.exp(rng.normal(size=6))
        model.add_body("body", joint=joint, placement=frame, inertia=rbd.Inertia(1.0, inertia_com=np.eye(3)))
        (place,) = places(model, np.array([np.eye(4), se3.exp(rng.normal(size=6))]))
        X = joint.pose(joint.random(rng)) @ se3.exp(0.1 * rng.normal(size=6))
        A_P, A_S = place.predecessor_placement, place.successor_placement
        relative = A_P @ X @ se3.inverse(A_S)
        found = project(
            form_of(joint), list(map(float, joint_numbers(place))),
            Pose.of([*map(float, relative[:3, :3].ravel()), *map(float, relative[:3, 3])]),
        )  # fmt: skip
        np.testing.assert_allclose(found, joint.project(X), rtol=0, atol=1e-13)


def test_every_form_is_named_once():
    named = [kind for kinds in FORMS.values() for kind in kinds]
    assert len(named) == len(set(named)) and {type(joint) for joint in JOINTS} == set(named)


def test_a_stack_of_poses_gives_what_each_gives():
    rng = np.random.default_rng(0)
    for joint in [*joint_gallery(rng), *JOINTS]:
        q = np.stack([joint.random(rng) for _ in range(6)]).reshape(2, 3, joint.nq)
        X = joint.pose(q) @ se3.exp(0.05 * rng.normal(size=(2, 3, 6)))
        if joint.constant_S:
            each = np.array([[joint.project(pose) for pose in row] for row in X]).reshape(2, 3, joint.nq)
            np.testing.assert_allclose(joint.project(X), each, rtol=0, atol=1e-15)  # sums of three in another order
            S = [joint.motion_subspace(joint.random(rng)) for _ in range(3)]
            assert all(np.array_equal(S[0], other) for other in S)
    model = random_tree(8, 12, [*JOINTS, rbd.Universal()])
    states = [random_state(model, k)[:2] for k in range(5)]
    T = [rbd.forward_kinematics(model, q, v) for q, v in states]
    poses, velocities = np.array([x.poses for x in T]), np.array([x.velocities for x in T])
    q, v = joint_state(model, poses, velocities)
    for k in range(5):
        alone = joint_state(model, poses[k], velocities[k])
        np.testing.assert_allclose(q[k], alone[0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(v[k], states[k][1], rtol=0, atol=1e-12)


class Stiffening(rbd.Revolute):
    """A user's joint: it turns by q + q^3, so its axis depends on q."""

    def pose(self, q, t=0.0):
        return super().pose(q + q**3, t)

    def project(self, pose):
        angle = super().project(pose)
        return 2.0 / np.sqrt(3.0) * np.sinh(np.arcsinh(1.5 * np.sqrt(3.0) * angle) / 3.0)

    def motion_subspace(self, q):
        return (1.0 + 3.0 * q[0] ** 2) * super().motion_subspace(q)

    def velocity_product(self, q, v, t=0.0):
        return 6.0 * q[0] * v[0] ** 2 * super().motion_subspace(q)[:, 0]


def test_a_users_joint_that_looks_like_ours_is_taken_as_its_own():
    """Neither its axis nor its coordinate is that of the class it was made from."""
    model = rbd.Model("own")
    model.add_body("arm", joint=Stiffening("y"), inertia=rbd.Inertia(1.0, [0, 0, -1.0], 0.1 * np.eye(3)))
    assert rbd.Revolute.constant_S and not Stiffening.constant_S
    system = rbd.formulations.FORMULATIONS["se3"](model)
    q, v = np.array([0.9]), np.array([0.7])
    found = system.joint_state(*system.state(q, v))
    np.testing.assert_allclose(found, (q, v), rtol=0, atol=1e-14)
    motion = rbd.simulate(model, q, v, duration=0.01, dt=1e-3, formulation="se3", progress=False)
    joints = rbd.simulate(model, q, v, duration=0.01, dt=1e-3, progress=False)
    assert "compiled loop" in motion.report.backend
    np.testing.assert_allclose(motion.q, joints.q, rtol=0, atol=1e-10)


class Tilting(rbd.Spherical):
    """A user's joint that was made from a ball joint, but turns about one axis, which wanders as it turns."""

    kind = "tilting"
    nq, nv = 1, 1
    q_names, q_units, v_names, v_units = ("angle",), ("rad",), ("angle",), ("rad/s",)

    def pose(self, q, t=0.0):
        return rbd.Universal("x", "y").pose(np.concatenate([q, 0.5 * q], axis=-1), t)

    def project(self, pose):
        return rbd.Universal("x", "y").project(pose)[:1]

    def motion_subspace(self, q):
        return rbd.Universal("x", "y").motion_subspace(np.array([q[0], 0.5 * q[0]])) @ [[1.0], [0.5]]

    def constraint_subspace(self, q):
        return np.linalg.svd(self.motion_subspace(q))[0][:, 1:]

    def velocity_product(self, q, v, t=0.0):
        return rbd.Universal("x", "y").velocity_product(np.array([q[0], 0.5 * q[0]]), v[0] * np.array([1.0, 0.5]))

    rate = rbd.Revolute.rate
    integrate = rbd.Revolute.integrate
    difference = rbd.Revolute.difference
    local_rate = rbd.Revolute.local_rate
    neutral = rbd.Revolute.neutral
    random = rbd.Revolute.random
    check = rbd.Revolute.check


def test_constraints_of_a_users_joint_are_its_own():
    model = rbd.Model("own")
    model.add_body("arm", joint=Tilting(), inertia=rbd.Inertia(1.0, [0, 0.2, -1.0], 0.1 * np.eye(3)))
    system = rbd.formulations.FORMULATIONS["se3"](model)
    x, _ = system.state(np.array([0.8]), np.array([1.3]))
    assert system.constraint_error(x).shape == (5,) and np.abs(system.constraint_error(x)).max() < 1e-14
    options = {"duration": 0.05, "dt": 1e-3, "progress": False}
    motion = rbd.simulate(model, [0.8], [1.3], formulation="se3", **options)
    np.testing.assert_allclose(motion.q, rbd.simulate(model, [0.8], [1.3], **options).q, rtol=0, atol=1e-9)
