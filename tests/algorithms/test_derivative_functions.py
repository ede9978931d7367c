"""The public functions for derivatives: stacks, names, shapes, and agreement with one another."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError
from rbdkit.library import planar_four_bar, random_state, random_tree

JACOBIANS = (rbd.rnea_derivatives, rbd.aba_derivatives, rbd.forward_dynamics_derivatives)
GRADIENTS = (rbd.rnea_gradient, rbd.aba_gradient, rbd.forward_dynamics_gradient)
BY_NAME = (rbd.rnea_parameter_jacobian, rbd.forward_dynamics_parameter_jacobian)
CLOSE = 1e-10  # two algorithms, and what the condition of H makes of their round-off


@pytest.fixture(scope="module")
def model():
    """Six bodies, one of them welded, on straight, curved and reversed joints, with springs, dampers and rotors."""
    joints = [rbd.Revolute("y"), rbd.Spherical(), rbd.Fixed(), rbd.Helical("z", pitch=0.2), rbd.Planar("x"),
              rbd.Reversed(rbd.Universal())]  # fmt: skip
    model = random_tree(2, 6, joints)
    values = {f"{j.name}.{n}": np.full(j.nv, 0.5) for j in model.joints if j.nv for n in ("stiffness", "armature")}
    return model.with_parameters(values)


@pytest.fixture(scope="module")
def states(model):
    """A 2 x 2 stack of q, v, a or tau, and weights; and forces on the bodies."""
    rng = np.random.default_rng(0)
    rows = [(*random_state(model, seed), rng.normal(size=model.nv)) for seed in range(4)]
    return tuple(np.array(part).reshape(2, 2, -1) for part in zip(*rows, strict=True)), rng.normal(size=(7, 6))


def fields(result) -> dict[str, np.ndarray]:
    """All arrays of a result, by name."""
    found = dict(result) if isinstance(result, dict) else dict(vars(result))
    return {name: x for name, x in (found | found.pop("parameters", {})).items() if x is not None}


@pytest.mark.parametrize("function", [*JACOBIANS, *GRADIENTS, *BY_NAME, rbd.inertial_regressor])
def test_stacks_and_the_readable_form(function, model, states, off):
    (q, v, x, w), f = states
    given = (q, v, x, w) if function in GRADIENTS else (q, v, x)
    forces = {} if function is rbd.inertial_regressor else {"f_ext": f}

    def call(*given, **options):
        result = function(model, *given, **forces, **options)
        return {"Y": result} if isinstance(result, np.ndarray) else fields(result)

    stacked, book = call(*given), call(*given, backend="book")
    assert list(stacked) == list(book)
    for name, x in stacked.items():
        assert off(x, book[name], 1.0) < CLOSE, name
    for i in np.ndindex(2, 2):
        for name, one in call(*(part[i] for part in given)).items():
            assert off(stacked[name][i], one, 1.0) < CLOSE, name


def test_leading_axes_broadcast(model, states, off):
    (q, v, a, w), _ = states
    d = rbd.rnea_derivatives(model, q[0, 0], v[0], a[:, :1])
    assert d.dtau_dq.shape == (2, 2, model.nv, model.nv)
    assert off(d.dtau_dq[1, 1], rbd.rnea_derivatives(model, q[0, 0], v[0, 1], a[1, 0]).dtau_dq) < CLOSE
    assert rbd.rnea_gradient(model, q[0, 0], v[0], a[:, :1], w).q.shape == (2, 2, model.nv)


@pytest.mark.parametrize("which", range(3))
def test_a_gradient_is_weights_times_a_jacobian(which, model, states, off):
    jacobian, gradient, by_name = JACOBIANS[which], GRADIENTS[which], (BY_NAME[0], None, BY_NAME[1])[which]
    (q, v, x, w), f = (tuple(part[0, 0] for part in states[0])), states[1]
    blocks, g = list(vars(jacobian(model, q, v, x, f_ext=f)).values())[-3:], gradient(model, q, v, x, w, f_ext=f)
    last = g.tau if g.a is None else g.a
    for found, J in zip((g.q, g.v, last), blocks, strict=True):
        assert off(found, w @ J) < CLOSE
    if by_name is not None:
        J = by_name(model, q, v, x, f_ext=f)
        assert list(J) == list(g.parameters)
        for name, found in g.parameters.items():
            assert off(found, np.tensordot(w, J[name], 1), 1.0) < CLOSE, name


@pytest.mark.parametrize("function, gradient", [(rbd.rnea, rbd.rnea_gradient), (rbd.aba, rbd.aba_gradient)])
def test_external_forces_count_linearly(function, gradient, model, states):
    (q, v, x, w), f = (tuple(part[0, 0] for part in states[0])), states[1]
    g = gradient(model, q, v, x, w, f_ext=f)
    change = np.random.default_rng(1).normal(size=f.shape)
    difference = w @ (function(model, q, v, x, f_ext=f + change) - function(model, q, v, x, f_ext=f))
    assert np.sum(g.f_ext * change) == pytest.approx(difference, rel=1e-10)
    assert gradient(model, q, v, x, w).f_ext is None


def test_parameters_have_the_names_and_shapes_of_the_model(model, states):
    (q, v, tau, w), _ = states
    g = rbd.forward_dynamics_gradient(model, q, v, tau, w)
    known = model.parameters
    assert set(known) - set(g.parameters) == {name for name in known if name.endswith(".friction")}
    for name, x in g.parameters.items():
        shape = (6,) if name.endswith(".placement") else np.shape(known[name])
        if name.endswith(".rest") and shape:
            shape = (model.joint(name.removesuffix(".rest")).nv,)
        assert x.shape == (2, 2, *shape), name


def test_the_acceleration_comes_with_its_derivatives(model, states, off):
    (q, v, tau, _), f = states
    assert (
        off(
            rbd.forward_dynamics_derivatives(model, q, v, tau, f_ext=f).a,
            rbd.forward_dynamics(model, q, v, tau, f_ext=f),
        )
        < 1e-13
    )


def test_identification_recovers_masses_from_one_gradient_descent():
    """What the gradient is for: joint forces measured on a pendulum of unknown bob, least squares, Newton's step.

    tau is linear in the mass, so one step from anywhere is exact.
    """
    true = rbd.library.double_pendulum()
    names = [name for name in true.parameters if name.endswith(".mass")]
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 20, true.nv))
    measured = rbd.rnea(true, q, v, a)
    guess = true.with_parameters(dict.fromkeys(names, 3.0))
    J = rbd.rnea_parameter_jacobian(guess, q, v, a)
    columns = np.stack([J[name].ravel() for name in names], axis=1)
    step = np.linalg.lstsq(columns, (measured - rbd.rnea(guess, q, v, a)).ravel(), rcond=None)[0]
    for name, change in zip(names, step, strict=True):
        assert 3.0 + change == pytest.approx(true.parameters[name], rel=1e-12)


def test_wrong_input_is_named(model):
    q, v, a = random_state(model, 0)
    with pytest.raises(rbd.StateError, match="weights has shape"):
        rbd.rnea_gradient(model, q, v, a, np.ones(2))
    with pytest.raises(ValueError, match="backend 'fast' must be"):
        rbd.rnea_derivatives(model, q, v, a, backend="fast")
    closed = rbd.Model("closed")
    for name in ("a", "b"):
        closed.add_body(name, joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [1.0, 0.0, 0.0]))
    closed.add_loop("link", "a", "b", rbd.Revolute("y"))
    with pytest.raises(rbd.ModelError, match="'link' close"):
        rbd.aba_derivatives(closed, np.zeros(2), np.zeros(2), np.zeros(2))
    massless = rbd.Model("massless")
    massless.add_body("a", joint=rbd.Revolute("y"))
    with pytest.raises(rbd.ModelError, match="joint 'a_joint' moves something without inertia: body 'a'"):
        rbd.aba_derivatives(massless, np.zeros(1), np.zeros(1), np.zeros(1))


@pytest.mark.parametrize("backend", ["auto", "book"])
def test_loops_are_refused_by_the_name_of_what_was_asked(backend):
    """`forward_dynamics_derivatives` knows loops; the others do not, and say that it is they."""
    model = planar_four_bar()
    q, v, tau = np.zeros((3, 3))
    said = "the derivative of forward dynamics needs a tree, but 'pin'"
    with pytest.raises(ModelError, match=said):
        rbd.aba_derivatives(model, q, v, tau, backend=backend)
    for ask in (rbd.forward_dynamics_gradient, rbd.aba_gradient):
        with pytest.raises(ModelError, match=said):
            ask(model, q, v, tau, np.ones(3), backend=backend)
