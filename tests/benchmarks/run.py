"""How fast rbdkit's engine is beside Pinocchio and, where it is installed, MuJoCo, in one run on one machine.

    python tests/benchmarks/run.py                    everything, some minutes
    python tests/benchmarks/run.py compute batch      these parts only

Every contender is checked against Pinocchio before it is timed. Numbers in brackets are ratios of medians of
interleaved bursts, larger is better for rbdkit; read them as +-10 %, and only within one run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from models import MODELS, states
from numpy.typing import NDArray
from peers import Mujoco, Pinocchio, mujoco, python_loop
from timing import machine, race, row

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run.kernels import UNROLLED_LINKS, UNROLLED_STATES
from rbdkit.engine.run.recipes import Task
from rbdkit.integrators import RK4
from rbdkit.model import Model

METHOD = RK4.A, RK4.b
STATES = 64


def agree(ours: NDArray, theirs: NDArray, what: str) -> None:
    """Stop unless two results are the same to round-off."""
    error = np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))
    if not error < 1e-9:
        raise SystemExit(f"{what}: results differ by {error:.1e}; there is nothing to time")


def forms(model: Model) -> dict[str, int]:
    """The forms of code that a model has, and a number of states that asks for each."""
    return {"loop": 1, "straight": UNROLLED_STATES} if len(model.bodies) - 1 <= UNROLLED_LINKS else {"loop": 1}


def dynamics(model: Model) -> None:
    """Forward and inverse dynamics of 64 states, from compiled loops on both sides."""
    peer, kernels = Pinocchio(model), Kernels(model, "llvm")
    q, v, x = states(model, STATES)
    theirs = [np.asfortranarray(a.T) for a in (peer.q(q), peer.v(v), peer.v(x))]
    pool = pin.ModelPool(peer.model, 1)

    def one(algorithm: str, given: str, result: str, parallel: Callable[..., NDArray]) -> None:
        reference, out = peer.v(np.ascontiguousarray(parallel(1, pool, *theirs).T)), np.zeros_like(v)
        contenders: dict[str, Callable[[], object]] = {"pin": lambda: parallel(1, pool, *theirs)}
        for form, work in forms(model).items():
            arrays = {"q": q, "v": v, given: x, result: out}
            contenders[form] = kernels.bind(Task(algorithm), arrays, {"states": STATES}, work)
            contenders[form]()
            agree(out, reference, f"{model.name} {algorithm} {form}")
        print(row(f"{model.name} {algorithm}", race(contenders, 60, 1e9 / STATES)))

    one("aba", "tau", "qdd", pin.abaInParallel)
    one("rnea", "qdd", "tau", pin.rneaInParallel)


def inertia_matrix(model: Model) -> None:
    """Pinocchio has no stacked form, so it is called from Python; what such a call costs by itself is taken off."""
    peer, nobody, kernels = Pinocchio(model), Pinocchio(Model()), Kernels(model, "llvm")
    q, _, _ = states(model, STATES)
    theirs, nothing, out = peer.q(q), np.zeros(0), np.zeros((STATES, model.nv, model.nv))
    contenders: dict[str, Callable[[], object]] = {
        "pin": lambda: [pin.crba(peer.model, peer.data, x) for x in theirs],
        "call": lambda: [pin.crba(nobody.model, nobody.data, nothing) for _ in theirs],
    }
    H = pin.crba(peer.model, peer.data, theirs[-1]).copy()
    for form, work in forms(model).items():
        contenders[form] = kernels.bind(Task("crba"), {"q": q, "H": out}, {"states": STATES}, work)
        contenders[form]()
        agree(out[-1], peer.v(peer.v(np.triu(H) + np.triu(H, 1).T).T), f"{model.name} crba {form}")
    times = race(contenders, 60, 1e9 / STATES)
    times["pin"] -= times.pop("call")
    print(row(model.name, times))


def batch(model: Model) -> None:
    """4096 different states in one call."""
    peer, kernels = Pinocchio(model), Kernels(model, "llvm")
    q, v, tau = states(model, 4096)
    theirs = [np.asfortranarray(a.T) for a in (peer.q(q), peer.v(v), peer.v(tau))]
    pool = pin.ModelPool(peer.model, 1)
    reference = peer.v(np.ascontiguousarray(pin.abaInParallel(1, pool, *theirs).T))
    agree(kernels.aba(q, v, tau), reference, f"{model.name} batch")
    contenders = {"pin": lambda: pin.abaInParallel(1, pool, *theirs), "rbdkit": lambda: kernels.aba(q, v, tau)}
    print(row(model.name, race(contenders, 20, 1e9 / 4096)))


def trajectory(model: Model) -> None:
    """5 s of RK4 at 1 kHz, all states recorded."""
    peer, kernels, dt, steps = Pinocchio(model), Kernels(model, "llvm"), 1e-3, 5000
    q, v, _ = (x[0] for x in states(model, 1, seed=3))
    v, times, tau = 0.2 * v, dt * np.arange(steps + 1), np.zeros(model.nv)

    def ours() -> NDArray:
        return engine.simulate(kernels, q, v, times, METHOD, tau).q

    agree(ours()[:200], python_loop(peer, q, v, dt, 199), f"{model.name} trajectory")
    contenders: dict[str, Callable[[], object]] = {
        "pin in Python": lambda: python_loop(peer, q, v, dt, steps),
        "rbdkit": ours,
    }
    library = mujoco()
    if library is not None:
        other = Mujoco(library, model, dt)
        state = other.state(q, v)
        contenders["mujoco.rollout"] = lambda: library.rollout.rollout(other.model, other.data, state, nstep=steps)
    times_of = race(contenders, 5, 1e3)
    theirs = times_of.pop("mujoco.rollout", None)
    print(row(model.name, times_of))
    if theirs is not None:
        print(row("", {"mujoco.rollout": theirs, "rbdkit": times_of["rbdkit"]}))


def call(model: Model) -> None:
    """One state from Python."""
    peer, kernels = Pinocchio(model), Kernels(model, "llvm")
    q, v, tau = (x[0] for x in states(model, 1))
    theirs = peer.q(q), peer.v(v), peer.v(tau)
    contenders = {
        "pin.aba": lambda: [pin.aba(peer.model, peer.data, *theirs) for _ in range(100)],
        "kernels.aba": lambda: [kernels.aba(q, v, tau) for _ in range(100)],
        "rbd.aba": lambda: [rbd.aba(model, q, v, tau) for _ in range(100)],
    }
    print(row(model.name, race(contenders, 20, 1e6 / 100)))


START = """
import numpy as np
from models import humanoid
from rbdkit import engine
model = humanoid()
engine.kernels_for(model).aba(model.neutral(), np.zeros(30), np.zeros(30))
"""


def start() -> None:
    """Fresh processes, one after the other, up to the first aba of a humanoid."""
    programs = {"import numpy": "import numpy", "no cache": START, "cache": START}
    with tempfile.TemporaryDirectory() as folder:
        for kind, program in programs.items():
            seconds = []
            for attempt in range(7):
                cache = Path(folder, kind if kind == "cache" else f"{kind} {attempt}")
                begun = time.perf_counter()
                subprocess.run(
                    [sys.executable, "-c", program],
                    cwd=Path(__file__).parent,
                    env={**os.environ, "RBDKIT_CACHE_DIR": str(cache)},
                    check=True,
                )
                seconds.append(time.perf_counter() - begun)
            print(f"{kind:<18} {np.median(seconds):.3f}")


def slider() -> None:
    """A mass changes, and 10 s of a double pendulum are simulated again, in steps of 1 ms."""
    model, rng = rbd.library.double_pendulum(), np.random.default_rng(0)
    times, tau = 1e-3 * np.arange(10_001), np.zeros(model.nv)
    name = next(name for name in model.parameters if name.endswith(".mass"))

    def drag() -> None:
        changed = model.with_parameters({name: rng.uniform(1.0, 2.0)})
        kernels = engine.kernels_for(changed)
        assert kernels is not None
        engine.simulate(kernels, np.array([0.5, 0.5]), tau, times, METHOD, tau)

    print(f"{'a drag':<18} {race({'drag': drag}, 20, 1e3)['drag']:.2f}")


ARMS, ALL = ("arm7", "humanoid30", "chain100"), tuple(MODELS)
PARTS: dict[str, tuple[str, Callable[..., None], tuple[str, ...]]] = {
    "compute": ("aba and rnea against abaInParallel, rneaInParallel with one thread, ns a state", dynamics, ALL),
    "crba": ("inertia matrix against pin.crba called from Python less the cost of a call, ns", inertia_matrix, ALL),
    "batch": ("4096 states in one call of aba against abaInParallel with one thread, ns a state", batch, ALL),
    "trajectory": ("5000 recorded RK4 steps against the same loop over Pinocchio in Python, ms", trajectory, ARMS[:2]),
    "call": ("one call of aba from Python, us", call, ARMS),
    "start": ("a fresh process up to the first aba of a humanoid, s", start, ()),
    "slider": ("a mass changes, 10 s of a double pendulum at 1 kHz again, ms", slider, ()),
}


def main() -> None:
    unknown = set(sys.argv[1:]) - set(PARTS)
    if unknown:
        raise SystemExit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    print(machine())
    for part in sys.argv[1:] or PARTS:
        title, function, names = PARTS[part]
        print(f"\n{part}: {title}")
        for name in names:
            function(MODELS[name]())
        if not names:
            function()


if __name__ == "__main__":
    main()
