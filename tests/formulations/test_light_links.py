"""Links that are light beside others: loops hold them by their geometry, whatever the masses are."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdkit as rbd
from rbdkit.algorithms import held_forward_dynamics

CRANK, ROD, GRAVITY = 0.2, 0.5, 9.81


def slider_crank(rod_mass, **of_slider):
    """A crank of 1 kg, a slider of 2 kg, and a rod between them; the loop closed by a pin."""
    model, y = rbd.Model("slider crank"), rbd.Revolute("y")
    model.add_body("crank", joint=y, inertia=rbd.Inertia(1.0, com=(0.1, 0, 0), inertia_com=1e-3 * np.eye(3)))
    rod = rbd.Inertia(rod_mass, com=(0.5 * ROD, 0, 0), inertia_com=0.02 * rod_mass * np.eye(3)) if rod_mass else None
    model.add_body("rod", "crank", y, (CRANK, 0, 0), rod)
    model.add_body("slider", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), **of_slider)
    model.add_loop("pin", "rod", "slider", y, (ROD, 0, 0))
    return model


def geometry(a):
    """Sine and cosine of the rod's angle, and its rate per rate of the crank: r sin a + l sin b = 0."""
    sine = -CRANK * np.sin(a) / ROD
    cosine = np.sqrt(1.0 - sine**2)
    return sine, cosine, -CRANK * np.cos(a) / (ROD * cosine)


def inertia(a, rod_mass):
    """Of the one freedom, kg m2."""
    sine, cosine, rate = geometry(a)
    slider = -CRANK * np.sin(a) - ROD * sine * rate
    middle = np.array([slider + 0.5 * ROD * sine * rate, -CRANK * np.cos(a) - 0.5 * ROD * cosine * rate])
    return 1e-3 + 0.01 + 2.0 * slider**2 + rod_mass * (middle @ middle + 0.02 * rate**2)


def acceleration(a, rate, rod_mass):
    """Of the crank, by Lagrange's equation of one freedom; derivatives by differences of order four."""

    def slope(f):
        h = 1e-3
        return (8.0 * (f(a + h) - f(a - h)) - f(a + 2 * h) + f(a - 2 * h)) / (12.0 * h)

    def potential(x):
        return -GRAVITY * (0.1 * np.sin(x) + rod_mass * (CRANK * np.sin(x) + 0.5 * ROD * geometry(x)[0]))

    return (-slope(potential) - 0.5 * rate**2 * slope(lambda x: inertia(x, rod_mass))) / inertia(a, rod_mass)


def crank_angle(rod_mass, a, rate, duration):
    found = solve_ivp(
        lambda _, y: (y[1], acceleration(*y, rod_mass)), (0.0, duration), (a, rate), "DOP853", rtol=1e-11, atol=1e-11
    )
    return found.y[0, -1]


def state(model, a, rate):
    q = rbd.assemble(model, fix={"crank_joint": a})
    return q, rbd.project_velocity(model, q, fix={"crank_joint": rate})


@pytest.mark.parametrize("formulation", ["joint", "se3", "so3xr3", "bodywise"])
@pytest.mark.parametrize(
    "rod_mass, rate, tolerance", [(1e-3, 30.0, 2e-3), (1e-6, 3.0, 1e-8), (1e-9, 3.0, 1e-8), (0.0, 3.0, 1e-8)]
)
def test_a_crank_turns_as_lagrange_says_however_light_its_rod_is(rod_mass, rate, tolerance, formulation):
    """At a stage of a step the loop is open, by so much that rows of light bodies looked dependent. Errors are those of
    Runge and Kutta at 1 ms; the fast crank turns by 0.03 rad in a step."""
    model = slider_crank(rod_mass)
    motion = rbd.simulate(
        model, *state(model, 1.0, rate), duration=0.2, dt=1e-3, formulation=formulation, integrator="rk4_projected",
        progress=False,
    )  # fmt: skip
    off = motion.q[-1, 0] - crank_angle(rod_mass, 1.0, rate, 0.2)  # whole turns, which poses of bodies do not tell
    assert abs((off + np.pi) % (2.0 * np.pi) - np.pi) < tolerance
    assert motion.report.constraint_error < 1e-13 and motion.report.energy_error < 1e-3 * rate
    assert all("finding" in note or "closed" in note for note in motion.report.notes)


