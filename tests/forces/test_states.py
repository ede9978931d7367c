"""States that force elements have of their own, against closed forms, SciPy, and all other ways of computing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.formulations import FORMULATIONS, StateEquation
from rbdkit.integrators import INTEGRATORS, Adaptive
from rbdkit.scene.curves import plots_of
from rbdkit.simulation.simulate import SimulationWarning

STEPPING = [name for name, method in INTEGRATORS.items() if method.requires.__name__ == "System"]
CLOSING = ["generalized_alpha", "rk4_projected"]


class Muscle(rbd.ForceElement):
    """Two chambers that fill one after the other, and a stretch that the joint drags along."""

    states = ("filled", "stretch")
    joint: str
    strength: float
    filled: tuple[float, float] = (0.2, 0.1)
    stretch: float = 0.0

    def act(self, at):
        q, v = at.coordinates(self.joint)[0], at.velocities(self.joint)[0]
        at.apply_torque(self.joint, self.strength * self.filled[1] - 2.0 * self.stretch)
        at.set_rate("filled", np.array([np.cos(3.0 * q) - self.filled[0], self.filled[0] - self.filled[1]]) / 0.3)
        at.set_rate("stretch", v - 0.5 * self.stretch)

    def energy(self, at):
        return self.stretch * self.stretch


def arm() -> rbd.Model:
    """Two links with a muscle, a motor that lags, and a spring with a dashpot from the tip to the ground."""
    model = rbd.library.double_pendulum()
    joints = [joint.name for joint in model.joints[1:]]
    model.add_force("muscle", Muscle(joints[0], 3.0))
    model.add_force("motor", rbd.Servo(joints[1], 0.4, 8.0, 0.5, 0.1, torque=0.3))
    model.add_force("seal", rbd.Maxwell("rod2", "world", 30.0, 4.0, 0.3, 0.02, (0.2, 0.0, -0.5), (1.0, 0.5, 0.0)))
    return model


Q, V = [0.3, -0.5], [0.4, 1.0]


@pytest.fixture(scope="module")
def model() -> rbd.Model:
    return arm()


@pytest.fixture(scope="module")
def exact(model) -> rbd.simulation.Trajectory:
    """To nine digits more than the methods that are compared with it."""
    return rbd.simulate(model, Q, V, duration=0.4, dt=0.1, integrator=Adaptive("dop853", 1e-13, 1e-13))


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_a_mass_on_a_spring_and_a_dashpot_in_series():
    """Its free motion is exp(A t) with lambda (lambda^2 + (k/c) lambda + k/m) = 0."""
    m, k, c = 2.0, 50.0, 6.0
    rail = rbd.Model("rail", gravity=np.zeros(3))
    rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(m))
    rail.add_force("damper", rbd.Maxwell("world", "mass", k, c, rest_length=5.0, at_a=(-5.0, 0.0, 0.0)))
    A = np.array([[0.0, 1.0, 0.0], [-k / m, 0.0, k / m], [k / c, 0.0, -k / c]])
    assert np.sort_complex(np.linalg.eigvals(A)) == pytest.approx(
        np.sort_complex(np.append(np.roots([1.0, k / c, k / m]), 0.0)), abs=1e-12
    )
    run = rbd.simulate(rail, [0.3], [1.0], duration=1.0, dt=1e-3, z0={"damper.dashpot": -0.1}, every=100)
    there = np.array([scipy.linalg.expm(A * t) @ [0.3, 1.0, -0.1] for t in run.t])
    found = np.column_stack([run.q, run.v, run.z])
    assert found == pytest.approx(there, abs=1e-10)  # h^4 times a fifth derivative of 1e3
    again = rbd.simulate(rail, [0.3], [1.0], duration=1.0, dt=1e-3, z0=[-0.1])
    assert again.energy_error() == pytest.approx(0.0, abs=1e-8)  # Simpson's rule: h^4 times a fourth derivative of 1e4
    assert again.energy().spring[0] == pytest.approx(0.5 * k * 0.4**2)


def test_a_torque_that_lags():
    """T = u (1 - exp(-t / tau)), so v = u / I (t - tau (1 - exp(-t / tau)))."""
    tau, u = 0.2, 1.5
    rail = rbd.Model("rail", gravity=np.zeros(3))
    rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))

    class Lag(rbd.ForceElement):
        states = ("force",)
        command: float
        force: float = 0.0

        def act(self, at):
            at.apply_torque("mass_joint", self.force)
            at.set_rate("force", (self.command - self.force) / 0.2)

    rail.add_force("motor", Lag(u))
    run = rbd.simulate(rail, duration=1.0, dt=1e-3)
    rise = 1.0 - np.exp(-run.t / tau)
    assert run.state("motor.force") == pytest.approx(u * rise, abs=1e-11)  # (h / tau)^4 / 120
    assert run.v[:, 0] == pytest.approx(u / 2.0 * (run.t - tau * rise), abs=1e-11)
    assert "compiled loop" in run.report.backend


# --- SciPy on the equations written out -------------------------------------------------------------------------------


def test_the_equations_written_out(model, exact):
    muscle, motor, seal = (force.element for force in model.forces)

    def rates(t, x):
        q, v, (a, b, s, T, d) = x[:2], x[2:4], x[4:]
        pose = rbd.forward_kinematics(model, q).poses[model.body("rod2").index]
        end = pose[:3, :3] @ seal.at_a + pose[:3, 3]
        J = rbd.jacobian(model, q, "rod2", "aligned")
        line = np.asarray(seal.at_b) - end
        tension = seal.stiffness * (np.linalg.norm(line) - seal.rest_length - d)
        f = tension * line / np.linalg.norm(line)
        tau = J.T @ np.concatenate([np.cross(end - pose[:3, 3], f), f])
        tau = tau + [muscle.strength * b - 2.0 * s, T]
        H, C = algorithms.crba(model, q).H, algorithms.bias_force(model, q, v)
        filling = [(np.cos(3.0 * q[0]) - a) / 0.3, (a - b) / 0.3, v[0] - 0.5 * s]
        wanted = motor.stiffness * (motor.target - q[1]) - motor.damping * v[1]
        own = [*filling, (wanted - T) / motor.time_constant, tension / seal.damping]
        return [*v, *np.linalg.solve(H, tau - C), *own]

    start = [*Q, *V, 0.2, 0.1, 0.0, 0.3, 0.02]
    assert model.z_names == ("muscle.filled[0]", "muscle.filled[1]", "muscle.stretch", "motor.torque", "seal.dashpot")
    assert model.initial_z().tolist() == start[4:]
    run = scipy.integrate.solve_ivp(rates, (0.0, 0.4), start, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=exact.t)
    assert np.column_stack([exact.q, exact.v, exact.z]) == pytest.approx(run.y.T, abs=1e-10)
    equation = StateEquation(model)
    x = equation.join(Q, V, model.initial_z())
    assert equation(0.0, x) == pytest.approx(rates(0.0, x), rel=1e-12)
    q, v, z = equation.split(x)
    assert [*q, *v, *z] == start


# --- every method, every form -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in (*STEPPING, *CLOSING) if name != "variational"])  # refused below
def test_methods_keep_their_order(model, exact, name):
    formulation = "se3" if name in CLOSING else "joint"

    def error(h: float) -> float:
        run = rbd.simulate(model, Q, V, duration=0.4, dt=h, integrator=name, formulation=formulation)
        return float(np.max(np.abs(run.z[-1] - exact.z[-1])))

    assert np.log2(error(5e-3) / error(2.5e-3)) == pytest.approx(INTEGRATORS[name].order, abs=0.2)


@pytest.mark.parametrize("name", [name for name in STEPPING if name != "variational"])
def test_compiled_against_readable(model, name):
    runs = [rbd.simulate(model, Q, V, duration=0.01, dt=5e-3, integrator=name, backend=b) for b in ("auto", "book")]
    assert "compiled loop" in runs[0].report.backend
    for part in ("q", "v", "z"):  # round-off; of implicit steps where Newton's method stops
        assert getattr(runs[0], part) == pytest.approx(getattr(runs[1], part), abs=1e-13)
    for part in ("kinetic", "gravitational", "spring"):
        ours, theirs = (getattr(run.energy(), part) for run in runs)
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [
        *(("so3xr3", name) for name in ("rk4", "implicit_midpoint", "dop853", *CLOSING)),
        *((name, "rk4") for name in ("se3", "bodywise")),
    ],
)
def test_bodies_against_joints(model, formulation, integrator):
    times = {"duration": 0.1, "dt": 2e-3, "every": 10}
    bodies = rbd.simulate(model, Q, V, **times, integrator=integrator, formulation=formulation)
    assert "compiled loop" in bodies.report.backend
    joints = rbd.simulate(model, Q, V, **times, integrator="rk4" if integrator in CLOSING else integrator)
    near = {"rk4": 1e-8, "rk4_projected": 1e-8, "dop853": 1e-8, "generalized_alpha": 2e-3, "implicit_midpoint": 1e-5}
    assert bodies.z == pytest.approx(joints.z, abs=near[integrator])
    readable = rbd.simulate(
        model, Q, V, duration=0.004, dt=2e-3, integrator=integrator, formulation=formulation,
        tau=rbd.untraced(lambda t, q, v: np.zeros(2)),
    )  # fmt: skip
    assert "stepped from Python" in readable.report.backend
    again = rbd.simulate(model, Q, V, duration=0.004, dt=2e-3, integrator=integrator, formulation=formulation)
    # a joint that stands open: compiled elements act where the bodies are, readable ones where the joint has them
    open_by = 10.0 * float(np.abs(readable.constraint_error()).max())
    within_steps = {"generalized_alpha": 1e-9, "rk4_projected": 1e-10}.get(integrator, 1e-13)
    assert again.z == pytest.approx(readable.z, abs=open_by + within_steps)
    slipping = 1e-4 if integrator == "generalized_alpha" else 1e-12  # it leaves velocities to the order of the step
    there = rbd.energy(model, bodies.q, bodies.v, z=bodies.z)
    assert bodies.energy().total == pytest.approx(there.total, abs=1e3 * bodies.report.constraint_error + slipping)


def closed() -> rbd.Model:
    """A four-bar with a loop joint, a muscle, a motor that lags, and a spring with a dashpot to the ground."""
    model = rbd.library.planar_four_bar()
    names = [joint.name for joint in model.joints]
    model.add_force("muscle", Muscle(names[1], 3.0))
    model.add_force("motor", rbd.Servo(names[2], 0.4, 8.0, 0.5, 0.1, torque=0.3))
    model.add_force("seal", rbd.Maxwell(model.bodies[2].name, "world", 30.0, 4.0, 0.3, 0.02, at_b=(1.0, 0.2, 0.4)))
    return model


def held() -> rbd.Model:
    """The same elements on an open chain that gears tie."""
    model = rbd.library.double_pendulum()
    names = [joint.name for joint in model.joints]
    model.add_force("muscle", Muscle(names[1], 3.0))
    model.add_force("motor", rbd.Servo(names[2], 0.4, 8.0, 0.5, 0.1, torque=0.3))
    model.add_constraint("gears", rbd.Tie(names[2], names[1], -2.0))
    return model


STARTS = {"closed": (closed, [0.0, 0.0, 0.0], [1.0, 0.2, -0.1]), "held": (held, [0.3, -0.6], [0.4, -0.8])}


@pytest.fixture(scope="module", params=STARTS)
def tied(request):
    """A model that is tied, a start that obeys it, and its motion body by body, where rows are others."""
    make, q, v = STARTS[request.param]
    model = make()
    v = rbd.project_velocity(model, q, v) if model.loops else np.array(v)
    bodies = rbd.simulate(model, q, v, duration=0.06, dt=1e-3, formulation="se3", integrator="rk4_projected")
    return model, q, v, bodies


@pytest.mark.parametrize(
    "options",
    [{}, {"backend": "book"}, {"integrator": "dop853"}, {"integrator": "dop853", "backend": "book"}],
    ids=["compiled", "book", "adaptive", "adaptive book"],
)
def test_tied_joint_coordinates_against_bodies(tied, options):
    """Baumgarte's terms of adaptive steps let a gap of 1e-6 be; steps of 1 ms leave both alike to 1e-7."""
    model, q, v, bodies = tied
    run = rbd.simulate(model, q, v, duration=0.06, dt=1e-3, **options)
    assert ("Python" in run.report.backend or "book" in run.report.backend) == ("backend" in options)
    assert run.v.shape == (61, model.nv) and run.z.shape == (61, model.nz)
    assert np.ptp(run.z, axis=0).min() > 1e-5
    near = 2e-5 if "integrator" in options else 1e-6
    assert run.poses() == pytest.approx(bodies.poses(), abs=near)
    assert run.z == pytest.approx(bodies.z, abs=near)
    assert abs(run.work_error()) < 1e-4
    if "integrator" not in options:
        assert run.report.constraint_error < 1e-12


