"""A part of a user's own is new as soon as what it reads is changed: the model is that of a cell that was run again."""

import functools
import types

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints.joint_type import VectorJoint

BEFORE, AFTER = 1.25, 0.4
WAYS = {
    "global": ("K = {v}", "K", "NS['K'] = {v}"),
    "helper": ("def helper(): return {v}", "helper()", "exec('def helper(): return {v}', NS)"),
    "code": ("def helper(): return {v}", "helper()", "NS['helper'].__code__ = (lambda: {v}).__code__"),
    "default": ("def helper(k={v}): return k", "helper()", "NS['helper'].__defaults__ = ({v},)"),
    "closure": (
        "def make():\n    k = {v}\n    def put(x):\n        nonlocal k\n        k = x\n    return put, lambda: k\n"
        "put, helper = make()",
        "helper()",
        "NS['put']({v})",
    ),
    "array": ("A = np.array([{v}])", "A[0]", "NS['A'][0] = {v}"),
    "module": ("M.k = {v}", "M.k", "M.k = {v}"),
    "function of a module": ("exec('def f(): return {v}', vars(M))", "M.f()", "exec('def f(): return {v}', vars(M))"),
    "attribute of a function": ("def helper(): return\nhelper.k = {v}", "helper.k", "NS['helper'].k = {v}"),
    "tuple of dictionaries": ("T = (0, [dict(k={v})])", "T[1][0]['k']", "NS['T'][1][0]['k'] = {v}"),
    "class attribute": ("class Mixed:\n    G = {v}", "self.G", "NS['Own'].G = {v}"),
    "inherited attribute": ("class Mixed:\n    G = {v}", "self.G", "NS['Mixed'].G = {v}"),
    "inherited method": ("class Mixed:\n    def g(self): return {v}", "self.g()", "NS['Mixed'].g = lambda self: {v}"),
    "static method": (
        "class Mixed:\n    @staticmethod\n    def g(): return {v}",
        "self.g()",
        "NS['Mixed'].g = staticmethod(lambda: {v})",
    ),
    "property": (
        "class Mixed:\n    @property\n    def g(self): return {v}",
        "self.g",
        "NS['Own'].g = property(lambda self: {v})",
    ),
    "list of a class": ("class Mixed:\n    G = [{v}]", "self.G[0]", "NS['Mixed'].G[0] = {v}"),
}
PARTS = {
    "force": """
class Own(Mixed, rbd.ForceElement):
    joint: str
    def act(self, at): at.apply_torque(self.joint, -2.0 * {x} * at.coordinates(self.joint)[0])
    def energy(self, at): return {x} * at.coordinates(self.joint)[0] ** 2
""",
    "law of a force": "def law(x, v): return -np.array([3.0 * {x}, 0.0, 1.0]) * x - 0.2 * v\n",
    "muscle": """
class Own(Mixed, rbd.Muscle):
    def active_force_length(self, length): return {x} * np.exp(-((length - 1.0) ** 2))
""",
    "constraint": """
class Own(Mixed, rbd.ConstraintElement):
    a: str
    b: str
    def gap(self, at): return {x} * (at.coordinates(self.a)[0] - 0.3) - (at.coordinates(self.b)[0] - 0.1)
""",
    "joint": """
class Own(Mixed, VectorJoint):
    nq = nv = 1
    kind, arguments, q_names, q_units, v_names, v_units = "own", {{}}, ("a",), ("rad",), ("w",), ("rad/s",)
    def pose(self, q, t=0.0):
        T, c, s = np.eye(4), np.cos({x} * q[0]), np.sin({x} * q[0])
        T[0, 0], T[0, 2], T[2, 0], T[2, 2] = c, s, -s, c
        return T
    def motion_subspace(self, q): return np.array([[0.0, {x}, 0.0, 0.0, 0.0, 0.0]]).T
""",
    "prescribed": "def moves(t): return {x} * np.sin(t), {x} * np.cos(t), -{x} * np.sin(t)\n",
    "tau": "def law(t, q, v): return -3.0 * {x} * q\n",
    "integrator": """
class Own(rbd.integrators.SymplecticEuler):
    name = "own"
    def step(self, system, state, h):
        v = state.v + float({x}) * h * system.rate(state.t, state.x, state.v)
        return rbd.integrators.State(state.t + h, system.move(state.x, h * v), v)
""",
}


