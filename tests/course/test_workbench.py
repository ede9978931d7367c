"""The checks of the workbench notebook accept right answers and explain wrong ones."""

import numpy as np
import pytest

from rbdkit_course import workbench

RIGHT = {"explicit_euler": 1, "heun": 2, "rk4": 4, "rk5": 6}


def test_brake():
    critical = workbench.critical_damping()
    # the rod: I = m l^2 / 3 about its end, but for its thickness, and m g l / 2 holds it down
    assert critical == pytest.approx(2 * np.sqrt(1 / 3 * 9.81 / 2), rel=2e-3)
    verdicts = {factor: workbench.brake(factor * critical) for factor in (0.5, 0.9, 2.5)}
    assert verdicts[0.9], verdicts[0.9].why
    assert "brake harder" in verdicts[0.5].why and "creeps" in verdicts[2.5].why
    assert "is not a damping" in workbench.brake(-1.0).why


def test_hanging():
    assert workbench.hanging(2 * 9.81, 9.81) and workbench.hanging(-19.62, -9.81)
    for answer, word in {
        (9.81, 19.62): "other way round",
        (9.81, 9.81): "carries the lower rod as well",
        (2.0, 1.0): "masses in kg",
        (5.0, 5.0): "not these",
        (19.62, -9.81): "the same sign",
        (np.nan, 1.0): "not two numbers",
    }.items():
        verdict = workbench.hanging(*answer)
        assert not verdict and word in verdict.why


def test_evaluations():
    assert workbench.evaluations(RIGHT)
    assert "fewer than 5" in workbench.evaluations({**RIGHT, "rk4": 5}).why
    assert "more than 5" in workbench.evaluations({**RIGHT, "rk5": 5}).why
    assert "give a number for each" in workbench.evaluations({"rk4": 4}).why


def test_syrup():
    verdicts = {c: workbench.syrup(c) for c in (3.27, "3.27", 3.25, 1.0, 3.0, 30.0, -1.0, None)}
    assert verdicts[3.27] and verdicts["3.27"] and verdicts[3.25]
    assert "resist more" in verdicts[1.0].why
    assert "that is the speed itself" in verdicts[3.0].why
    assert "resist less" in verdicts[30.0].why
    assert "is no resistance" in verdicts[-1.0].why and "is no resistance" in verdicts[None].why


def test_syrup_is_what_a_simulation_says():
    import rbdkit as rbd

    class Syrup(rbd.ForceElement):
        """Resistance in proportion to the velocity."""

        c: float

        def act(self, at):
            at.apply_force("ball", -self.c * at.velocity("ball"))

    model = rbd.Model()
    model.add_body("ball", joint=rbd.Prismatic("z"), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_force("syrup", Syrup(3.27))
    assert rbd.simulate(model, duration=8.0).v[-1, 0] == pytest.approx(-3.0, rel=1e-6)