def test_tied_rates_and_stacks(tied):
    """Compiled, readable, body by body, and as a system of equations; states one by one and at once."""
    model, *_, bodies = tied
    some = slice(None, None, 20)
    q, v, z, t = bodies.q[some], bodies.v[some], bodies.z[some], bodies.t[some]
    tau = np.linspace(0.5, -0.3, model.nv)
    stack = rbd.forward_dynamics(model, q, v, tau, z=z)
    systems = [rbd.formulations.JointSystem(model, lambda *_: tau, book=book) for book in (False, True)]
    equation = StateEquation(model, tau)
    for k in range(len(t)):
        x, w = q[k], np.concatenate([v[k], z[k]])
        rates = [system.rate(0.0, x, w) for system in systems]
        book = rbd.forward_dynamics(model, x, v[k], tau, z=z[k], backend="book")
        assert rates[0] == pytest.approx(rates[1], abs=1e-9)
        assert rates[0][: model.nv] == pytest.approx(book, abs=1e-9)
        assert stack[k] == pytest.approx(book, abs=1e-9)
        exact = rbd.element_state_rates(model, x, v[k], z[k])
        assert rates[0][model.nv :] == pytest.approx(exact, abs=1e-12)
        assert equation(0.0, equation.join(x, v[k], z[k]))[model.nq :] == pytest.approx(rates[0], abs=1e-12)
    with pytest.raises(rbd.ModelError, match="muscle"):
        rbd.forward_dynamics(model, q[0], v[0], tau)


