"""Springs, drag, dry friction and torque laws inside of loops, in every formulation's compiled steps."""

import numpy as np
import pytest

import rbdkit as rbd
from tests.forces.conftest import with_forces

DT, STEPS = 1e-4, 40


def motion(case, model, formulation):
    torque = 0.3 * np.sin(1.0 + np.arange(model.nv))

    @rbd.simulation.traced
    def law(t, q, v):
        return torque * np.cos(3.0 * t) - 0.1 * v

    options = {"formulation": formulation, "tau": law, "progress": False}
    return rbd.simulate(model, case.q, case.v, STEPS * DT, DT, **options)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore::rbdkit.simulation.SimulationWarning")
def test_elements_inside_of_loops_act_alike_everywhere(seed, looped):
    """On random trees of all joint types, closed by 1 to 4 loops of all types; and they act.

    Loops are closed after each step of joint coordinates, joints of loose bodies drift by the fourth power of steps.
    """
    case = looped(seed)
    model = with_forces(case.model.with_parameters({}), seed)
    runs = {name: motion(case, model, name) for name in ("joint", "se3", "so3xr3", "bodywise")}
    for name, run in runs.items():
        assert "compiled loop" in run.report.backend, (name, run.report.backend)
    bare = motion(case, case.model, "joint").poses()[-1]
    in_joints = runs.pop("joint").poses()[-1]
    assert np.abs(in_joints - bare).max() > 1e-5
    for name, run in runs.items():
        assert run.poses()[-1] == pytest.approx(in_joints, rel=0, abs=1e-11), name
