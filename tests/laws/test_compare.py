"""One scene under several laws, side by side."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.errors import SimulationError
from rbdkit.laws import Compliant, TimeStepping
from tests.laws.scenes import ball


def test_laws_of_contact_are_compared():
    """Each is the run that it is alone, labelled, with its depth and what it took; distances are from a chosen one."""
    model, q = ball(restitution=0.5)
    q[6] += 0.1
    laws = ["rigid", "time_stepping", TimeStepping(solver="pyramid"), Compliant(4e3, 40.0)]
    found = rbd.compare_runs(model, contact=laws, q0=q, duration=0.3, dt=0.005, reference="rigid")
    labels = [contender.label for contender in found.contenders]
    assert labels == [
        "rigid",
        "time_stepping",
        "time_stepping, solver='pyramid'",
        "compliant, stiffness=4000.0, damping=40.0",
    ]
    for law, contender in zip(laws, found.contenders, strict=True):
        alone = rbd.simulate(model, q, duration=0.3, dt=0.005, contact=law, progress=False)
        np.testing.assert_array_equal(contender.trajectory.q, alone.q)
    table = found.columns()
    assert table["off at the end"][0] == 0.0 < min(table["off at the end"][1:])
    assert table["penetration"][3] > 1e-3 > table["penetration"][1]
    np.testing.assert_allclose(table["taken by contacts"][0], 0.9375, rtol=1e-6)  # 1 - e^4 of 1 J, in two bounces
    by_name = rbd.compare_runs(model, contact={"a": "rigid", "b": "none"}, q0=q, duration=0.02)
    assert [contender.label for contender in by_name.contenders] == ["a", "b"]


def test_pairs_are_compared_under_one_law():
    """The reference in joint coordinates chooses its steps, which no law of contact lets it: there is none then."""
    model, q = ball()
    found = rbd.compare_runs(model, [("joint", "heun"), ("joint", "rk4")], contact="rigid", q0=q, duration=0.05)
    assert found.reference is None and [c.label for c in found.contenders] == ["joint, heun", "joint, rk4"]


def test_a_view_shows_laws_with_their_ghosts():
    model, q = ball()
    view = rbd.compare(model, contact=["time_stepping", "rigid"], q0=q, duration=0.05)
    assert "taken by contacts" in view.comparison.columns()
    view.close()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"contact": []}, "contact is empty"),
        ({"contact": ["rigid", "rigid"]}, "'rigid' is given twice"),
        ({"contact": ["rigid", "rigidd"]}, "contact law 'rigidd' is unknown"),
        ({"contact": ["rigid"], "pairs": [("joint", "rk4"), ("joint", "heun")]}, "one formulation with one integrator"),
        ({"contact": ["rigid", "none"], "reference": "impulse"}, "reference 'impulse' is none of"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, what):
    model, q = ball()
    with pytest.raises(SimulationError, match=what):
        rbd.compare_runs(model, q0=q, duration=0.01, **options)


def test_laws_of_a_model_in_which_nothing_touches_are_all_one():
    with pytest.raises(SimulationError, match="nothing in 'pendulum' can touch"):
        rbd.compare_runs(rbd.library.pendulum(), contact=["rigid", "compliant"], q0=[1.0])
