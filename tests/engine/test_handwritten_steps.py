"""Steps written into programs by hand: their arrays have names of their own, and indices are proved to lie inside."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.integrators import OneStep, Stage, State
from rbdkit.library import double_pendulum, tumbling_box, tumbling_box_state
from rbdkit.trace import Moment, Part


class Verlet(OneStep):
    """Half a kick, a drift, half a kick: nothing of it is known to rbdkit."""

    name = "verlet"
    order = 1

    def step(self, system, state, h):
        half = state.v + 0.5 * h * system.rate(state.t, state.x, state.v)
        x = system.move(state.x, h * half)
        return State(state.t + h, x, half + 0.5 * h * system.rate(state.t + h, x, half))

    def stages(self, system, state, h):
        return [Stage(state.t, state.x, state.v, state.v, system.rate(state.t, state.x, state.v))]

    @staticmethod
    def record(system, n):
        program, x_new = system.program, Part("x_new")
        v, half, u, rate, v_new = (Part(name) for name in ("v", "half", "u", "v_rate", "v_new"))

        def kick(s, x, start, end):
            moment = Moment(program, n, s)
            system.rate(moment, x, start, rate)
            program.store("h", 0, 0, moment.h)
            for k in system.freedoms():
                faster = start.load(program, k) + 0.5 * program.load("h", 0) * rate.load(program, k)
                end.store(program, k, faster)

        kick(0, Part("x"), v, half)
        for k in system.freedoms():
            u.store(program, k, program.load("h", 0) * half.load(program, k))
        system.move(Part("x"), u, x_new)
        kick(1, x_new, half, v_new)

    @property
    def written_out(self):
        return self.record

    def arrays(self, nx, nv):
        return {"c": np.array([0.0, 1.0]), "h": np.zeros(1), **{x: np.zeros(nv) for x in ("half", "u", "v_rate")}}


def law(t, q, v):
    return np.sin(40.0 * t) - 0.3 * v


CASES = {
    "joint": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "se3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "so3xr3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "quaternion": (tumbling_box(), *tumbling_box_state(), None),
    "local_velocity": (tumbling_box(), *tumbling_box_state(), None),
}


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        ("rows", "joint"),
        ("tau", "joint"),
        ("supports", "joint"),
        ("numbers", "quaternion"),
        ("IA", "se3"),
        ("x_new", "se3"),
    ],
)
def test_an_array_that_others_have_is_refused(name, formulation):
    class Clashing(Verlet):
        """With an array of a name that means something else already."""

        def arrays(self, nx, nv):
            return {**super().arrays(nx, nv), name: np.zeros(1)}

    model = tumbling_box() if formulation == "quaternion" else double_pendulum()
    with pytest.raises(rbd.SimulationError, match=rf"Clashing\.arrays has '{name}'"):
        rbd.simulate(model, duration=0.01, integrator=Clashing(), formulation=formulation)


def spoiled(array, index=0, size=None):
    """Verlet's method, whose record reads a number of an array more. size : of the array, if it is wrong."""

    class Spoiled(Verlet):
        name = "spoiled"

        @staticmethod
        def record(system, n):
            for k in system.freedoms():
                system.program.store("h", 0, 0, system.program.load(array, k, index))
            Verlet.record(system, n)

        def arrays(self, nx, nv):
            return {**super().arrays(nx, nv), **({} if size is None else {array: np.zeros(size)})}

    return Spoiled()


@pytest.mark.parametrize("formulation", CASES)
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (spoiled("half", 10**7), "'spoiled'.*half.10000000.*the array has"),
        (spoiled("half", 1), r"half.*numbers, half.0. to half"),
        (spoiled("u", 0, 1), r"u.0. to u.*the array has 1 number"),
        (spoiled("v_rat"), "'v_rat'.*there are.*'v_rate'"),
        (spoiled("half", -1), r"half.-1."),
    ],
)
def test_a_wrong_index_is_refused_by_name(formulation, fault, told):
    """Compiled code would read beside the array, and end the process."""
    model, q, v, _ = CASES[formulation]
    with pytest.raises(rbd.SimulationError, match=told):
        rbd.simulate(model, q, v, duration=0.1, dt=1e-2, formulation=formulation, integrator=fault)


def test_it_is_refused_inside_other_methods_too():
    q, v = [0.4, -0.7], [0.3, 1.0]
    with pytest.raises(rbd.SimulationError, match="half"):
        rbd.simulate(double_pendulum(), q, v, duration=0.1, formulation="redmax", integrator=spoiled("half", 5))


def test_other_numbers_of_a_known_method_are_not_asked():
    class Softer(rbd.integrators.GeneralizedAlpha):
        name = "softer"

    motion = rbd.simulate(double_pendulum(), [0.4, -0.7], duration=0.01, formulation="maximal", integrator=Softer())
    assert "compiled loop" in motion.report.backend


PLACE = 0


class ByAGlobal(Verlet):
    name = "by_a_global"

    @staticmethod
    def record(system, n):
        with system.program.loop(0, 1) as k:
            system.program.store("h", 0, 0, system.program.load("half", k, PLACE))
        Verlet.record(system, n)


def test_what_was_proved_is_proved_again_when_its_code_means_something_else(monkeypatch):
    def run():
        return rbd.simulate(double_pendulum(), [0.4, -0.7], duration=0.01, dt=1e-3, integrator=ByAGlobal())

    assert "compiled loop" in run().report.backend
    monkeypatch.setattr(f"{__name__}.PLACE", 77)
    with pytest.raises(rbd.SimulationError, match=r"half.77"):
        run()