def test_what_tied_models_transmit_knows_the_states(tied):
    """The wrench through the loop joint, and the moment of gears, by bodies and by joints; without states refused."""
    model, q, v, bodies = tied
    runs = [rbd.simulate(model, q, v, duration=0.02, dt=1e-3, backend=backend) for backend in ("auto", "book")]
    for run in runs:
        for name, force in run.constraint_forces().items():
            scale = np.abs(force).max()
            assert force == pytest.approx(bodies.constraint_forces()[name][:21], abs=1e-5 * scale)
    if model.loops:
        one, other = (run.loop_forces()["pin"] for run in runs)
        assert one == pytest.approx(other, abs=1e-7 * np.abs(other).max())


def test_tied_members_in_lanes(tied):
    model, q, v, _ = tied
    runs = rbd.sweep(model, {"muscle.strength": [1.0, 2.0, 3.0]}, q, v, duration=0.05, dt=1e-3, progress=False)
    for k, strength in enumerate((1.0, 2.0, 3.0)):
        alone = rbd.simulate(model.with_parameters({"muscle.strength": strength}), q, v, duration=0.05, dt=1e-3)
        assert runs[k].q == pytest.approx(alone.q, abs=1e-12) and runs[k].z == pytest.approx(alone.z, abs=1e-12)


