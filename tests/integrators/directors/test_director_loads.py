"""Under loads of all kinds compiled steps of the methods for directors are the steps on arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rbdkit as rbd
from rbdkit.integrators import INTEGRATORS

METHODS = ("energy_momentum", "tangent_energy_momentum", "lagrange_dalembert")
ROWS = np.random.default_rng(0).normal(size=(8, 6))


def loaded(joint, element):
    """A body whose joint stands somewhere in the world, turned; with a spring from its tip to a hook, or without."""
    model, body = rbd.Model("loaded"), rbd.Inertia(1.5, [0.0, 0.0, 0.3], np.diag([0.1, 0.12, 0.05]))
    place = rbd.pose([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [0.1, 0.2, 0.3])
    model.add_body("top", joint=joint, inertia=body, placement=place)
    if element:
        model.add_force("band", rbd.Spring("top", "world", 20.0, 0.5, 0.3, (0.1, 0.2, 0.4), (0.5, 0.1, 0.2)))
    return model


TAU = rbd.traced(lambda t, q, v: np.sin(3.0 * t) - 0.3 * v * q[1])
WRENCH = rbd.traced(lambda t, q, v: {"top": [0.1 * q[0], q[1], q[2], -v[0], t, 0.2]})
CASES = {
    "all, pivot, no twist": (rbd.Spherical(), True, "non_twisting_directors", {"tau": TAU, "f_ext": WRENCH}),
    "all, free": (rbd.Free(translation="successor"), True, "directors", {"tau": TAU, "f_ext": WRENCH}),
    "held torques, free": (rbd.Free(), False, "directors", {"tau": ROWS}),
    "fixed wrench, free, no twist": (rbd.Free(), False, "non_twisting_directors", {"f_ext": {"top": ROWS[0]}}),
    "fixed wrench, pivot": (rbd.Spherical(), False, "directors", {"f_ext": {"top": ROWS[1]}}),
}


def from_python(method):
    """The same method without a record."""
    base = type(method)
    return type(f"{base.__name__}FromPython", (base,), {"record": None})()


def both(model, v0, **options):
    """The motion compiled and stepped from Python, in steps so long that chords of directors are no rotations."""
    method = options.pop("method")
    options = {"duration": 0.4, "dt": 0.05, "progress": False, **options}
    compiled, stepped = (
        rbd.simulate(model, model.random_q(3), v0, integrator=own, **options) for own in (method, from_python(method))
    )
    assert "compiled loop" in compiled.report.backend
    assert "stepped from Python" in stepped.report.backend
    return compiled, stepped


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", METHODS)
def test_loads_of_all_kinds(method, case):
    """To round-off, with as many corrections: both take the loads as they are where they differentiate."""
    joint, element, formulation, loads = CASES[case]
    model = loaded(joint, element)
    v0 = np.linspace(0.8, 2.5, model.nv)
    v0[2] *= formulation == "directors"
    compiled, stepped = both(model, v0, formulation=formulation, method=INTEGRATORS[method], **loads)
    assert_allclose(compiled.x, stepped.x, rtol=0, atol=1e-12)
    assert_allclose(compiled.w, stepped.w, rtol=0, atol=1e-11)
    assert [s.iterations for s in compiled.solves] == [s.iterations for s in stepped.solves]
    nothing = rbd.simulate(
        loaded(joint, False), model.random_q(3), v0, duration=0.4, dt=0.05, formulation=formulation,
        integrator=INTEGRATORS[method],
    )  # fmt: skip
    assert np.abs(nothing.x[5] - compiled.x[5]).max() > 1e-3


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
def test_other_methods_take_the_nearest_rotation_of_a_stage():
    """Between steps directors are no triad; joint coordinates are those of the rotation nearest to them."""
    model = loaded(rbd.Free(), True)
    options = {"formulation": "directors", "method": INTEGRATORS["rk4"], "tau": TAU, "f_ext": WRENCH}
    compiled, stepped = both(model, np.linspace(0.8, 2.5, 6), **options)
    assert_allclose(compiled.x, stepped.x, rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_bodies_without_extension_exchange_rows(method):
    """The mass matrix of a plate is singular: elimination in order would have no pivot for d3."""
    plate = rbd.Model("plate")
    plate.add_body("plate", joint=rbd.Spherical(), inertia=rbd.Inertia(1.0, (0, 0, 0), np.diag([1.0, 2.0, 3.0])))
    compiled, stepped = both(plate, np.array([1.0, 2.0, 0.5]), formulation="directors", method=INTEGRATORS[method])
    assert_allclose(compiled.x, stepped.x, rtol=0, atol=1e-12)
    assert_allclose(compiled.w, stepped.w, rtol=0, atol=1e-11)


def test_a_load_that_cannot_be_followed_is_blamed_by_the_method():
    """Compiled and from Python in the same words: the torque is so strong that no step has a solution."""
    model = loaded(rbd.Spherical(), False)
    tau, said = rbd.traced(lambda t, q, v: 1e4 * v * v * v), []
    for method in (INTEGRATORS["energy_momentum"], from_python(INTEGRATORS["energy_momentum"])):
        with pytest.raises(rbd.RbdkitError) as fault:
            rbd.simulate(
                model, v0=[3.0, 2.0, 1.0], tau=tau, duration=0.2, dt=0.05, formulation="directors", integrator=method
            )
        said.append(str(fault.value))
    assert said[0] == said[1]