@pytest.mark.parametrize("rod_mass, tolerance", [(0.0, 1e-9), (1e-12, 1e-7), (1e-6, 1e-9), (1.0, 1e-9)])
def test_readable_and_compiled_accelerations_of_the_crank(rod_mass, tolerance):
    """Differences of the inertia leave 1e-10; of 1e-12 kg beside 1 kg round-off does more. A rod without mass moves as
    the loop says."""
    model = slider_crank(rod_mass)
    q, v = state(model, 1.0, 3.0)
    expected = acceleration(1.0, 3.0, rod_mass)
    for found in (
        rbd.forward_dynamics(model, q, v, np.zeros(3)),
        rbd.forward_dynamics(model, q, v, np.zeros(3), backend="book"),
        held_forward_dynamics(model, q, v, np.zeros(3)),
    ):
        assert found[0] == pytest.approx(expected, rel=tolerance)


def test_rods_of_a_delta_robot_a_ten_thousandth_of_its_platform():
    """It hangs down through a pose where the rods lie along axes of their own joints. With half the step the error is a
    sixteenth; that rows were let go at the stages beside that pose cost 1e-4 at steps that came close to it."""
    model = rbd.library.delta_robot()
    light = {k: 1e-4 * np.asarray(x) for k, x in model.parameters.items() if k.startswith("rod")
             and k.endswith((".mass", ".inertia"))}  # fmt: skip
    model = model.with_parameters({k: float(x) if x.ndim == 0 else x for k, x in light.items()})
    q = rbd.assemble(model)
    ends = [rbd.simulate(model, q, duration=0.3, dt=dt, progress=False).q[-1] for dt in (1e-3, 5e-4, 2.5e-4)]
    first, second = np.abs(ends[0] - ends[2]).max(), np.abs(ends[1] - ends[2]).max()
    assert second < 1e-9 and first > 8.0 * second


