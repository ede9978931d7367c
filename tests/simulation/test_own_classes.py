"""Classes of a user's own, made from one of rbdkit's: what they change counts in compiled loops, too."""

import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.laws import Compliant, TimeStepping


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [("se3", "rk4"), ("bodywise", "rk4"), ("redmax", "rk4"), ("maximal", "symplectic_euler")],
)
def test_a_class_of_ones_own_is_not_run_by_the_loop_of_its_base(formulation, integrator):
    """What stands still by its own rate fell as its base does; the readable form was right."""

    class Still(rbd.formulations.FORMULATIONS[formulation]):
        def rate(self, t, x, v):
            return 0.0 * super().rate(t, x, v)

    run = rbd.simulate(rbd.library.pendulum(), [0.4], duration=0.05, formulation=Still, integrator=integrator)
    assert "of class Still, and the compiled loop that of its base class" in run.report.backend
    assert_allclose(run.q, 0.4, rtol=1e-14)


class Counted(TimeStepping):
    def step(self, *given, **options):
        Counted.steps += 1
        return super().step(*given, **options)


class Gentle(Compliant):
    def samples(self, *given, **options):
        for sample in super().samples(*given, **options):
            Gentle.steps += 1
            yield sample


@pytest.mark.parametrize("kind", [Counted, Gentle])
def test_a_law_of_ones_own_is_not_run_by_the_loop_of_its_base(kind):
    """Its methods were passed over without a word."""
    kind.steps = 0
    start = rbd.library.bouncing_ball()
    run = rbd.simulate(*start, duration=0.02, dt=1e-3, contact=kind())
    assert f"of class {kind.__name__}, and the compiled loop that of its base class" in run.report.backend
    assert kind.steps >= 20