def made(kind, way, number, named=True):
    """A model, options of `simulate`, and what changes the number. named : whether the part is one of a module."""
    define, reads, edit = WAYS[way]
    module = types.ModuleType("mine")
    space = {"np": np, "rbd": rbd, "VectorJoint": VectorJoint, "M": module} | (
        {"__name__": "__main__"} if named else {}
    )
    source = define if "class Mixed" in define else f"{define}\nclass Mixed: pass"
    exec(source.format(v=number) + "\n" + PARTS[kind].format(x=reads), space)
    model, options = rbd.Model("arm"), {}
    rod = rbd.Inertia.box((0.05, 0.05, 1.0), mass=1.0).transformed(rbd.pose(position=(0, 0, -0.5)))
    first = space["Own"]() if kind == "joint" else rbd.Revolute("y")
    model.add_body("b0", joint=first, inertia=rod)
    model.add_body("b1", "b0", joint=rbd.Revolute("y"), placement=(0, 0, -1.0), inertia=rod)
    if kind == "force":
        model.add_force("own", space["Own"]("b0_joint"))
    elif kind == "law of a force":
        model.add_force("own", space["law"], "b1", (0.0, 0.0, -0.7))
    elif kind == "muscle":
        model.add_force("own", space["Own"](("world", "b1"), (0.3, 0, 0.3, 0, 0, -0.5), 20.0, optimal_length=0.5))
    elif kind == "constraint":
        model.add_constraint("own", space["Own"]("b0_joint", "b1_joint"))
    elif kind == "prescribed":
        driven = rbd.Prescribed(rbd.Revolute("y"), space["moves"])
        model.add_body("b2", "b1", joint=driven, inertia=rbd.Inertia.sphere(0.3, mass=5.0), placement=(0.5, 0, 0))
    elif kind == "tau":
        options["tau"] = rbd.traced(space["law"])
    else:
        options |= {"integrator": space["Own"]()} if kind == "integrator" else {}
    return model, options, lambda new: exec(edit.format(v=new), {"NS": space, "M": module, "np": np})


def asked(use, model, options):
    """What is computed of a model, in a row."""
    q, v, tau = np.array([0.3, 0.1]), np.zeros(2), np.array([0.1, 0.2])
    if use == "forward_dynamics":
        return rbd.forward_dynamics(model, q, v, tau)
    if use == "energy":
        return np.array([rbd.energy(model, q, v).total])
    if use == "passive_force":
        return rbd.passive_force(model, q, v)
    if use == "stiffness":
        return rbd.stiffness_and_damping(model, q, v).K.toarray().ravel()
    if use == "derivatives":
        return rbd.forward_dynamics_derivatives(model, q, v, tau).da_dq.ravel()
    if use == "rnea":
        return rbd.rnea(model, q, v, tau)
    if use == "poses":
        return rbd.forward_kinematics(model, q).poses.ravel()
    if use == "sweep":
        motions = rbd.sweep(model, {"b0.mass": [1.0, 2.0]}, q0=q, duration=0.05, progress=False, **options)
        return motions.q[:, -1].ravel()
    motion = rbd.simulate(model, q, duration=0.05, formulation=use, progress=False, **options)
    assert "compiled loop" in motion.report.backend
    return np.concatenate([motion.q[-1], motion.v[-1], [motion.energy().total[-1]]])