def welded_pair(seed, idle):
    """Two bodies that are welded together, and a tie of two joints beyond. idle : a loop joint between them, too."""
    rng, box = np.random.default_rng(seed), rbd.Inertia.box((0.1, 0.2, 0.3), mass=1.0)
    P, F = (rbd.pose(rbd.spatial.so3.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(2))
    model = rbd.Model("welded pair")
    model.add_body("a", joint=rbd.Spherical(), inertia=box)
    model.add_body("b", "a", rbd.Fixed(), F, box)
    model.add_body("p", "b", rbd.Revolute("x"), [0.1, 0.2, 0.3], box)
    model.add_body("r", "p", rbd.Revolute("y"), [0.1, 0.2, 0.3], box)
    if idle:
        model.add_loop("idle", "a", "b", rbd.Revolute("z"), P, np.linalg.inv(F) @ P)
    model.add_constraint("tie", rbd.Tie("r_joint", "p_joint", 2.0))
    return model


@pytest.mark.parametrize("seed", range(6))
def test_a_loop_that_adds_nothing_beside_a_tie(seed):
    """Its rows are zero but for round-off, which no way of computing may take for rows."""
    model = welded_pair(seed, idle=True)
    q = model.integrate(model.neutral(), [0.1, 0.2, 0.3, 0.1, 0.2])
    v = np.array([1.0, 2.0, 3.0, 0.5, 1.0])
    expected = rbd.forward_dynamics(welded_pair(seed, idle=False), q, v, np.zeros(5))
    for backend in ("auto", "book"):
        found = rbd.forward_dynamics(model, q, v, np.zeros(5), backend=backend)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_the_nearest_velocity_in_kinetic_energy_where_a_rod_has_no_mass():
    """The freedom's rate is the one that keeps the momentum along it: what the masses without the rod say."""
    model = slider_crank(0.0)
    q, v = state(model, 1.0, 1.0)
    given = np.array([1.0, 2.0, 3.0])
    found = rbd.project_velocity(model, q, given)
    along = np.array([0.011, 0.0, 2.0]) * v  # of crank about its pivot, and slider
    np.testing.assert_allclose(found, (along @ given) / (along @ v) * v, rtol=1e-13)


def test_what_a_massless_rod_transmits():
    """Nothing but a force along itself: so much as the slider's acceleration asks for."""
    model = slider_crank(0.0)
    q, v = state(model, 1.0, 3.0)
    motion = rbd.simulate(model, q, v, duration=0.02, dt=1e-3, progress=False)
    force = motion.loop_forces()["pin"][0]
    along = acceleration(1.0, 3.0, 0.0) * v[2] / 3.0 + slope_of_slider(1.0, 3.0)
    cosine = geometry(1.0)[1]
    assert np.linalg.norm(force[3:]) == pytest.approx(2.0 * abs(along) / cosine, rel=1e-9)
    assert np.abs(force[:3]).max() < 1e-12


def slope_of_slider(a, rate):
    """The part of the slider's acceleration that the rate makes."""
    h = 1e-3

    def speed(x):
        sine, _, slope = geometry(x)
        return -CRANK * np.sin(x) - ROD * sine * slope

    return rate**2 * (8.0 * (speed(a + h) - speed(a - h)) - speed(a + 2 * h) + speed(a - 2 * h)) / (12.0 * h)


@pytest.mark.parametrize("law", ["impulse", "rigid", "time_stepping"])
@pytest.mark.parametrize("rod_mass", [0.0, 1e-12, 1e-6])
def test_a_ball_strikes_the_slider(law, rod_mass):
    """Without restitution both go on together, with the momentum that the ball had along the freedom. Reactions found
    in the metric of the kinetic energy left out rows of heavy bodies beside a light rod: 2e-7 at 1e-12 kg."""
    model = slider_crank(rod_mass, geometry=rbd.Sphere(0.1))
    model.gravity = np.zeros(3)
    q, v = state(model, 1.0, 1.0)
    ball = rbd.Inertia.sphere(0.1, mass=1.0)
    at = (q[2] + 0.2 + 1e-9, 0, 0)
    model.add_body("ball", joint=rbd.Prismatic("x"), placement=at, inertia=ball, geometry=rbd.Sphere(0.1))
    model.add_contact("slider", "ball")
    motion = rbd.simulate(
        model, [*q, 0.0], [0, 0, 0, -3.0], duration=1e-6, dt=1e-7, contact=law, progress=False
    )  # fmt: skip
    rate = -3.0 * v[2] / (inertia(1.0, rod_mass) + v[2] ** 2)  # of the crank
    assert motion.v[-1, 0] == pytest.approx(rate, rel=1e-5)  # it turns on
    assert motion.v[-1, 3] == pytest.approx(rate * v[2], rel=1e-5 if law == "time_stepping" else 1e-13)
    assert motion.report.energy_error < 1e-6  # with what the blow took, though it falls into the first state


@pytest.mark.parametrize(
    "held", [rbd.Distance("tip", "world", 0.5, (0.4, 0, 0), (0.1, 0, -0.3)), rbd.Tie("tip_joint", "bar_joint", 2.0)]
)
@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_a_massless_link_that_a_constraint_leads(held, formulation):
    """It moves as with 1e-9 kg, by compiled code."""

    def model(mass):
        found, y = rbd.Model("led"), rbd.Revolute("y")
        bar = rbd.Inertia(1.0, (0.1, 0, 0), 1e-3 * np.eye(3))
        tip = rbd.Inertia(mass, (0.2, 0, 0), 0.01 * mass * np.eye(3)) if mass else None
        found.add_body("bar", joint=y, inertia=bar)
        found.add_body("tip", "bar", y, (0.3, 0, 0), tip)
        found.add_constraint("held", held)
        return found

    q = rbd.assemble(model(0.0), fix={"bar_joint": 0.3})
    v = rbd.project_velocity(model(0.0), q, fix={"bar_joint": 0.5})
    ends = [
        rbd.simulate(model(mass), q, v, duration=0.1, dt=1e-3, formulation=formulation, progress=False).q[-1]
        for mass in (0.0, 1e-9)
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


def test_prescribed_joints_lead_links_without_mass():
    """Crank and rod and slider have none: where they are is geometry."""
    model, y = rbd.Model("kinematic"), rbd.Revolute("y")
    model.add_body("crank", joint=rbd.Prescribed(y, lambda t: (1.0 + 2.0 * t, 2.0, 0.0)))
    model.add_body("rod", "crank", y, (CRANK, 0, 0))
    model.add_body("slider", joint=rbd.Prismatic("x"))
    model.add_loop("pin", "rod", "slider", y, (ROD, 0, 0))
    q = rbd.assemble(model)
    motion = rbd.simulate(model, q, rbd.project_velocity(model, q), duration=0.3, dt=1e-3, progress=False)
    sine, cosine, _ = geometry(1.6)
    slider = CRANK * np.cos(1.6) + ROD * cosine
    np.testing.assert_allclose(motion.q[-1], [np.arctan2(sine, cosine) - 1.6, slider], rtol=1e-12)
