"""The same bodies described in other units: the same motion, the same events, the same verdict."""

import warnings

import numpy as np
import pytest

import rbdkit as rbd

UNITS = [(1e3, 1.0, 1.0), (1e-3, 1e6, 1.0), (1e-6, 1e-6, 1e-3), (1e3, 1e-6, 1e2)]
"""Numbers of a metre, a kilogram and a second in other units."""


def thrown(law, metre, kilogram, second):
    """A ball that bounces to its end; under the law that is compiled also a box that slides, turns and stops."""
    bodies = 2 if law == "time_stepping" else 1
    size = np.array([0.2, 0.3, 0.1]) * metre
    model = rbd.Model("thrown", gravity=(0, 0, -10 * metre / second**2))
    model.add_ground(friction=0.4, restitution=0.3)
    ball, box = rbd.Inertia.sphere(0.1 * metre, mass=kilogram), rbd.Inertia.box(size, mass=2.0 * kilogram)
    model.add_body("ball", joint=rbd.Free(), inertia=ball, geometry=rbd.Sphere(0.1 * metre))
    if bodies > 1:
        model.add_body("box", joint=rbd.Free(), inertia=box, geometry=rbd.Box(size))
    q = model.neutral().reshape(-1, 7)
    q[:, 4:] = np.array([[0.0, 0.0, 0.11], [1.0, 0.0, 0.05]])[:bodies] * metre
    v = np.array([[1.0, 5.0, 2.0, 0.3 * metre, 0.1 * metre, 0.0], [0.0, 0.0, 2.0, 0.2 * metre, 0.1 * metre, 0.0]])[
        :bodies
    ]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        motion = rbd.simulate(model, q.ravel(), (v / second).ravel(), 0.12 * second, 4e-3 * second, contact=law)
    events = [(event.kind, event.names, event.t / second) for event in motion.events]
    places = motion.q[-1].reshape(-1, 7) / [*[1.0] * 4, *[metre] * 3]
    return places, events, [str(one.message).split(":")[0] for one in seen]


@pytest.mark.parametrize("law", ["time_stepping", "rigid", "impulse"])
def test_contact_knows_no_units(law):
    """To round-off, which sweeps that end at 1e-10 of a velocity enlarge."""
    places, events, said = thrown(law, 1.0, 1.0, 1.0)
    assert {kind for kind, *_ in events} >= {"impact"}
    for units in UNITS:
        there, then, also = thrown(law, *units)
        np.testing.assert_allclose(there, places, rtol=0, atol=1e-9)
        assert [event[:2] for event in then] == [event[:2] for event in events] and also == said
        np.testing.assert_allclose([t for *_, t in then], [t for *_, t in events], rtol=0, atol=1e-8)


def slider(metre, kilogram, second):
    """A slider-crank, whose slider a spring pulls."""
    y = rbd.Revolute("y")
    model = rbd.Model("slider-crank", gravity=(0, 0, -9.81 * metre / second**2))
    moment = kilogram * metre**2

    def bar(mass, length, about):
        com = (0.5 * length * metre, 0.0, 0.0)
        return rbd.Inertia(mass * kilogram, com=com, inertia_com=np.diag([about * moment] * 3))

    model.add_body("crank", joint=y, inertia=bar(1.0, 0.2, 1e-3))
    model.add_body("rod", "crank", y, (0.2 * metre, 0, 0), bar(0.5, 0.5, 0.02))
    stiff = 200.0 * kilogram / second**2
    model.add_body("slider", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0 * kilogram), stiffness=stiff)
    model.add_loop("pin", "rod", "slider", y, (0.5 * metre, 0, 0))
    q = rbd.assemble(model, fix={"crank_joint": [1.0]})
    return model, q, rbd.project_velocity(model, q, fix={"crank_joint": [3.0 / second]})


