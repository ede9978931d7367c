"""A formulation of one's own, in this file alone: equations on arrays, the same on scalars, and a line in the list.

A hinge is a point of the unit circle here, x = (cos, sin) of its angle, so that two numbers stand for one freedom.
"""

import math
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.errors import CheckError
from rbdkit.formulations import FORMULATIONS, Compiled, Formulation
from rbdkit.trace import (
    Prepared,
    Program,
    arrays_of,
    cos,
    executable,
    loop_arrays,
    over_time,
    run_motion,
    sin,
)


class Circle:
    """One body on a hinge, under gravity alone."""

    name = "circle"
    backend = "llvm"
    code = staticmethod(executable)

    def __init__(self, model, tau=None, f_ext=None):
        self.model, self.tau, self.f_ext = model, tau, f_ext
        H, g = algorithms.crba(model, np.zeros(1)).H[0, 0], algorithms.gravity_force
        self.weight = np.array([-g(model, np.array([q]))[0] / H for q in (0.0, 0.5 * np.pi)])
        """vdot at (1, 0) and at (0, 1); it is linear in x."""

    def rate(self, t, x, v):
        assert self.tau is None and self.f_ext is None
        return np.array([x @ self.weight])

    def move(self, x, u):
        c, s = math.cos(u[0]), math.sin(u[0])
        return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])

    def local_rate(self, u, v):
        return v

    def displacement(self, x0, x1):
        return np.array([math.atan2(x0[0] * x1[1] - x0[1] * x1[0], x0 @ x1)])

    def state(self, q, v):
        return np.concatenate([np.cos(q), np.sin(q)], axis=-1), v

    def angle(self, x):
        return np.arctan2(x[..., 1:], x[..., :1])

    def poses(self, x, t=0.0):
        return algorithms.forward_kinematics(self.model, self.angle(x), t=t).poses

    def velocities(self, x, v, t=0.0):
        return algorithms.forward_kinematics(self.model, self.angle(x), v, t=t).velocities

    def energy(self, x, v, t=0.0):
        return algorithms.energy(self.model, self.angle(x), v, t=t)

    def invariants(self, x, v, t=0.0):
        return {"energy": self.energy(x, v, t).total}

    def constraint_error(self, x, t=0.0):
        return np.zeros((*x.shape[:-1], 0))

    def obstacle(self, acts):
        return "" if self.tau is None and self.f_ext is None else "the circle knows gravity alone"

    def compiled_run(self, method, times, x, v, every, progress, acts=None):
        if self.obstacle(acts):
            return None
        loop = loop_arrays(times, x, v)
        own = arrays_of(method, len(x), len(v), {*loop, "weight"})
        code = partial(self._code, method.record)
        counts = {"stages": len(own["c"])}
        prepared = Prepared(len(times) - 1, {**own, **loop}, {"weight": self.weight}, {}, counts, code, method.shared)
        return run_motion(prepared, every, progress)

    def _code(self, step, lanes):
        program = Program("circle", lanes)
        over_time(OnScalars(program), step)
        return self.code(program, self.backend)


class OnScalars:
    """The same on the arrays of a program."""

    nx, nv = 2, 1
    solved_together = 0, 1

    def __init__(self, program):
        self.program = program

    def coordinates(self):
        return iter((0, 1))

    def freedoms(self):
        return iter((0,))

    def move(self, x, u, result):
        p = self.program
        c, s, a, b = cos(u.load(p, 0)), sin(u.load(p, 0)), x.load(p, 0), x.load(p, 1)
        result.store(p, 0, c * a - s * b)
        result.store(p, 1, s * a + c * b)

    def local_rate(self, u, v, result):
        result.store(self.program, 0, v.load(self.program, 0))

    def rate(self, moment, x, v, result):
        p = self.program
        result.store(p, 0, sum(x.load(p, k) * p.load("weight", 0, k) for k in range(2)))


@pytest.fixture(params=["llvm", "python", "wasm"])
def circle(request, monkeypatch):
    """Registered, with its code in one of the backends."""
    monkeypatch.setitem(FORMULATIONS, "circle", Circle)
    monkeypatch.setattr(Circle, "backend", request.param)
    if request.param == "wasm":
        host = request.getfixturevalue("host")
        monkeypatch.setattr(Circle, "code", staticmethod(lambda program, backend: host.code(program)))
    return "circle"