def test_loops():
    """A linkage whose loop is closed by constraints, with a dashpot across it."""
    model = rbd.library.planar_four_bar()
    a, b = model.bodies[1].name, model.bodies[3].name
    model.add_force("seal", rbd.Maxwell(a, b, 30.0, 4.0, 0.3, 0.02))
    found = {}
    for name in CLOSING:
        method, system = INTEGRATORS[name], FORMULATIONS["se3"](model)
        x, w = system.state(model.neutral(), np.zeros(model.nv))
        w = np.append(w, 0.02)
        run = system.compiled_run(method, 2e-3 * np.arange(4), x, w, 1, lambda done: None)
        state = method.init(system, 0.0, x, w)
        for _ in range(3):
            state = method.step(system, state, 2e-3)
        found[name] = run.v[-1, -1]
        assert run.v[-1, -1] == pytest.approx(state.v[-1], abs=1e-9)
    assert found["generalized_alpha"] == pytest.approx(found["rk4_projected"], abs=1e-5)  # order 2 and order 4
    assert abs(found["rk4_projected"] - 0.02) > 1e-3


def test_long_chains_and_joints_that_are_no_freedoms():
    """Loops over links in place of straight-line code; a joint that follows, and one that moves as time says."""
    long = rbd.library.random_tree(3, 18)
    arm = rbd.Model("arm")
    ball = rbd.Inertia(1.0, com=[0.0, 0.0, -1.0])
    arm.add_body("a", joint=rbd.Revolute("y"), inertia=ball)
    arm.add_body("b", "a", rbd.Revolute("y"), [0.0, 0.0, -1.0], ball, mimic=rbd.Mimic("a_joint", -0.5))
    swing = rbd.Prescribed(rbd.Revolute("y"), lambda t: ([np.sin(t)], [np.cos(t)], [-np.sin(t)]))
    arm.add_body("c", "b", swing, [0.0, 0.0, -1.0], ball)
    for model, body in ((long, long.bodies[15].name), (arm, "c")):
        model.add_force("seal", rbd.Maxwell(body, "world", 30.0, 4.0, 0.3, 0.02, at_b=(1.0, 0.0, 0.0)))
        q, v = model.random_q(1), 0.3 * np.random.default_rng(0).normal(size=model.nv)
        options = {"duration": 4e-3, "dt": 2e-3}
        ours, theirs = (rbd.simulate(model, q, v, **options, backend=backend) for backend in ("auto", "book"))
        assert ours.report.backend != theirs.report.backend
        for part in ("q", "v", "z"):
            assert getattr(ours, part) == pytest.approx(getattr(theirs, part), abs=1e-13)
        assert ours.energy_error() == pytest.approx(theirs.energy_error(), abs=1e-9)  # differences of energies