def verdicts(run):
    """The words of a report that judge."""
    lines = run.report.lines(run.model)
    said = ["step adequate", "step coarse", "STEP TOO LONG", "CONSTRAINTS VIOLATED", "ENERGY NOT KEPT", ": coarse"]
    return [word for word in said if any(word in line for line in lines)]


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.SimulationWarning")
@pytest.mark.parametrize(
    "formulation, integrator, dt",
    [("joint", "rk4", 1e-3), ("joint", "dop853", 1e-3), ("maximal", "rk4", 0.02), ("maximal", "rk4", 2e-3)],
)
def test_loops_and_their_verdicts_know_no_units(formulation, integrator, dt):
    def of(units):
        model, q, v = slider(*units)
        second = units[2]
        return rbd.simulate(model, q, v, 0.5 * second, dt * second, formulation=formulation, integrator=integrator)

    expected = of((1.0, 1.0, 1.0))
    for units in UNITS:
        run = of(units)
        assert verdicts(run) == verdicts(expected)
        off = 1e-8 if formulation == "joint" else 1e-12  # projections end at 1e-14, which is much of a length of 1e-6
        np.testing.assert_allclose(run.q[-1] / [1.0, 1.0, units[0]], expected.q[-1], rtol=0, atol=off)


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.SimulationWarning")
@pytest.mark.parametrize("dt", [1e-4, 0.02, 0.25])
def test_steps_are_judged_by_the_length_of_a_mechanism(dt):
    """A cart with a pendulum by semi-implicit Euler: adequate, coarse, too long in all units."""

    def of(metre, kilogram, second):
        model = rbd.Model("cart", gravity=(0, 0, -9.81 * metre / second**2))
        model.add_body("cart", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(kilogram), damping=0.1 * kilogram / second)
        bob = rbd.Inertia(kilogram, com=(0, 0, -0.5 * metre))
        model.add_body("bob", "cart", rbd.Revolute("y"), inertia=bob)
        v = np.array([1.0 * metre, 2.0]) / second
        return rbd.simulate(model, [0.0, 1.0], v, 2.0 * second, dt * second, integrator="symplectic_euler")

    expected = verdicts(of(1.0, 1.0, 1.0))
    assert expected
    for units in UNITS:
        assert verdicts(of(*units)) == expected


def elbow_and_box(length):
    """An arm that rests on a stop while its hand falls against another one, and a box that falls tilted."""
    model = rbd.Model("arm and box")
    for name, parent, size, way in (("arm", "world", 0.5, 1.2), ("fore", "arm", 0.4, -0.5)):
        inertia = rbd.Inertia.box((0.1 * length, 0.1 * length, size * length), mass=size * length**3)
        model.add_body(
            name, parent, rbd.Revolute("y"), [0.0, 0.0, way * length],
            inertia.transformed(rbd.pose(position=[0.0, 0.0, -0.5 * size * length])),
        )  # fmt: skip
    model.add_constraint("rest", rbd.Limit("arm_joint", 1.2, 2.0))
    model.add_constraint("stop", rbd.Limit("fore_joint", -0.1, 0.5))
    sides = tuple(length * np.array([0.3, 0.2, 0.1]))
    shape = rbd.Geometry(rbd.Box(sides), collide=True)
    free = rbd.Free(translation="predecessor")
    model.add_body("box", joint=free, inertia=rbd.Inertia.box(sides, mass=0.5 * length**3), geometry=shape)
    model.add_ground(friction=0.3, restitution=0.3)
    q, v = model.neutral(), np.zeros(model.nv)
    q[0], q[2:6], q[6:] = (
        1.2,
        (np.cos(0.2), 0.6 * np.sin(0.2), 0.8 * np.sin(0.2), 0.0),
        length * np.array([2.0, 0, 0.2]),
    )
    v[2:5], v[5:] = np.array([0.5, 1.0, 0.2]) / np.sqrt(length), np.array([1.0, 0.2, 0.0]) * np.sqrt(length)
    return model, q, v


@pytest.mark.parametrize(
    ("law", "backend"), [("rigid", "auto"), ("impulse", "auto"), ("time_stepping", "book"), ("time_stepping", "auto")]
)
def test_stops_in_rad_beside_contacts_of_any_size(law, backend):
    """Angles were compared with gaps as if an arm had 1 m: in millimetres all points touched within 1 % of a body.

    What rests against a stop is not told as struck where a box strikes the ground, either.
    """
    ends = []
    for length in (1.0, 1e-3, 1e-6):
        model, q, v = elbow_and_box(length)
        span = 0.25 * np.sqrt(length)  # of a fall
        motion = rbd.simulate(model, q, v, duration=span, dt=span / 50, contact=law, progress=False, backend=backend)
        place = motion.poses("box")[-1]
        place[:3, 3] /= length
        counted = dict(motion.report.contacts.events)
        torque = np.abs(motion.contacts.push).max() / length**4
        ends.append((*motion.q[-1, :2], *place.ravel(), counted.get("impact"), torque))
    assert ends[0][-2] >= 2 and ends[0][-1] > 1.0
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-9, rtol=1e-7)
