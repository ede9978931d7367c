"""Large and small are no mistakes: models scaled in length, mass and time move alike; odd ratios are told."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.joints import Free, Prismatic, Revolute, Spherical
from rbdkit.spatial.inertia import Inertia

SCALES = [
    (1e-6, 1.0, 1.0), (1e6, 1.0, 1.0), (1.0, 1e-6, 1.0), (1.0, 1e6, 1.0), (1.0, 1.0, 1e-6), (1.0, 1.0, 1e6),
    (1e-6, 1e-18, 1e-3), (1e6, 1e18, 1e3), (1e-6, 1e6, 1e-3), (1e6, 1e-6, 1e3),
]  # fmt: skip
"""Of length, mass and time."""


def tree(L, M, T):
    """A model of all kinds of numbers, its state, and the units of its coordinates."""
    model = rbd.Model("tree", gravity=(0, 0, -9.81 * L / T**2))

    def body(mass, com, moments):
        return Inertia(mass * M, L * np.array(com), M * L**2 * np.diag(moments))

    arm = body(1.0, (0.2, 0, 0), (0.01, 0.02, 0.02))
    model.add_body("arm", joint=Revolute("y"), inertia=arm, damping=0.05 * M * L**2 / T)
    slide = body(0.5, (0.1, 0, 0.05), (0.003, 0.002, 0.004))
    model.add_body("slide", "arm", Prismatic("x"), (0.5 * L, 0, 0), slide, stiffness=20.0 * M / T**2)
    model.add_body("ball", "slide", Spherical(), (0.2 * L, 0, 0), body(0.3, (0.1, 0, 0.05), (0.003, 0.002, 0.004)))
    q, v = np.array([0.4, 0.05 * L, 1, 0, 0, 0]), np.array([1.0, 0.3 * L, 0.5, 0.2, 0.7]) / T
    return model, q, v, np.array([1, L, 1, 1, 1, 1])


def flyer(L, M, T):
    model = rbd.Model("flyer", gravity=(0, 0, -9.81 * L / T**2))
    inertia = Inertia(M, (0.1 * L, 0, 0.02 * L), np.diag([0.01, 0.02, 0.025]) * M * L**2)
    model.add_body("flyer", joint=Free(), inertia=inertia)
    v = np.array([1, 2, 3, 0.1 * L, 0.2 * L, 0]) / T
    return model, np.array([1, 0, 0, 0, 0, 0, 0.5 * L]), v, np.array([1, 1, 1, 1, L, L, L])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", [tree, flyer])
@pytest.mark.parametrize("method", [{}, {"formulation": "se3"}, {"integrator": "symplectic_euler"}])
def test_scaled_models_have_scaled_motions(make, scale, method):
    """Only roundings differ: scales are no powers of two."""
    model, q, v, units = make(1.0, 1.0, 1.0)
    other, q_other, v_other, units = make(*scale)
    T = scale[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rbd.simulation.SimulationWarning)  # of errors in m, see below
        one = rbd.simulate(model, q, v, duration=0.5, dt=0.005, **method)
        two = rbd.simulate(other, q_other, v_other, duration=0.5 * T, dt=0.005 * T, **method)
    np.testing.assert_allclose(two.q / units, one.q, rtol=0, atol=1e-13)
    assert [str(x) for x in model.validate()] == [str(x) for x in other.validate()] == []
    assert two.report.adequacy.stable == one.report.adequacy.stable
    if not method or "formulation" in method:
        assert max(one.report.energy_error, two.report.energy_error) < 1e-6


@pytest.mark.parametrize("scale", SCALES)
def test_what_is_impossible_is_so_at_any_scale(scale):
    L, M, _ = scale
    for moments, says in (((1.0, 1.0, 3.0), "triangle"), ((1.0, 1.0, -0.5), "semidefinite")):
        assert says in Inertia(M, inertia_com=0.01 * np.diag(moments) * M * L**2, check=False).findings()[0]
    for joint, inertia in ((Spherical(), Inertia(M, (L, 0, 0))), (Revolute("x"), Inertia(M, (L, 0, 0)))):
        model = rbd.Model("point")
        model.add_body("point", joint=joint, inertia=inertia)
        assert [finding.what for finding in model.validate()] == ["inertia not positive definite"]


@pytest.mark.parametrize("mass, size", [(1e7, (125, 125, 324)), (3.2e8, (330, 60, 30)), (1.05e12, (1e3, 1e3, 1e3))])
def test_towers_tankers_and_asteroids_are_computed_with(mass, size):
    model = rbd.Model("large", gravity=(0, 0, 0))
    model.add_body("large", joint=Free(), inertia=Inertia.box(size, mass=mass))
    x, y, z = size
    moments = mass / 12.0 * np.array([y**2 + z**2, x**2 + z**2, x**2 + y**2])
    found = rbd.aba(model, model.neutral(), np.zeros(6), np.r_[1e-3 * moments, 0.0, 0.0, mass])
    np.testing.assert_allclose(found, [1e-3] * 3 + [0.0, 0.0, 1.0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("radius", [1e-4, 1e-6, 1e-7, 1e-9])
def test_beads_fall(radius):
    model = rbd.Model("bead")
    model.add_body("bead", joint=Free(), inertia=Inertia.sphere(radius, density=2000.0))
    run = rbd.simulate(model, model.neutral(), duration=0.1)
    assert run.q[-1, 6] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-12)


def test_points_stay_points_wherever_they_are_moved_to():
    """Round-off of a first moment, or of a sum, is no rotational inertia."""
    place = np.array([0.3, -1.7, 2.9])
    there = Inertia(0.7, place) + Inertia(1.9, place * (1.0 + 1e-16))
    back = there.transformed(rbd.pose(position=-place))
    assert there.findings() == back.findings() == [] and not back.inertia_com.any()
    assert Inertia.from_ten_parameters(Inertia(0.7, place).ten_parameters).findings() == []


BALL = rbd.Sphere(0.05)


def one(inertia=None, geometry=BALL, **more):
    model = rbd.Model("one")
    inertia = Inertia.sphere(0.05, mass=0.1) if inertia is None else inertia
    model.add_body("palm", joint=Revolute("z"), inertia=inertia, geometry=geometry, joint_name="hinge", **more)
    return [(finding.severity, finding.what) for finding in model.validate()]


def test_odd_ratios_are_told():
    wide = Inertia(0.1, inertia_com=0.01 * np.eye(3))  # a radius of gyration of 0.32 m in a ball of 5 cm
    assert one(wide) == [("warning", "inertia beyond its shapes")]
    millimetres = Inertia(0.85, (120.0, 0, 0), np.eye(3))
    assert one(millimetres) == [("warning", "centre of mass beside its shapes")]
    for lower, upper in ((-180.0, 180.0), (0.0, 90.0), (-np.inf, 45.0)):
        assert one(limits=rbd.Limits(lower, upper)) == [("warning", "limits in degrees")]


def test_possible_ratios_are_not():
    shell = Inertia.hollow_sphere(0.05, 0.05, mass=1.0)
    for inertia in (None, shell, Inertia(1.0, (0.2, 0, 0)), Inertia.box([0.1, 0.1, 0.3], mass=1.0)):
        assert one(inertia) == []
    for lower, upper in ((-np.pi, np.pi), (-7.0, 7.0), (-np.inf, np.inf), (0.0, 25.0), (-40.3, 40.3)):
        assert one(limits=rbd.Limits(lower, upper)) == []
    assert one(Inertia(0.1, inertia_com=0.01 * np.eye(3)), geometry=()) == []


def slider_crank(L, M, T):
    """A loop with rows in m and in rad, closed, and the units of its coordinates."""
    model = rbd.Model("slider-crank", gravity=(0, 0, -9.81 * L / T**2))

    def rod(length, mass):
        moments = M * L**2 * mass * length**2 / 12 * np.diag([0.01, 1.0, 1.0])
        return Inertia(mass * M, (0.5 * length * L, 0, 0), moments)

    model.add_body("crank", joint=Revolute("y"), inertia=rod(0.3, 1.0))
    model.add_body("rod", "crank", Revolute("y"), (0.3 * L, 0, 0), rod(0.9, 0.5))
    model.add_body("slide", joint=Prismatic("x"), inertia=Inertia(2.0 * M))
    model.add_loop("pin", "rod", "slide", Revolute("y"), (0.9 * L, 0, 0))
    crank = 0.7
    rod_angle = -np.arcsin(np.sin(crank) / 3.0)
    q = np.array([crank, rod_angle - crank, (0.3 * np.cos(crank) + 0.9 * np.cos(rod_angle)) * L])
    return model, q, np.zeros(3), np.array([1, 1, L])


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("backend", ["auto", "book"])
def test_loops_of_all_sizes_are_closed_to_the_same_digits(scale, backend):
    """Of a mechanism of micrometres the tenth digit was open: gaps of 1e-14 m counted as closed."""
    run = {"duration": 0.5, "dt": 0.005, "backend": backend}
    model, q, v, units = slider_crank(1.0, 1.0, 1.0)
    other, q_other, v_other, units = slider_crank(*scale)
    one = rbd.simulate(model, q, v, **run)
    two = rbd.simulate(other, q_other, v_other, **{**run, "duration": 0.5 * scale[2], "dt": 0.005 * scale[2]})
    np.testing.assert_allclose(two.q / units, one.q, rtol=0.0, atol=2e-14)  # 100 steps, each closed to 1e-14
