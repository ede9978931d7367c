"""The same call gives the same bits, whatever ran before; and a longer motion begins like a shorter one."""

import hashlib
import inspect
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit.engine.run.shapes import STATES_A_LINK

START = [2.0, 1.0, 0.5]
"""High above: from there the motion is chaotic, and another last bit is soon another motion."""


def arm(tilt: float, bodies: int = 3) -> rbd.Model:
    model = rbd.Model("arm")
    rod = rbd.Inertia(1.0, [0.01, 0.02, -0.5], np.diag([0.1, 0.1, 0.01]) + 0.001)
    for k in range(bodies):
        place = (tilt * k, 0.0, -1.0 if k else 0.0)
        model.add_body(f"b{k}", model.bodies[-1], rbd.Revolute("xyx"[k % 3]), place, rod)
    return model


def digest(q: NDArray) -> str:
    return hashlib.sha256(np.ascontiguousarray(q).tobytes()).hexdigest()


def motion(model: rbd.Model, duration: float, **options: object) -> NDArray:
    q0 = np.resize(START, model.nq)
    return rbd.simulate(model, q0, duration=duration, dt=1e-3, progress=False, **options).q


@pytest.fixture(scope="module")
def alone() -> str:
    """The motion of a process that has done nothing else."""
    code = f"""
import hashlib
import numpy as np
import rbdkit as rbd
{inspect.getsource(arm)}
q = rbd.simulate(arm(0.1), {START}, duration=3.0, dt=1e-3, progress=False).q
print(hashlib.sha256(q.tobytes()).hexdigest())
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def test_a_motion_is_the_same_after_other_work(alone):
    assert digest(motion(arm(0.1), 3.0)) == alone
    for duration in (3.0, 0.01):
        motion(arm(0.0), duration)  # of the same name, and with more zeros
        assert digest(motion(arm(0.1), 3.0)) == alone
    states = np.zeros((3 * STATES_A_LINK, 3))
    rbd.aba(arm(0.0), states, states, states)
    rbd.aba(arm(0.1), states, states, states)
    assert digest(motion(arm(0.1), 3.0)) == alone


def law(t: float, q: NDArray, v: NDArray) -> NDArray:
    return -0.1 * v + np.sin(3.0 * t)


@pytest.mark.parametrize("bodies", [3, 9])
@pytest.mark.parametrize(
    "options",
    [{}, {"integrator": "symplectic_euler"}, {"tau": rbd.traced(law)}, {"tau": np.ones(9), "every": 10}],
    ids=["rk4", "symplectic_euler", "law", "constant"],
)
def test_a_longer_motion_begins_like_a_shorter_one(bodies, options):
    """Also of more evaluations than are worth code of their own: 2500 steps of rk4 are 10,000."""
    model = arm(0.1, bodies)
    if isinstance(options.get("tau"), np.ndarray):
        options = options | {"tau": options["tau"][:bodies]}
    short, long = (motion(model, duration, **options) for duration in (0.25, 3.0))
    assert np.array_equal(long[: len(short)], short)


def test_a_member_of_a_sweep_moves_as_alone(alone):
    """Whatever the zeros of the others are."""
    model, name = arm(0.1), "b1_joint.placement"
    places = [rbd.pose(position=(tilt, 0.0, -1.0)) for tilt in (0.0, 0.1, 0.0, 0.2, 0.1, 0.3, 0.1)]
    for chunk in (None, 2):
        found = rbd.sweep(
            model, {name: places}, q0=START, duration=3.0, dt=1e-3, progress=False, chunk=chunk, threads=1
        )
        for k, place in enumerate(places):
            assert np.array_equal(found[k].q, motion(model.with_parameters({name: place}), 3.0))
        assert digest(found[1].q) == alone


@pytest.mark.parametrize("bodies", [2, 4])
@pytest.mark.parametrize("name", ["rnea", "aba", "crba", "forward_dynamics"])
def test_a_state_of_a_stack_does_not_depend_on_the_others(name, bodies):
    """As the docstring of `rbdkit` promises: the same bits in all smaller stacks and alone, and in all large ones."""
    model, rng = arm(0.1, bodies), np.random.default_rng(bodies)
    large = STATES_A_LINK * bodies
    q, v, a = rng.normal(size=(3, 3 * large + 1, bodies))

    def results(rows: NDArray) -> NDArray:
        given = (q,) if name == "crba" else (q, v, a)
        return getattr(rbd, name)(model, *(x[rows] for x in given))

    everything = results(np.arange(len(q)))
    first = results(np.arange(large - 1))
    for k in (0, 1, large - 2):
        assert np.array_equal(results(np.array(k)), first[k])
    for n, whole in (
        (2, first),
        (5, first),
        (33, first),
        (large - 1, first),
        (large, everything),
        (2 * large + 3, everything),
    ):
        rows = rng.permutation(len(whole))[:n]
        assert np.array_equal(results(rows), whole[rows])
    np.testing.assert_allclose(everything[: large - 1], first, rtol=0.0, atol=1e-13 * np.abs(first).max())