def test_stacks_of_states(model):
    """Compiled for one state, for some, and in lanes; against the readable form."""
    rng = np.random.default_rng(4)
    q, v, z, tau = (rng.normal(size=(600, n)) for n in (2, 2, 5, 2))
    whole = rbd.forward_dynamics(model, q, v, tau, z=z), rbd.element_state_rates(model, q, v, z)
    for k in (0, 599):
        state = q[k], v[k]
        for backend in ("auto", "book"):
            assert rbd.forward_dynamics(model, *state, tau[k], z=z[k], backend=backend) == pytest.approx(
                whole[0][k], rel=1e-11, abs=1e-11
            )
            rates = rbd.element_state_rates(model, *state, z[k], backend=backend)
            assert rates == pytest.approx(whole[1][k], rel=1e-12, abs=1e-12)
        ours, theirs = (rbd.energy(model, *state, z=z[k], backend=backend) for backend in ("auto", "book"))
        assert ours.total == pytest.approx(theirs.total, rel=1e-12)
        passive = rbd.passive_force(model, *state, z=z[k])
        needed = rbd.rnea(model, *state, whole[0][k])
        assert passive + tau[k] == pytest.approx(needed, rel=1e-10, abs=1e-10)
        balance = rbd.power_balance(model, *state, whole[0][k], tau[k], z=z[k])
        assert balance.residual == pytest.approx(0.0, abs=1e-8 * abs(balance.energy_rate))
    assert rbd.forward_dynamics(model, q[0], v[0], tau[0], z=z).shape == (600, 2)


def test_many_motions_in_lanes(model):
    start = np.linspace(0.0, 0.1, 12)
    options = {"duration": 1.0, "every": 500, "z0": {"motor.torque": -0.2}}
    ensemble = rbd.sweep(model, {"seal.dashpot": start}, Q, V, **options, progress=False)
    assert any("lanes" in how for how in ensemble.report.code)
    assert ensemble.z.shape == (12, 3, 5)
    for k in (0, 11):
        alone = rbd.simulate(model.with_parameters({"seal.dashpot": start[k]}), Q, V, **options)
        assert ensemble[k].z == pytest.approx(alone.z, abs=1e-12)
        assert ensemble[k].energy().total == pytest.approx(alone.energy().total, rel=1e-12)


# --- energy -----------------------------------------------------------------------------------------------------------


def test_the_energy_that_states_store_and_lose(model):
    run = rbd.simulate(model, Q, V, duration=0.5)
    assert np.ptp(run.work()) > 0.1
    assert run.energy_error() == pytest.approx(0.0, abs=1e-7)


class Stretch(rbd.ForceElement):
    """A spring that knows its stretch from the speed alone; or, if leaky, one that forgets it."""

    states = ("stretch",)
    leak: float = 0.0
    stretch: float = 0.1

    def act(self, at):
        at.apply_torque("mass_joint", -8.0 * self.stretch)
        at.set_rate("stretch", at.velocities("mass_joint")[0] - self.leak * self.stretch)

    def energy(self, at):
        return 4.0 * self.stretch * self.stretch

    @property
    def conservative(self):
        return True


