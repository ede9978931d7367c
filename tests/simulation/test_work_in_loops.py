"""What prescribed joints and constraints that time moves bring in through loops, against the torque of a motor."""

import numpy as np
import pytest

import rbdkit as rbd

CRANK, ROD = 0.2, 0.5


def turn(t):
    """Angle, rate and acceleration of the crank; NumPy's sine, which can be compiled."""
    return 1.0 + 2.0 * t + 0.3 * np.sin(3.0 * t), 2.0 + 0.9 * np.cos(3.0 * t), -2.7 * np.sin(3.0 * t)


def slider_crank(prescribed, rod_mass, **of_slider):
    """With a spring and a damper; prescribed : 'crank', 'loop', or nothing, which leaves a motor's place."""
    model, y = rbd.Model("slider crank"), rbd.Revolute("y")
    bar = rbd.Inertia(1.0, (0.1, 0, 0), 1e-3 * np.eye(3))
    rod = rbd.Inertia(rod_mass, (0.25, 0, 0), 0.02 * rod_mass * np.eye(3)) if rod_mass else None
    model.add_body("crank", joint=rbd.Prescribed(y, turn) if prescribed == "crank" else y, inertia=bar)
    model.add_body("rod", "crank", y, (CRANK, 0, 0), rod, damping=0.2, stiffness=3.0)
    model.add_body("slider", joint=rbd.Prismatic("x"), inertia=rbd.Inertia(2.0), **of_slider)
    model.add_loop("pin", "rod", "slider", y, (ROD, 0, 0))
    model.add_spring("spring", "slider", "world", 20.0, 0.3)
    if prescribed == "loop":
        model.add_loop("motor", "world", "crank", rbd.Prescribed(y, turn))
    return model


def closed(model):
    q = rbd.assemble(model)
    return q, rbd.project_velocity(model, q)


def motor_power(free, t, q, v):
    """Power of a torque at the crank that makes it turn as time says: accelerations are linear in the torque."""
    angle, rate, acceleration = turn(t)
    q, v = np.array([angle, *q[-2:]]), np.array([rate, *v[-2:]])
    none, one = (rbd.forward_dynamics(free, q, v, [tau, 0.0, 0.0])[0] for tau in (0.0, 1.0))
    return (acceleration - none) / (one - none) * rate


@pytest.mark.parametrize("formulation", ["joint", "se3"])
@pytest.mark.parametrize("prescribed, rod_mass", [("crank", 0.3), ("loop", 0.3), ("crank", 0.0)])
def test_prescribed_joints_do_the_work_of_a_motor(prescribed, rod_mass, formulation):
    model, free = slider_crank(prescribed, rod_mass), slider_crank("", rod_mass)
    run = rbd.simulate(model, *closed(model), duration=0.2, dt=1e-3, formulation=formulation, progress=False)
    damped = 0.2 * run.v[:, -2] ** 2
    for k in (0, 70, 200):
        t, q, v = run.t[k], run.q[k], run.v[k]
        expected = motor_power(free, t, q, v)
        assert run._power[k] == pytest.approx(expected - damped[k], rel=1e-7)  # the loop is open by 1e-9 in 'se3'
        a = rbd.forward_dynamics(model, q, v, np.zeros(model.nv), t=t)
        balance = rbd.power_balance(model, q, v, a, np.zeros(model.nv), t=t)
        assert balance.driven == pytest.approx(expected, rel=1e-7)
        assert abs(balance.residual) < 1e-7 * abs(expected)
    assert abs(run.work()[-1]) > 0.3 and run.report.energy_error < 1e-9
    assert not any("energy not judged" in note for note in run.report.notes)


def test_a_balance_that_does_not_hold_shows_it():
    """Accelerations that belong to another torque of a bob on the slider leave its power over."""
    model = slider_crank("crank", 0.3)
    model.add_body("bob", "slider", rbd.Revolute("y"), inertia=rbd.Inertia(1.0, (0, 0, -0.3)))
    q = rbd.assemble(model)
    v = rbd.project_velocity(model, q, [0.0, 0.0, 2.0], fix="bob_joint")
    a = rbd.forward_dynamics(model, q, v, np.array([0.0, 0.0, 0.5]))
    assert rbd.power_balance(model, q, v, a, np.zeros(3)).residual == pytest.approx(0.5 * 2.0, rel=1e-12)
    assert abs(rbd.power_balance(model, q, v, a, np.array([0.0, 0.0, 0.5])).residual) < 1e-12


class Shaken(rbd.ConstraintElement):
    """Leads a body along x as time says."""

    body: str

    def gap(self, at):
        return at.position(self.body)[0] - 0.57 - 0.05 * np.sin(7.0 * at.time)


@pytest.mark.parametrize("formulation", ["joint", "se3"])
def test_constraints_that_time_moves(formulation):
    model = slider_crank("", 0.3)
    model.add_constraint("shaken", Shaken("slider"))
    q = rbd.assemble(model, [1.0, -1.3, 0.57])
    v = rbd.project_velocity(model, q)
    run = rbd.simulate(model, q, v, duration=0.2, dt=1e-3, formulation=formulation, progress=False)
    assert abs(run.work()[-1]) > 0.01 and run.report.energy_error < 1e-8


@pytest.mark.parametrize("law, rod_mass, most", [
    ("rigid", 0.3, 1e-8), ("rigid", 0.0, 1e-8), ("impulse", 0.3, 1e-8), ("time_stepping", 0.3, 5e-3),
])  # fmt: skip
def test_a_prescribed_crank_pushes_through_a_rod(law, rod_mass, most):
    """A slider that meets a block on a spring: motors bring through the blow what block and contact take."""
    model = slider_crank("crank", rod_mass, geometry=rbd.Sphere(0.1))
    block = rbd.Inertia(3.0)
    place = rbd.Prismatic("x")
    model.add_body(
        "block", joint=place, placement=(0.36, 0, 0), inertia=block, geometry=rbd.Sphere(0.1), stiffness=50.0
    )
    model.add_contact("slider", "block", restitution=0.5)
    run = rbd.simulate(model, *closed(model), duration=0.1, dt=1e-3, contact=law, progress=False)
    assert run.contacts.driven[-1] > 0.1
    assert run.report.energy_error < most
