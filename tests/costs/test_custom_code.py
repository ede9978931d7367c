"""Section 10.4 on whole algorithms: code for one model, with its numbers folded in or left open."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.costs import custom_dynamics
from rbdkit.engine import operations
from rbdkit.errors import ModelError
from rbdkit.library import double_pendulum, general_unbranched, random_state, random_tree
from rbdkit.trace import Operations, compile_python, python_source, trace

ROUND_OFF = 1e-11  # of eleven random bodies; aba and rnea sum in another order


def numbers(trace, *arguments):
    return np.asarray(trace(*arguments), dtype=float)


@pytest.mark.source("F10.09")
@pytest.mark.parametrize("seed", range(3))
def test_custom_code_computes_what_the_readable_algorithms_do(seed):
    model = random_tree(seed, bodies=9)
    q, v, x = random_state(model, seed)
    for name, readable in (
        ("rnea", rbd.algorithms.rnea(model, q, v, x).tau),
        ("aba", rbd.algorithms.aba(model, q, v, x).qdd),
    ):
        found = numbers(custom_dynamics(model, name), q, v, x)
        assert np.abs(found - readable).max() < ROUND_OFF * np.abs(readable).max()


@pytest.mark.source("F10.10")
def test_custom_source_of_a_double_pendulum():
    """By hand: (4, 3) sines, 9.81 and lengths are constants; nothing is multiplied by zero or one."""
    model = double_pendulum()
    code = custom_dynamics(model)
    source = python_source(code, "torques")
    assert source.startswith("def torques(q, v, qdd):") and "9.81" in source and "rows" not in source
    assert "* 0.0" not in source and "* 1.0" not in source and "+ 0.0" not in source
    assert source.count(" * ") == code.operations().mul
    torques = compile_python(source, "torques")
    q, v, qdd = [0.4, -1.1], [0.7, 0.3], [1.5, -2.0]
    assert torques(q, v, qdd) == pytest.approx(rbd.rnea(model, q, v, qdd), rel=1e-14)


@pytest.mark.source("F10.10")
@pytest.mark.parametrize("algorithm", ["rnea", "aba"])
def test_parameters_can_be_left_open_until_run_time(algorithm):
    model = random_tree(2, bodies=6, joints=[rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Revolute("y")])
    q, v, x = random_state(model, 2)
    other = random_tree(7, bodies=6, joints=[rbd.Revolute("z"), rbd.Prismatic("x"), rbd.Revolute("y")])
    open_code = custom_dynamics(model, algorithm, ["inertia", "gravity", "mass", "com"])
    assert open_code.names[3:] == ("gravity", "mass", "com", "inertia")
    gravity, own = np.array([1.0, -2.0, 3.0]), [rbd.Inertia.zero(), *(body.inertia for body in other.bodies[1:])]
    changed = rbd.Model("changed", gravity=gravity)
    for body, inertia in zip(model.bodies[1:], own[1:], strict=True):
        parent = model.bodies[body.parent].name
        changed.add_body(body.name, parent, body.joint.type, body.joint.placement, inertia)
    expected = getattr(rbd, algorithm)(changed, q, v, x)
    values = [gravity, *(np.array([getattr(I, name) for I in own]) for name in ("mass", "com", "inertia_com"))]
    assert numbers(open_code, q, v, x, *values) == pytest.approx(expected, rel=1e-10)
    everything = custom_dynamics(model, algorithm, ["gravity", "placement", "mass", "com", "inertia"])
    folded = custom_dynamics(model, algorithm)
    assert folded.operations().total < open_code.operations().total <= everything.operations().total


@pytest.mark.source("F10.10")
def test_what_simplification_saves_depends_on_the_zeros_of_the_model():
    """Section 10.4: a large factor for an aligned planar chain, hardly any for a general one."""

    def factor(model):
        return operations(model, "rnea", generic=True).total / custom_dynamics(model).operations().total

    assert factor(double_pendulum()) > 5.5
    assert 1.0 < factor(general_unbranched(6)) < 1.5


@pytest.mark.source("F10.10")
@pytest.mark.parametrize(
    ("rule", "function", "before", "after"),
    [
        ("a value that is never used", lambda x: [x[0] * x[1], x[1] * x[2]][1], "2m", "1m"),
        ("a copy", lambda x: (x[0] + 0.0) * (x[0] * 1.0), "2m + 1a", "1m"),
        ("zero and one", lambda x: 1.0 * x[0] + 0.0 * x[1] + 0.0, "2m + 2a", "0"),
        ("a constant expression", lambda x: (2.0 * x[2] * 0.0 + 3.0) * x[0], "3m + 1a", "1m"),
    ],
)
def test_the_four_rules_one_by_one(rule, function, before, after):
    raw = trace(function, 3, simplify=False)
    assert (str(raw.operations()), str(raw.simplified().operations())) == (before, after), rule
    x = np.array([0.3, -1.7, 2.2])
    assert float(raw.simplified()(x)) == pytest.approx(float(function(x)), rel=1e-15)


@pytest.mark.source("F10.09", "F10.10")
def test_table_10_3_line_by_line():
    """The four assignments of the print: 1.5 v1, 1.6 v2, their cross product's third component, and no more."""
    I, s = np.diag([1.5, 1.6, 1.7]), np.array([0.0, 0.0, 1.0])
    raw = trace(lambda v: s @ np.cross(v, I @ v), 3, names=["v"], simplify=False)
    assert raw.operations() == Operations(mul=18, add=11)
    lines = python_source(raw.simplified(), "tau").splitlines()[1:]
    assert sum("v[" in line for line in lines) == 2 and "1.7" not in "".join(lines)
    v = np.array([0.9, -1.3, 0.4])
    assert float(raw.simplified()(v)) == pytest.approx(v[0] * (1.6 * v[1]) - v[1] * (1.5 * v[0]), rel=1e-15)
    optimum = trace(lambda v: 0.1 * v[0] * v[1], 3)
    assert optimum.operations().total == 2
    assert float(optimum(v)) == pytest.approx(float(raw(v)), rel=1e-13)


def test_unknown_wishes_are_refused():
    with pytest.raises(ModelError, match="rnea and aba"):
        custom_dynamics(double_pendulum(), "crba")
    with pytest.raises(ModelError, match="there are gravity, placement, mass"):
        custom_dynamics(double_pendulum(), "rnea", ["density"])