def test_what_calls_itself_conservative():
    rail = rbd.Model("rail", gravity=np.zeros(3))
    rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    with pytest.raises(rbd.ModelError, match=r"'leaky'.*conservative"):
        rail.add_force("leaky", Stretch(leak=0.5))
    rail.add_force("spring", Stretch())
    run = rbd.simulate(rail, duration=2.0)
    assert run.state("spring.stretch") == pytest.approx(0.1 * np.cos(2.0 * run.t), abs=1e-11)
    assert not run.report.balanced
    assert run.report.energy_error < 1e-10


# --- the report, files, tables ----------------------------------------------------------------------------------------


def test_a_state_that_is_too_fast_for_the_step():
    rail = rbd.Model("rail", gravity=np.zeros(3))
    rail.add_body("mass", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0))
    rail.add_force("motor", rbd.Servo("mass_joint", 0.0, 1.0, 1.0, time_constant=1e-4))
    with pytest.warns(
        SimulationWarning, match=r"STEP TOO LONG: state 'motor.torque' has a motion with rate 1e\+04 1/s"
    ):
        run = rbd.simulate(rail, [0.1], duration=0.002)
    assert run.report.adequacy.stable_step == pytest.approx(2.785e-4, rel=2e-3)  # RK4; 2 % do not count


def test_files_tables_and_going_on(model):
    plain = rbd.library.pendulum()
    plain.add_force("seal", rbd.Maxwell("rod", "world", 30.0, 4.0, dashpot=0.02, at_b=(1.0, 0.0, 0.0)))
    again = rbd.load(rbd.formats.to_json(plain))
    assert again.initial_z().tolist() == [0.02]
    assert plain.parameters["seal.dashpot"] == 0.02
    own = rbd.load(rbd.formats.to_json(model), forces=[Muscle])
    assert own.initial_z() == pytest.approx(model.initial_z())
    run = rbd.simulate(model, Q, V, duration=0.2)
    assert list(run.columns())[-5:] == list(model.z_names)
    assert run.state("muscle.filled").shape == (201, 2)
    later = rbd.simulate(model, run.q[100], run.v[100], duration=0.1, z0=run.z[100])
    assert later.z[-1] == pytest.approx(run.z[-1], abs=1e-12)
    named = {"muscle.filled": run.state("muscle.filled")[100], "motor.torque": run.state("motor.torque")[100]}
    named |= {"muscle.stretch": run.z[100, 2], "seal.dashpot": run.z[100, 4]}
    assert model.initial_z(named).tolist() == run.z[100].tolist()


def test_pictures_and_facts(model):
    run = rbd.simulate(model, Q, V, duration=0.1)
    assert [diagram.get_ylabel() for diagram in rbd.plot(run).axes][-2:] == ["z", "z (m)"]
    tabs = {tab.name: tab for plot in plots_of(run) for tab in plot.tabs}
    assert tabs["z"].names == model.z_names[:4]
    assert np.array_equal(tabs["z (m)"].values, run.z[:, 4:].T)
    facts = rbd.inspect(model, "rod1", Q, V, z=run.z[50])
    a = rbd.forward_dynamics(model, Q, V, [0.0, 0.0], z=run.z[50])
    # what goes through the joint is the torque of the muscle; the seal pulls at the bodies
    element = model.forces[0].element
    tau = element.strength * run.z[50, 1] - 2.0 * run.z[50, 2]
    assert facts["tau"] == pytest.approx(tau, abs=1e-12)
    assert facts["a"][1] == pytest.approx(a[0], rel=1e-12)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_nobody_guesses_states(model):
    q, v, tau = np.array(Q), np.array(V), np.zeros(2)
    for call in (
        lambda: rbd.forward_dynamics(model, q, v, tau),
        lambda: rbd.forward_dynamics(model, q, v, tau, backend="book"),
        lambda: rbd.state_derivative(model, q, v, tau),
        lambda: rbd.energy(model, q, v),
        lambda: rbd.energy(model, q, v, backend="book"),
        lambda: rbd.passive_force(model, q, v),
        lambda: rbd.power_balance(model, q, v, tau, tau),
        lambda: rbd.forward_dynamics_derivatives(model, q, v, tau),
        lambda: rbd.forward_dynamics_gradient(model, q, v, tau, tau),
        lambda: rbd.inspect(model, "rod1", q, v),
        lambda: StateEquation(model).join(q, v),
    ):
        with pytest.raises(rbd.ModelError, match=r"'muscle.filled', 'muscle.stretch', 'motor.torque', 'seal.dashpot'"):
            call()
    with pytest.raises(rbd.ModelError, match="fixed_run"):
        rbd.accuracy.step_size.fixed_run(model, q, v, 1.0, 10)
    with pytest.raises(rbd.RbdkitError, match="z has shape"):
        rbd.simulation.Trajectory(model, np.zeros(1), q[None], v[None])


