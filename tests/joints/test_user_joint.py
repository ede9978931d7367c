"""A joint type of a user's own from end to end: dynamics, simulation, formulations, pictures, files."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import rbdkit as rbd
from rbdkit.algorithms import aba, crba, energy, rnea
from rbdkit.errors import FormatError, ModelError
from rbdkit.inspection import inspect
from rbdkit.joints import Reversed, Universal
from rbdkit.joints.joint_type import VectorJoint
from rbdkit.model.graph import graph_of, regular_numbering, renumbered, spanning_trees
from rbdkit.scene import scene_of, tracks_of
from rbdkit.spatial.inertia import Inertia

pytestmark = pytest.mark.source("F4.23")


class Parabola(VectorJoint):
    """A bead that slides without turning along z = k x^2 / 2; q is x. Written as a user would write it."""

    kind = "parabola"
    nq = nv = 1
    q_names, q_units = ("x",), ("m",)

    def __init__(self, k=1.0):
        self.k = float(k)

    def pose(self, q, t=0.0):
        T = np.broadcast_to(np.eye(4), (*np.shape(q)[:-1], 4, 4)).copy()
        T[..., 0, 3], T[..., 2, 3] = q[..., 0], 0.5 * self.k * q[..., 0] ** 2
        return T

    def project(self, pose):
        return pose[:1, 3].copy()

    def motion_subspace(self, q):
        return np.array([[0, 0, 0, 1.0, 0, self.k * q[0]]]).T

    def velocity(self, q, v, t=0.0):
        return np.stack(
            [*np.zeros((4, *v.shape[:-1]))[:3], v[..., 0], 0 * v[..., 0], self.k * q[..., 0] * v[..., 0]], -1
        )

    def velocity_product(self, q, v, t=0.0):
        return np.array([0, 0, 0, 0, 0, self.k * v[0] ** 2])

    def constraint_subspace(self, q):
        T = np.eye(6)[:, :5]
        T[3, 3], T[5, 3] = -self.k * q[0], 1.0
        return T

    def parameters(self):
        return {"k": self.k}


@pytest.fixture
def model():
    """A bead with a pendulum under it, after a joint of the package."""
    made = rbd.Model("bead")
    made.add_body("cross", joint=Universal(), inertia=Inertia.box([0.2, 0.3, 0.1], mass=2.0))
    made.add_body("bead", "cross", Parabola(0.8), [0, 0, 0.1], Inertia.sphere(0.1, mass=1.0), joint_name="wire")
    made.add_body("bob", "bead", rbd.Revolute("y"), inertia=Inertia.sphere(0.05, mass=0.5))
    return made


STATE = np.array([0.2, -0.1, 0.4, 0.3]), np.array([0.5, 0.2, -0.7, 1.1])


def test_a_bead_on_a_wire_obeys_lagrange():
    """m (1 + k^2 x^2) x'' + m k^2 x x'^2 + m g k x = tau, by hand."""
    k, m = 0.8, 1.5
    model = rbd.Model("wire")
    model.add_body("bead", joint=Parabola(k), inertia=Inertia(m))
    x, speed, tau = 0.4, 1.3, 0.7
    expected = (tau / m - k**2 * x * speed**2 - 9.81 * k * x) / (1 + k**2 * x**2)
    assert_allclose(rbd.forward_dynamics(model, [x], [speed], [tau]), [expected], rtol=1e-14)
    assert_allclose(rbd.crba(model, [x]), [[m * (1 + k**2 * x**2)]], rtol=1e-14)


def test_algorithms_agree_on_it(model):
    q, v = STATE
    tau = np.array([0.1, 0.2, 0.3, 0.4])
    qdd = aba(model, q, v, tau).qdd
    assert_allclose(rnea(model, q, v, qdd).tau, tau, atol=1e-13)
    H = crba(model, q).H
    assert_allclose(0.5 * v @ H @ v, energy(model, q, v).kinetic, rtol=1e-13)
    for backend in ("auto", "book"):
        assert_allclose(rbd.aba(model, q, v, tau, backend=backend), qdd, rtol=1e-12)


def test_it_is_simulated_in_every_way_that_joints_are(model):
    """Joint coordinates, and bodies with constraints that come from its T; the energy is kept."""
    q, v = STATE
    run = rbd.simulate(model, q, v, duration=0.3, dt=2e-3)
    energies = run.energy().total
    assert_allclose(energies, energies[0], rtol=1e-8)
    bodies = rbd.simulate(model, q, v, duration=0.3, dt=2e-3, formulation="se3")
    assert_allclose(bodies.poses()[-1], run.poses()[-1], atol=1e-7)


