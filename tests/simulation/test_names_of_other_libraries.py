"""Integrators that other libraries have: the message says which of ours to take, and that one exists."""

import re

import pytest

import rbdkit as rbd
from rbdkit.integrators import INTEGRATORS
from rbdkit.integrators.adaptive import SOLVERS
from rbdkit.simulation.choices import ELSEWHERE


@pytest.mark.parametrize("name", ELSEWHERE)
def test_ours_is_named_and_exists(name):
    with pytest.raises(rbd.RbdkitError, match=r"is unknown; there are .*; did you mean") as told:
        rbd.simulate(rbd.library.pendulum(), duration=0.01, integrator=name.replace("_", "-").title())
    ours = re.findall(r"'([a-z0-9_]+)'", str(told.value).partition("did you mean")[2])
    assert ours and {*ours} <= {*INTEGRATORS, *SOLVERS}
    assert name not in INTEGRATORS and name not in SOLVERS


def test_another_spelling_of_ours_is_told():
    with pytest.raises(rbd.RbdkitError, match=r"'Implicit-Midpoint' is unknown; .*; did you mean 'implicit_midpoint'"):
        rbd.simulate(rbd.library.pendulum(), duration=0.01, integrator="Implicit-Midpoint")