def test_a_wrong_index_is_an_error_in_machine_code_too(monkeypatch):
    """What is not proved to stay inside runs in Python, with its indices checked."""

    def rate(self, moment, x, v, result):
        p = self.program
        result.store(p, 0, sum(x.load(p, k) * p.load("weight", 0, k + 1) for k in range(2)))

    monkeypatch.setitem(FORMULATIONS, "circle", Circle)
    monkeypatch.setattr(OnScalars, "rate", rate)
    said = r"'circle' is not known to stay inside of its arrays: it reads or writes weight\[2\]"
    with pytest.warns(RuntimeWarning, match=said), pytest.raises(CheckError, match=r"weight\[2\] is read"):
        rbd.simulate(rbd.library.pendulum(), [0.8], duration=0.01, formulation="circle")


def test_checked_code_names_the_line_that_reads_beside_an_array(monkeypatch):
    def rate(self, moment, x, v, result):
        p = self.program
        result.store(p, 0, sum(x.load(p, k) * p.load("weight", 0, k + 1) for k in range(2)))

    monkeypatch.setitem(FORMULATIONS, "circle", Circle)
    monkeypatch.setattr(Circle, "backend", "checked")
    monkeypatch.setattr(OnScalars, "rate", rate)
    with pytest.raises(CheckError, match=r"weight\[2\] is read, and there is weight\[0\] to weight\[1\]") as caught:
        rbd.simulate(rbd.library.pendulum(), [0.8], duration=0.01, formulation="circle", backend="checked")
    assert caught.value.line.file == __file__
    assert caught.value.line.number == rate.__code__.co_firstlineno + 2


def hinge(tmp_path):
    """A pendulum that was in a file."""
    rbd.save(rbd.library.pendulum(), tmp_path / "pendulum.json")
    return rbd.load(tmp_path / "pendulum.json")


@pytest.mark.parametrize("integrator", ["rk4", "implicit_midpoint", "symplectic_euler", "crouch_grossman4"])
def test_it_runs_compiled_with_every_kind_of_method(circle, integrator, tmp_path):
    model, options = hinge(tmp_path), {"duration": 0.2, "dt": 1e-3, "integrator": integrator, "progress": False}
    run = rbd.simulate(model, [0.8], [0.3], formulation=circle, **options)
    assert "'circle', compiled loop" in run.report.backend
    expected = rbd.simulate(model, [0.8], [0.3], **options)
    assert_allclose(run.q, expected.q, rtol=0, atol=1e-12)  # the same steps in other coordinates
    assert_allclose(run.v, expected.v, rtol=0, atol=1e-12)


def test_adaptive_steps_and_whole_turns(circle, tmp_path):
    options = {"duration": 3.0, "dt": 0.1, "integrator": "dop853", "progress": False}
    run, expected = (rbd.simulate(hinge(tmp_path), [0.8], [9.0], formulation=x, **options) for x in (circle, "joint"))
    assert "compiled loop" in run.report.backend
    assert abs(expected.q[-1, 0]) > 2.0 * np.pi
    assert_allclose(np.exp(1j * run.q), np.exp(1j * expected.q), rtol=0, atol=1e-5)
    assert np.abs(run.energy_error()).max() < 1e-5


def test_it_is_shown_swept_and_says_what_it_does_not_know(monkeypatch):
    monkeypatch.setitem(FORMULATIONS, "circle", Circle)
    model = rbd.library.pendulum()
    assert isinstance(Circle(model), Formulation) and isinstance(Circle(model), Compiled)
    run = rbd.simulate(model, [0.8], duration=0.1, formulation="circle", progress=False)
    view = rbd.show(run)
    assert view.tracks.t[-1] == pytest.approx(0.1)
    view.close()
    ensemble = rbd.sweep(model, {"q0": [[0.1], [0.2]]}, duration=0.1, formulation="circle", progress=False)
    assert_allclose(ensemble.q[1], rbd.simulate(model, [0.2], duration=0.1).q, rtol=0, atol=1e-12)
    readable = Circle(model, tau=lambda t, x, v: np.zeros(1))
    assert readable.compiled_run(None, None, None, None, 1, None) is None
