"""What the functions on (model, q, v, ...) refuse, so that nothing finite becomes NaN and nothing given is lost."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import ModelError, RbdkitError, StateError


@pytest.fixture(scope="module")
def arm() -> rbd.Model:
    model = rbd.Model("arm")
    for k, joint in enumerate((rbd.Revolute("y"), rbd.Prismatic("x"))):
        parent = f"b{k - 1}" if k else "world"
        model.add_body(f"b{k}", parent, joint, inertia=rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.0), joint_name=f"j{k}")
    return model


Z = np.zeros(2)
CALLS = {
    "rnea": lambda m, q, v, a: rbd.rnea(m, q, v, a),
    "aba": lambda m, q, v, a: rbd.aba(m, q, v, a),
    "aba, book": lambda m, q, v, a: rbd.aba(m, q, v, a, backend="book"),
    "forward_dynamics": lambda m, q, v, a: rbd.forward_dynamics(m, q, v, a),
    "hybrid": lambda m, q, v, a: rbd.hybrid_dynamics(m, q, v, a, a, ["j0"]),
    "power": lambda m, q, v, a: rbd.power_balance(m, q, v, a, a).energy_rate,
    "derivatives": lambda m, q, v, a: rbd.aba_derivatives(m, q, v, a),
}
WRONG = [
    "x", ["1", "2"], [1j, 0], [None, 0], 10**400, [10**400, 0], {0: 1}, object(), np.zeros(2, dtype="M8[s]"),
    np.ma.masked_array([1.0, 2.0], mask=[True, False]), [[0, 0], [0]], 1.0, [np.nan, 0], [0, np.inf],
    np.zeros((1,) * 32 + (2,)), np.zeros((2, 3)),
]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("place", range(3))
def test_wrong_states_are_refused(arm, name, place):
    for wrong in WRONG:
        given = [Z, Z, Z]
        given[place] = wrong
        try:
            CALLS[name](arm, *given)
        except RbdkitError as fault:
            assert len(str(fault)) < 600
        else:
            assert isinstance(wrong, np.ndarray) and wrong.ndim == 33, wrong  # a stack is a stack, however deep


@pytest.mark.parametrize("place, name, limit", [(0, "q", 1e15), (1, "v", 1e100), (2, "a", 1e100)])
@pytest.mark.parametrize("stack", [False, True])
def test_the_largest_numbers(arm, place, name, limit, stack):
    for k in range(2):
        given = [Z.copy(), Z.copy(), Z.copy()]
        given[place][k] = limit
        assert np.isfinite(rbd.rnea(arm, *given)).all()
        given[place][k] = -1.01 * limit
        q, v, a = (np.stack([Z, x]) for x in given) if stack else given
        where = f"{name}[{'1, ' if stack else ''}{k}] (joint 'j{k}') is beyond {limit:g}"
        with pytest.raises(StateError) as caught:
            rbd.rnea(arm, q, v, a)
        assert where in str(caught.value)


def test_numbers_up_to_the_limits_give_finite_results(arm):
    """All of q, v, a at their largest, in the kernels and in the readable form."""
    q, v, a = np.full(2, 1e15), np.full(2, 1e100), np.full(2, -1e100)
    for backend in ("auto", "book"):
        assert np.isfinite(rbd.rnea(arm, q, v, a, backend=backend)).all()
        assert np.isfinite(rbd.crba(arm, q, backend=backend)).all()
        assert np.isfinite(rbd.energy(arm, q, v, backend=backend).total)
        assert np.isfinite(rbd.forward_kinematics(arm, q, v, backend=backend).velocities).all()


def test_what_overflows_nevertheless_is_told():
    model = rbd.Model("light")
    model.add_body(
        "b", joint=rbd.Revolute(), inertia=rbd.Inertia(1e-250, inertia_com=1e-250 * np.eye(3)), joint_name="j"
    )
    for backend in ("auto", "book"):
        with pytest.raises(RbdkitError, match="'j'"):
            rbd.aba(model, [0.0], [0.0], [1e90], backend=backend)
        with pytest.raises(RbdkitError, match="'j'"):
            rbd.forward_dynamics(model, [0.0], [0.0], [1e90], backend=backend)


def test_compiled_angles_are_right_as_far_as_they_are_taken():
    """Sine and cosine against 60 digits; at 1e15 rad neighbouring floats are 0.125 rad apart."""
    wheel = rbd.Model("wheel")
    wheel.add_body("w", joint=rbd.Revolute("z"), inertia=rbd.Inertia(1.0, inertia_com=np.eye(3)))
    angles = np.concatenate([np.random.default_rng(5).uniform(0.5, 1.0, 20) * 10.0**e for e in (0, 6, 12, 14, 15)])
    R = rbd.forward_kinematics(wheel, angles[:, None]).poses[:, 1, :3, :3]
    with mpmath.workdps(60):
        exact = [(float(mpmath.cos(mpmath.mpf(x))), float(mpmath.sin(mpmath.mpf(x)))) for x in angles.tolist()]
    np.testing.assert_allclose(R[:, :2, 0], exact, rtol=0, atol=2 * np.finfo(float).eps)
    with pytest.raises(StateError, match="is beyond 1e\\+15"):
        rbd.forward_kinematics(wheel, [2e15])


NAMED = [
    (lambda m: rbd.aba(m, Z, Z, Z, backend="x"), StateError, "backend 'x' must be 'auto' or 'book'"),
    (lambda m: rbd.aba(m, Z, Z, Z, backend=np.zeros(2)), StateError, "backend array([0., 0.]) must be"),
    (lambda m: rbd.aba(None, Z, Z, Z), ModelError, "model None is not an rbdkit.Model"),
    (lambda m: rbd.forward_kinematics("x", Z), ModelError, "model 'x' is not an rbdkit.Model"),
    (lambda m: rbd.crba(3, Z), ModelError, "model 3 is not an rbdkit.Model"),
    (lambda m: rbd.center_of_mass(3, Z), ModelError, "model 3 is not an rbdkit.Model"),
    (lambda m: rbd.jacobian(m, Z, ["b1"]), ModelError, "frame ['b1'] is not in model 'arm'"),
    (lambda m: rbd.jacobian(m, Z, "b1", np.zeros(2)), StateError, "reference array([0., 0.]) must be 'body'"),
    (lambda m: rbd.momentum(m, Z, Z, np.zeros(2)), StateError, "about=array([0., 0.]) must be 'world' or 'com'"),
    (lambda m: rbd.aba(m, Z, Z, Z, f_ext="x"), StateError, "f_ext 'x' is neither a mapping"),
    (lambda m: rbd.aba(m, Z, Z, Z, f_ext={"b1": "x"}), StateError, "external force on body 'b1': 'x' is not a vector"),
    (lambda m: rbd.aba(m, Z, Z, Z, f_ext={"b1": [1j] * 6}), StateError, "imaginary part"),
    (lambda m: rbd.aba(m, Z, Z, Z, f_ext={"b1": [1e200] * 6}), StateError, "beyond 1e+100"),
    (lambda m: rbd.wrench("x"), StateError, "force of a wrench must be three finite numbers, not 'x'"),
    (lambda m: rbd.hybrid_dynamics(m, Z, Z, Z, Z, 3.0), ModelError, "a list of names or numbers, not 3.0"),
    (lambda m: rbd.gravity_force(m, [[0, 0], [0]]), StateError, "q is not an array of numbers"),
    (lambda m: rbd.rnea(m, np.zeros((0, 2)), Z, Z, backend="book"), StateError, "an empty stack of states"),
    (lambda m: rbd.inspect(m, "b1", np.zeros((3, 2))), StateError, "a body is inspected in one state"),
    (lambda m: m.difference(np.zeros((2, 2)), np.zeros((3, 2))), StateError, "do not fit together"),
    (lambda m: rbd.pose("x"), StateError, "the rotation 'x' is not made of numbers"),
    (lambda m: rbd.pose(position=[1, 2]), StateError, "the position has shape (2,)"),
    (lambda m: rbd.pose(position=10**400), StateError, "the position 1000"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, message", NAMED, ids=[m[:40] for _, _, m in NAMED])
def test_wrong_arguments_are_named(arm, call, error, message):
    with pytest.raises(error) as caught:
        call(arm)
    assert message in str(caught.value)