OF_FORCES = (
    "joint", "maximal", "se3", "redmax", "forward_dynamics", "energy", "passive_force", "stiffness", "derivatives",
)  # fmt: skip
USES = {
    "force": (*OF_FORCES, "sweep"),
    "law of a force": OF_FORCES,
    "muscle": ("joint", "maximal", "passive_force", "stiffness"),
    "constraint": ("joint", "maximal", "se3", "forward_dynamics", "sweep"),
    "joint": ("joint", "rnea", "poses", "energy"),
    "prescribed": ("joint",),
    "tau": ("joint", "maximal", "redmax"),
    "integrator": ("joint", "maximal", "se3", "redmax"),
}
OF_CLASS = [way for way, (define, *_) in WAYS.items() if "Mixed" in define]
NOT = {(kind, way) for way in OF_CLASS for kind in ("law of a force", "prescribed", "tau", "integrator")}
NOT |= {("joint", "tuple of dictionaries")}  # of joints what can change is not compiled
PAIRS = [(kind, way) for kind in USES for way in WAYS if (kind, way) not in NOT]
CASES = [(kind, way, USES[kind][k % len(USES[kind])]) for k, (kind, way) in enumerate(PAIRS)][::3]
"""All kinds of parts, all ways and all that is asked, but not each with each."""


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")  # of the integrator, which is none
@pytest.mark.parametrize(("kind", "way", "use"), CASES)
def test_an_edited_part_is_as_if_it_were_made_anew(kind, way, use):
    model, options, edit = made(kind, way, BEFORE)
    before = asked(use, model, options)
    edit(AFTER)
    after = asked(use, model, options)
    fresh, fresh_options, _ = made(kind, way, AFTER)
    expected = asked(use, fresh, fresh_options)
    np.testing.assert_allclose(after, expected, rtol=1e-12, atol=1e-12)
    edit(BEFORE)
    np.testing.assert_array_equal(asked(use, model, options), before)
    if (kind, use) not in (("law of a force", "energy"),):  # which has none
        assert not np.allclose(after, before, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize(
    ("kind", "way", "use"),
    [
        ("force", "global", "forward_dynamics"),
        ("muscle", "inherited method", "passive_force"),
        ("constraint", "class attribute", "joint"),
        ("joint", "helper", "rnea"),
        ("integrator", "global", "se3"),
    ],
)
def test_classes_of_a_namespace_without_a_name_are_not_taken_for_pythons_own(kind, way, use):
    """``exec(text, {})`` makes classes of a module 'builtins', whose code was never looked into."""
    model, options, edit = made(kind, way, BEFORE, named=False)
    before = asked(use, model, options)
    edit(AFTER)
    fresh, fresh_options, _ = made(kind, way, AFTER, named=False)
    after = asked(use, model, options)
    np.testing.assert_allclose(after, asked(use, fresh, fresh_options), rtol=1e-12, atol=1e-12)
    assert not np.allclose(after, before, rtol=1e-9, atol=1e-9)


def test_the_motion_of_a_part_that_was_edited_keeps_what_was_recorded_and_refuses_the_rest():
    model, _, edit = made("force", "global", BEFORE)
    motion = rbd.simulate(model, [0.3, 0.1], duration=0.1, progress=False)
    expected = motion.energy().total.copy()
    edit(AFTER)
    again = rbd.simulate(model, [0.3, 0.1], duration=0.1, progress=False)
    assert not np.allclose(again.energy().total, expected)
    other = rbd.Trajectory(motion.model, motion.t, motion.q, motion.v)
    np.testing.assert_array_equal(other.energy().total, expected)
    with pytest.raises(rbd.ModelError, match="moved with 'own' of a class that reads something which was changed"):
        rbd.stiffness_and_damping(motion.model, motion.q[-1], motion.v[-1])


@pytest.mark.parametrize("kind", ["force", "constraint"])
@pytest.mark.parametrize("formulation", ["joint", "maximal", "se3"])
def test_what_was_made_of_a_model_before_an_edit_refuses_to_go_on(kind, formulation):
    model, _, edit = made(kind, "global", BEFORE)
    system = rbd.formulations.FORMULATIONS[formulation](model, None, None)
    equation = rbd.StateEquation(model)
    x, v = system.state(np.array([0.3, 0.1]), np.zeros(2))
    assert np.isfinite(system.rate(0.0, x, v)).all()
    edit(AFTER)
    with pytest.raises(rbd.ModelError, match="moved with 'own' of a class that reads something which was changed"):
        system.rate(0.0, x, v)
    with pytest.raises(rbd.ModelError, match="make anew what else was made of the model"):
        equation(0.0, np.array([0.3, 0.1, 0.0, 0.0]))


def test_a_part_that_is_edited_during_a_motion_is_refused():
    """Whether compiled code goes on with what it was or Python steps with what it is, no one model moved so."""
    model, _, edit = made("force", "global", BEFORE)
    with pytest.raises(rbd.ModelError, match="'own' of a class that reads something which was changed"):
        rbd.simulate(model, [0.3, 0.1], duration=0.1, progress=lambda _: edit(AFTER))


def test_cached_properties_are_computed_when_they_are_first_asked_for():
    class Own(rbd.ForceElement):
        joint: str

        @functools.cached_property
        def stiffness(self):
            return 2.0

        def act(self, at):
            at.apply_torque(self.joint, -self.stiffness * at.coordinates(self.joint)[0])

    model = rbd.library.pendulum()
    model.add_force("own", Own("hinge"))
    for _ in range(2):
        assert "compiled loop" in rbd.simulate(model, [0.3], duration=0.01, progress=False).report.backend


def test_a_field_that_is_an_array_is_watched():
    class Own(rbd.ForceElement):
        joint: str
        gains: object

        def act(self, at):
            at.apply_torque(self.joint, -self.gains[0] * at.coordinates(self.joint)[0])

    model, gains = rbd.library.pendulum(), np.array([1.0, 2.0])
    spring = rbd.Spring("rod", "world", stiffness=20.0, at_b=[1.0, 0.0, 0.0])
    model.add_force("own", Own("hinge", gains))
    model.add_force("spring", spring)
    for gains[0], spring.at_b[0] in ((1.0, 1.0), (5.0, 1.0), (5.0, 2.0)):
        fast = rbd.forward_dynamics(model, [0.3], [0.0], [0.0])
        book = rbd.forward_dynamics(model, [0.3], [0.0], [0.0], backend="book")
        np.testing.assert_allclose(fast, book, rtol=1e-12)