def test_it_is_drawn_described_and_inspected(model):
    q, v = STATE
    assert "bead" in scene_of(model).nodes
    assert "parabola k 0.8" in model.describe()
    assert "wire" in str(inspect(model, "bead", q, v))
    trajectory = rbd.simulate(model, q, v, duration=0.02, dt=1e-3)
    assert tracks_of(trajectory).poses.shape[1] == len(scene_of(model).nodes)
    shown = rbd.show(trajectory)
    shown.show("joints")
    assert shown.model is trajectory.model and "3 bodies" in repr(shown)
    shown.close()


def test_it_turns_round_and_closes_loops(model):
    """Reversed, as an arc of the graph, and as a loop joint's error."""
    q = STATE[0][2:3]
    joint = Parabola(0.8)
    assert_allclose(Reversed(joint).pose(q) @ joint.pose(q), np.eye(4), atol=1e-15)
    delta, T = joint.calc_loop(joint.transform(q))
    assert_allclose(delta, np.zeros(5), atol=1e-15)
    assert_allclose(T.T @ joint.motion_subspace(q), np.zeros((5, 1)), atol=1e-15)
    (tree,) = spanning_trees(graph_of(model))
    made = renumbered(model, regular_numbering(tree))
    assert made.model.joint("wire").type is model.joint("wire").type
    assert_array_equal(made.state(*STATE)[1], STATE[1])


def test_files_refuse_it_by_name(model, tmp_path):
    """No file can hold Python code: the messages say which joint, and the draft's program too."""
    for name in ("model.json", "model.urdf"):
        with pytest.raises(FormatError, match=r"joint 'wire'.*(Parabola|parabola)"):
            rbd.save(model, tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(
        ModelError, match=r"joint 'wire': its type Parabola is not one of rbdkit.joints; its code is yours"
    ):
        rbd.drafting.Draft.from_model(model).code()


def test_a_type_that_is_not_complete_cannot_be_made():
    class Nothing(VectorJoint):
        kind = "nothing"

    with pytest.raises(TypeError, match="abstract"):
        Nothing()
    with pytest.raises(ModelError, match="is not a joint type"):
        rbd.Model().add_body("a", joint="revolute")


class OneState(VectorJoint):
    """A screw, written for one state: of a stack it would take the first coordinates for all, or fail."""

    kind = "screw of one state"
    nq = nv = 1
    q_names, q_units = ("angle",), ("rad",)

    def pose(self, q, t=0.0):
        T = rbd.Revolute("z").pose(q)
        T[..., 2, 3] = 0.1 * q[0]
        return T

    def motion_subspace(self, q):
        return np.array([[0, 0, 1.0, 0, 0, 0.1]]).T


class Scalar(OneState):
    """The same; of a stack it fails."""

    def pose(self, q, t=0.0):
        T = np.eye(4)
        T[:2, :2] = [[np.cos(q[0]), -np.sin(q[0])], [np.sin(q[0]), np.cos(q[0])]]
        T[2, 3] = 0.1 * q[0]
        return T


class Standing(Scalar):
    """And it says that its axes stand still, and how coordinates are found."""

    constant_S = True

    def project(self, pose):
        return np.array([np.arctan2(pose[1, 0], pose[0, 0])])


@pytest.mark.parametrize("own_kind", [OneState(), Scalar(), Standing(), Reversed(Scalar())])
def test_formulas_for_one_state(own_kind):
    """Compared with the screw of the package in all formulations, and in stacks."""
    helical = rbd.Helical("z", pitch=0.1)
    models = []
    for kind in (own_kind, Reversed(helical) if isinstance(own_kind, Reversed) else helical):
        own = rbd.Model("screw")
        box = Inertia.box((1, 2, 3), mass=1.0)
        own.add_body("a", joint=kind, inertia=box)
        own.add_body("b", "a", rbd.Revolute("y"), (0.3, 0, 0), box)
        models.append(own)
    q, v = np.array([[0.3, 0.2], [1.0, 2.0], [-0.5, 0.1]]), np.ones((3, 2))
    found, expected = (rbd.forward_kinematics(own, q, v, backend="book") for own in models)
    assert_allclose(found.poses, expected.poses, atol=1e-15)
    assert_allclose(found.velocities, expected.velocities, atol=1e-15)
    for formulation in ("joint", "se3", "so3xr3", "maximal", "redmax"):
        ends = [
            rbd.simulate(own, q[0], v[0], duration=0.02, formulation=formulation, progress=False).q for own in models
        ]
        assert_allclose(*ends, atol=1e-12)
