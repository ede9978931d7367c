"""Force elements in joint coordinates: compiled against readable, and against what their energies say."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.engine import backend, kernels_for

SEEDS = (1, 2, 3)


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random_q(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_forces_are_the_readable_ones(forced, seed):
    model = forced(seed)
    assert backend(model)[0] != "book", backend(model)
    q, v, _ = state(model)
    tau, stored, lost = kernels_for(model).own_forces(q, v)
    expected = algorithms.element_force(model, q, v)
    # both sum up the same products, along other ways: some dozens of roundings of the largest
    assert tau == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max())
    energy, power = algorithms.element_power(model, q, v)
    assert stored == pytest.approx(float(energy), rel=1e-12)
    grown, lost_by_difference = algorithms.element_rates(model, q, v)
    assert lost + grown == pytest.approx(-float(power), rel=1e-8)  # a difference over 1e-5 s
    assert lost == pytest.approx(lost_by_difference, rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_has_them_in_both_forms(forced, seed):
    model = forced(seed)
    q, v, tau = state(model)
    compiled, book = (rbd.forward_dynamics(model, q, v, tau, backend=name) for name in ("auto", "book"))
    assert compiled == pytest.approx(book, rel=1e-10, abs=1e-10 * np.abs(book).max())  # cond(H) eps
    alone = rbd.aba(model, q, v, tau + rbd.passive_force(model, q, v))
    assert compiled == pytest.approx(alone, rel=1e-10, abs=1e-10 * np.abs(book).max())


def test_power_balance_closes(forced):
    model = forced(2)
    q, v, tau = state(model)
    vdot = rbd.forward_dynamics(model, q, v, tau)
    balance = rbd.power_balance(model, q, v, vdot, tau)
    scale = abs(balance.energy_rate) + abs(balance.dissipated) + abs(balance.applied)
    assert abs(balance.residual) < 1e-12 * scale  # what differences miss of the stored energy cancels


def test_forces_of_conservative_elements_are_the_slope_of_their_energy(forced):
    model = forced(3)
    q, _, _ = state(model)
    rest = np.zeros(model.nv)
    h = 1e-5
    rows = [
        kernels_for(model).own_forces(model.integrate(q, s * h * np.eye(model.nv)), np.zeros((model.nv, model.nv)))
        for s in (1.0, -1.0)
    ]
    slope = (rows[0][1] - rows[1][1]) / (2.0 * h)
    assert algorithms.element_force(model, q, rest) == pytest.approx(-slope, abs=1e-7)  # h^2 and eps / h


@pytest.mark.parametrize("seed", (1, 2))
def test_a_run_in_compiled_loops_is_the_one_of_the_readable_form(forced, seed):
    model = forced(seed, 4)
    q, v, _ = state(model)
    runs = [rbd.simulate(model, q, v, duration=0.05, dt=1e-3, backend=name) for name in ("auto", "book")]
    assert "compiled loop" in runs[0].report.backend
    assert runs[0].v == pytest.approx(runs[1].v, rel=1e-9, abs=1e-9)
    # what friction takes is known by differences in the readable form
    assert runs[0].report.energy_error == pytest.approx(runs[1].report.energy_error, rel=1e-4, abs=1e-9)


def test_another_number_compiles_nothing(forced, monkeypatch):
    from rbdkit.trace.run import native

    model = forced(1, 4)
    q, v, tau = state(model)
    first = rbd.forward_dynamics(model, q, v, tau)
    monkeypatch.setattr(native, "compile_module", None, raising=False)
    changed = model.with_parameters({"band.stiffness": 77.0, "band.at_b": (0.0, 0.2, 0.0), "air.coefficient": 0.0})
    assert kernels_for(changed).own == kernels_for(model).own
    second = rbd.forward_dynamics(changed, q, v, tau)
    assert second != pytest.approx(first)
    assert second == pytest.approx(rbd.forward_dynamics(changed, q, v, tau, backend="book"), rel=1e-9)


def test_mimic_joints_feel_elements_on_both():
    model = rbd.Model()
    a = model.add_body("a", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, [0.0, 0.0, -0.4], 0.1 * np.eye(3)))
    model.add_body(
        "b", a, rbd.Revolute("x"), [0.0, 0.0, -1.0], rbd.Inertia(0.5, [0.1, 0.0, -0.3], 0.05 * np.eye(3)),
        mimic=rbd.Mimic("a_joint", -1.5, 0.2),
    )  # fmt: skip
    model.add_force("band", rbd.Spring("b", "world", 20.0, 0.1, 0.3, at_b=(0.5, 0.4, 0.0)))
    model.add_force("grease", rbd.JointFriction("b_joint", 0.4, creep=0.2))
    q, v = np.array([0.7]), np.array([-0.4])
    tau = kernels_for(model).own_forces(q, v)[0]
    assert tau == pytest.approx(algorithms.element_force(model, q, v), rel=1e-12)
    # by virtual power: what the forces do in a motion with unit velocity
    from rbdkit.model.force import power, surroundings

    at = surroundings(model, q, v)
    for force in model.acting:
        force.element.act(at)
    unit = surroundings(model, q, np.ones(1))
    unit.torques, unit.wrenches = at.torques, at.wrenches
    assert tau[0] == pytest.approx(power(unit, np.ones(1)), rel=1e-12)
    assert rbd.forward_dynamics(model, q, v, [0.1]) == pytest.approx(
        rbd.forward_dynamics(model, q, v, [0.1], backend="book"), rel=1e-11
    )


@pytest.mark.parametrize("formulation", ("joint", "se3"))
def test_adaptive_steps_feel_them(formulation):
    model = rbd.library.double_pendulum()
    rod = model.bodies[2].name
    model.add_force("band", rbd.Spring(rod, "world", 20.0, 0.1, 0.3, at_b=(0.5, 0.0, 0.0)))
    method = rbd.integrators.Adaptive("dop853", rtol=1e-11, atol=1e-11)
    run = rbd.simulate(model, [0.4, 0.3], duration=0.5, dt=0.05, integrator=method, formulation=formulation)
    assert "compiled loop" in run.report.backend
    fine = rbd.simulate(model, [0.4, 0.3], duration=0.5, dt=1e-3, integrator="rk5")
    assert run.q == pytest.approx(fine.q[::50], abs=1e-9)


def test_motors_of_prescribed_joints_do_the_work_of_springs_on_what_they_carry():
    def turned(t):
        return np.array([0.5 * np.sin(2.0 * t)]), np.array([np.cos(2.0 * t)]), np.array([-2.0 * np.sin(2.0 * t)])

    model = rbd.Model()
    inertia = rbd.Inertia(1.0, [0.0, 0.0, -0.4], 0.1 * np.eye(3))
    model.add_body("a", joint=rbd.Prescribed(rbd.Revolute("y"), turned), inertia=inertia)
    model.add_body("b", "a", rbd.Revolute("x"), [0.0, 0.0, -1.0], inertia)
    model.add_force("band", rbd.Spring("a", "world", 25.0, 0.2, 0.4, (0.1, 0.0, -0.5), (0.5, 0.4, 0.0)))
    model.add_force("strut", rbd.Spring("a", "b", 25.0, 0.2, 0.4, (0.1, 0.0, -0.5), (0.0, 0.4, 0.0)))
    for backend_name in ("auto", "book"):
        run = rbd.simulate(model, [0.3], duration=0.5, dt=2e-3, backend=backend_name)
        assert run.report.energy_error < 1e-8  # of Simpson's rule
    for formulation in ("se3",):
        assert rbd.simulate(model, [0.3], duration=0.5, dt=2e-3, formulation=formulation).report.energy_error < 1e-8


def test_the_force_through_a_joint_is_not_that_of_a_spring_beside_it():
    model = rbd.Model()
    weight = model.add_body("weight", joint=rbd.Revolute("y"), inertia=rbd.Inertia(2.0, [0.0, 0.0, -0.5]))
    model.add_force("holds", rbd.Spring(weight.name, "world", 2.0 * 9.81, 0.0, at_a=(0.0, 0.0, -0.5), at_b=(0, 0, 0.5)))
    facts = rbd.inspect(model, "weight", [0.0])
    assert facts["f"][3:] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)  # the spring alone carries the weight


def test_springs_keep_the_energy_that_dampers_take():
    def pendulum(damping):
        model = rbd.library.pendulum()
        rod = model.bodies[1].name
        model.add_force("band", rbd.Spring(rod, "world", 20.0, 0.3, damping, (0.0, 0.0, -0.5), (1.0, 0.0, 0.0)))
        return model

    free, damped = (rbd.simulate(pendulum(damping), [0.5], duration=0.5) for damping in (0.0, 1.0))
    assert not free.model.lossy
    assert np.ptp(free.invariants()["energy"]) < 1e-9  # of order 4 in 1 ms
    assert damped.model.lossy
    assert "energy" not in damped.invariants()
    assert damped.energy().total[-1] < damped.energy().total[0] - 0.01
    assert damped.report.energy_error < 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_springs_between_points_that_cannot_move_apart(seed):
    """On one rigid body, or on the axis between two: both powers are round-off, 1e-18 to 1e-31 W, and unlike."""
    rng = np.random.default_rng(seed)
    model, box = rbd.Model("rigid"), rbd.Inertia.box((1, 2, 3), mass=1.0)
    place, own = rng.normal(size=3), rng.normal(size=3)
    model.add_body("a", joint=rbd.Spherical(), inertia=box)
    model.add_body("b", "a", rbd.Fixed() if seed % 2 else rbd.Revolute("z"), place, box)
    other = np.array([0.0, 0.0, 1.0])
    length = float(np.linalg.norm(place + other - own))
    model.add_spring("s", "a", "b", 10.0 ** rng.uniform(-2, 8), length, at_a=tuple(own), at_b=tuple(other))
    assert model.forces


def test_what_is_not_conservative_may_not_say_so():
    class Lies(rbd.ForceElement):
        """A spring with twice the energy that it has."""

        body: str
        stiffness: float

        def act(self, at):
            at.apply_force(self.body, -self.stiffness * at.position(self.body, (0.0, 0.0, -1.0)), (0.0, 0.0, -1.0))

        def energy(self, at):
            p = at.position(self.body, (0.0, 0.0, -1.0))
            return self.stiffness * (p @ p)

        @property
        def conservative(self):
            return True

    class Breaks(Lies):
        """One that can act at rest only."""

        def act(self, at):
            if np.any(at.velocities("hinge1")):
                raise RuntimeError("too fast")
            super().act(at)

    model = rbd.library.double_pendulum()
    with pytest.raises(rbd.ModelError, match=r"force 'band' \(Lies\): it says that it is conservative, but .* W"):
        model.add_force("band", Lies("rod2", 2.0))
    with pytest.raises(rbd.ModelError, match=r"force 'band' \(Breaks\) cannot act: RuntimeError: too fast"):
        model.add_force("band", Breaks("rod2", 2.0))
    assert model.forces == ()


def test_springs_may_be_fastened_to_what_moves_as_time_says():
    """Their energy grows by what the drive does, too, which is no reason to refuse them."""
    motion = lambda t: (0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t))  # noqa: E731
    model = rbd.Model("driven")
    model.add_body("crank", joint=rbd.Prescribed(rbd.Revolute("y"), motion), inertia=rbd.Inertia.sphere(0.1, mass=1.0))
    rod = rbd.Inertia.sphere(0.1, mass=1.0).transformed(rbd.pose(position=[0.3, 0, 0]))
    model.add_body("rod", "crank", rbd.Revolute("y"), [0.4, 0, 0], rod)
    assert (
        model.add_force("band", rbd.Spring("crank", "world", 20.0, 0.1, at_a=(0.2, 0, 0), at_b=(1, 0, 1))).name
        == "band"
    )


def test_an_element_at_the_end_of_a_long_chain():
    model, parent = rbd.Model(), "world"
    for k in range(1200):
        inertia = rbd.Inertia.sphere(0.05, mass=0.1)
        parent = model.add_body(f"b{k}", parent, rbd.Revolute("y"), [0.0, 0.0, -0.1], inertia).name
    model.add_force("band", rbd.Spring(parent, "world", 2.0))
    tau = rbd.passive_force(model, model.neutral(), np.zeros(model.nv))
    assert tau == pytest.approx(0.0, abs=1e-9)  # straight down it pulls along all rods