@pytest.mark.parametrize("name", ["variational", "energy_momentum", "moser_veselov"])
def test_methods_that_step_momenta(model, name):
    with pytest.raises(rbd.SimulationError, match=f"{name}.*'motor.torque'"):
        rbd.simulate(model, Q, V, duration=0.1, integrator=name)


@pytest.mark.parametrize("formulation", ["local_velocity", "quaternion", "directors", "split_euler"])
def test_formulations_without_a_place_for_them(formulation):
    model = rbd.Model("top", gravity=np.zeros(3))
    turning = formulation in ("directors", "split_euler")
    model.add_body("top", joint=rbd.Spherical() if turning else rbd.Free(), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    model.add_force("seal", rbd.Maxwell("top", "world", 30.0, 4.0, at_b=(1.0, 0.0, 0.0)))
    with pytest.raises(rbd.RbdkitError, match=r"seal\.dashpot"):
        rbd.simulate(model, duration=0.1, formulation=formulation)


@pytest.mark.parametrize(
    ("z0", "message"),
    [
        ({"seal.dashpod": 1.0}, "did you mean 'seal.dashpot'"),
        ({"seal.dashpot": [1.0, 2.0]}, r"shape \(2,\); the state has \(\)"),
        ({"muscle.filled": 1.0}, r"shape \(\); the state has \(2,\)"),
        ({"motor.torque": np.nan}, "'motor.torque' is nan"),
        ([0.0, 1.0], r"needs \(5,\)"),
        (np.zeros((2, 5)), "one state"),
    ],
)
def test_states_that_cannot_be_meant(model, z0, message):
    with pytest.raises(rbd.StateError, match=message):
        rbd.simulate(model, Q, V, duration=0.1, z0=z0)


def test_elements_that_are_not_made_well():
    model = rbd.library.pendulum()
    with pytest.raises(rbd.ModelError, match=r"Wrong: states = .'torque',. must be a tuple of names of its fields"):

        class Wrong(rbd.ForceElement):
            states = ("torque",)
            strength: float

            def act(self, at): ...

    class Own(rbd.ForceElement):
        states = ("a",)
        kind: str
        a: float = 0.0

        def act(self, at):
            at.apply_torque("hinge", self.a)
            if self.kind != "none":
                at.set_rate("b" if self.kind == "other" else "a", [1.0, 2.0] if self.kind == "shape" else 1.0)
            if self.kind == "twice":
                at.set_rate("a", 1.0)

    for kind, message in {
        "none": "rate of state 'a' is not set", "other": "'b', which is not among its states",
        "shape": r"has shape \(2,\)", "twice": "set twice",
    }.items():  # fmt: skip
        with pytest.raises(rbd.ModelError, match=message):
            model.add_force("own", Own(kind))
    with pytest.raises(rbd.ModelError, match="state 'a' is None at the start"):
        model.add_force("own", Own("good", None))
    with pytest.raises(rbd.ModelError, match=r"damping 0\.0 must be more than zero"):
        rbd.Maxwell("rod", "world", 1.0, 0.0)
    with pytest.raises(rbd.ModelError, match="time_constant"):
        rbd.Servo("hinge", 0.0, 1.0, 1.0, 0.0)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize("library", [rbd.library.double_pendulum, rbd.library.planar_four_bar])
def test_motions_of_a_model_that_has_got_states_since(formulation, library):
    """They keep the model that moved, which has none."""
    model = library()
    run = rbd.simulate(model, duration=0.02, dt=2e-3, formulation=formulation)
    before = run.energy().total.copy()
    model.add_force("seal", rbd.Maxwell(model.bodies[2].name, "world", 30.0, 4.0, 0.3, 0.02, at_b=(1.0, 0.0, 0.0)))
    assert run.z.shape == (11, 0) and run.z_names == () and not run.model.forces
    np.testing.assert_array_equal(run.energy().total, before)
    assert not any("seal" in name for name in run.columns())
    with pytest.raises(rbd.ModelError, match=r"'seal\.dashpot' is no state"):
        run.state("seal.dashpot")
