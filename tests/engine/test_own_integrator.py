"""An integrator of one's own, written as CONTRIBUTING.md says, runs compiled wherever systems record themselves."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import engine
from rbdkit.integrators import OneStep, Stage, State, records
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


class FromPython(Verlet):
    """The same, stepped from Python: its steps are its own, what it would record is not."""

    name = "verlet_from_python"

    def step(self, system, state, h):
        return super().step(system, state, h)


def law(t, q, v):
    return np.sin(40.0 * t) - 0.3 * v


CASES = {
    "joint": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "se3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "so3xr3": (double_pendulum(), [0.4, -0.7], [0.3, 1.0], law),
    "quaternion": (tumbling_box(), *tumbling_box_state(), None),
    "local_velocity": (tumbling_box(), *tumbling_box_state(), None),
}


@pytest.mark.filterwarnings("ignore::rbdkit.simulation.simulate.SimulationWarning")
@pytest.mark.parametrize("formulation", CASES)
def test_it_runs_compiled_in_every_formulation(formulation):
    model, q, v, tau = CASES[formulation]
    motions = [
        rbd.simulate(
            model, q, v, duration=0.02, dt=1e-3, integrator=method, formulation=formulation,
            tau=tau and mark(tau), progress=False,
        )
        for method, mark in ((Verlet(), rbd.traced), (FromPython(), rbd.untraced))
    ]  # fmt: skip
    assert records(Verlet()) and not records(FromPython())
    assert "compiled loop" in motions[0].report.backend and "Python" in motions[1].report.backend
    np.testing.assert_allclose(motions[0].q[-1], motions[1].q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motions[0].v[-1], motions[1].v[-1], rtol=0, atol=1e-12)


def test_it_runs_in_lanes_and_in_web_pages(wasm, tree, kernels, off):
    model, times = tree("plain"), 1e-3 * np.arange(11)
    rng = np.random.default_rng(0)
    q, v, tau = (rng.normal(size=(5, model.nv)) for _ in range(3))
    alone = [engine.simulate(kernels("plain", "llvm"), q[k], v[k], times, Verlet(), tau[k]) for k in range(5)]
    there = engine.simulate(kernels("plain", "wasm"), q[0], v[0], times, Verlet(), tau[0])
    assert off(there.q, alone[0].q) < 1e-13 and off(there.v, alone[0].v) < 1e-12
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rbdkit.engine.run.ensemble.LANE_STAGES", 1)
        own = [kernels("plain", "llvm")] * 5
        together = engine.simulate_many(own, q, v, times, Verlet(), tau[:, None])
    assert together[0].lanes > 1
    for one, other in zip(together, alone, strict=True):
        assert off(one.q, other.q) < 1e-13 and off(one.v, other.v) < 1e-12
    package = engine.packaged(model, Verlet())
    assert "half" in package["programs"]["simulate"]["arrays"]


def test_its_motion_of_a_model_from_a_file_is_shown(tmp_path):
    rbd.save(double_pendulum(), tmp_path / "pendulum.json")
    model = rbd.load(tmp_path / "pendulum.json")
    options = {"duration": 0.05, "dt": 1e-3, "progress": False}
    run = rbd.simulate(model, [0.4, -0.7], integrator=Verlet(), **options)
    exact = rbd.simulate(model, [0.4, -0.7], integrator="rk4", **options)
    assert "compiled loop" in run.report.backend and run.report.integrator == Verlet.name
    assert 0.0 < np.abs(run.q - exact.q).max() < 1e-4
    view = rbd.show(run)
    assert np.array_equal(view.trajectory.q, run.q)
    view.close()


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
