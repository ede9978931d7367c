"""The cases as the paper states them, and their momenta in closed form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from rbdkit.library.gebhardt_romero import CASES, INERTIA, fixed_point_model, impulse, pulse


@pytest.mark.source("G.11")
def test_the_pulse_is_the_printed_one():
    """Eq 116, piece by piece, and its integral by quadrature."""
    for t in np.linspace(0.0, 2.0, 41):
        printed = 2.0 * t if t < 0.5 else 2.0 - 2.0 * t if t < 1.0 else 0.0
        assert pulse(t) == pytest.approx(printed, abs=1e-15)
        assert impulse(t) == pytest.approx(quad(pulse, 0.0, t, points=[0.5, 1.0])[0], abs=1e-12)


@pytest.mark.source("G.10", "G.11", "G.12")
def test_momenta_and_energies_of_the_cases():
    """K and Pi of case 1 as recomputed from Eqs 111, 112; of the others Pi(0) and half a second of the full moment."""
    one, two, three = CASES
    assert_allclose(one.momentum(3.0), [20.571429, -72.857143, 0.0], atol=5e-7)
    assert one.kinetic_energy(3.0) == pytest.approx(717.428571, abs=5e-7)
    assert_allclose(two.momentum(1.0), [-1236.25, -537.5, 0.0], rtol=1e-14)
    assert_allclose(three.momentum(1.0), INERTIA @ [1.5, 4.5, 0.0] + [-618.125, -268.75, 0.0], rtol=1e-14)
    assert one.samples(0.005) is None
    assert_allclose(two.samples(0.005)[100], [-2472.5, -1075.0, 0.0], rtol=1e-14)
    assert_allclose(three.samples(0.005)[50], [-618.125, -268.75, 0.0], rtol=1e-14)
    assert len(three.samples(0.005)) == 1001


@pytest.mark.source("G.10")
def test_the_model_has_the_inertia_of_the_paper_and_nothing_to_complain_of():
    for model in (fixed_point_model(), CASES[2].model):
        assert_allclose(model.bodies[1].inertia.matrix[:3, :3], INERTIA, atol=1e-15)
        assert not model.gravity.any()
        assert model.validate() == []
        assert_allclose(model.frame("d3").placement[:3, 3], [0.0, 0.0, 1.0])
