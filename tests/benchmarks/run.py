"""How fast rbdkit's engine is beside Pinocchio and, where it is installed, MuJoCo, in one run on one machine.

    python tests/benchmarks/run.py                    everything, some minutes
    python tests/benchmarks/run.py call simulate      these parts only
    python tests/benchmarks/run.py --busy             by the processor's time, where other programs run besides
    python tests/benchmarks/run.py --avx2             by code for AVX2, where the processor knows AVX-512

All goes into one table, what users call first, kernels second. Every contender is checked against Pinocchio before it
is timed. Ratios are those of medians of interleaved bursts, larger is better for rbdkit; read them as +-10 %, and only
within one run.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

try:
    import pinocchio as pin
except ImportError:
    raise SystemExit("the benchmarks compare with Pinocchio, which is not here: pip install 'rbdkit[test]'") from None
from limit import micro_kernel, straight_line_cost
from models import MODELS, humanoid, states
from numpy.typing import NDArray
from peers import Mujoco, Pinocchio, PinocchioPanda, mujoco, python_loop
from processor import take_for_avx2
from timing import heading, machine, rows
from timing import race as race_by

import rbdkit as rbd
from rbdkit import engine
from rbdkit.engine import Kernels
from rbdkit.engine.run import shapes
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.shapes import STATES_A_LINK, UNROLLED_LINKS
from rbdkit.engine.steps.sizes import row_length
from rbdkit.integrators import RK4
from rbdkit.model import Model
from rbdkit.trace import Run
from rbdkit.trace.run import native
from rbdkit.trace.run.lanes import blank

BUSY, AVX2 = "--busy" in sys.argv, "--avx2" in sys.argv
"""Whether the processor's time counts, which tells nothing of threads; whether code is made for AVX2."""
if AVX2:
    take_for_avx2()
race = partial(race_by, clock=time.process_time if BUSY else time.perf_counter)

METHOD = RK4()
READY = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.8, 0.02])
"""A pose of a Panda, rad and m."""
STATES = 64


def agree(ours: NDArray, theirs: NDArray, what: str) -> None:
    """Stop unless two results are the same to round-off."""
    error = np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))
    if not error < 1e-9:
        raise SystemExit(f"{what}: results differ by {error:.1e}; there is nothing to time")


def forms(model: Model) -> dict[str, int]:
    """The forms of code that a model has, and a number of states that asks for each."""
    links = len(model.bodies) - 1
    return {"loop": 1, "straight": STATES_A_LINK * links} if links <= UNROLLED_LINKS else {"loop": 1}


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
        print(
            rows(f"{algorithm}, {STATES} states in a loop, ns a state", model.name, race(contenders, 60, 1e9 / STATES))
        )

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
    print(rows("crba in a loop, ns a state", model.name, times))


def derivatives(model: Model) -> None:
    """Jacobians by q, v, and accelerations or forces; the cost of a call is taken off as for `inertia_matrix`.

    Of 8 states at a time: a burst of more would not end before a busy machine does something else.
    """
    peer, nobody, kernels = Pinocchio(model), Pinocchio(Model()), Kernels(model, "llvm")
    q, v, x = states(model, n := 8)
    theirs, nothing, nv = list(zip(peer.q(q), peer.v(v), peer.v(x), strict=True)), np.zeros(0), model.nv
    for name, theirs_of, given in (
        ("rnea", pin.computeRNEADerivatives, "qdd"), ("aba", pin.computeABADerivatives, "tau"),
    ):  # fmt: skip
        shape = n, nv, row_length(3 * nv)
        out, qdd = blank(math.prod(shape), 1).reshape(shape), np.zeros_like(v)
        arrays = {"q": q, "v": v, "qdd": qdd, given: x, "derivatives": out}
        run = kernels.bind(Task(f"{name}_jacobian"), arrays, {"states": n}, 1)
        run()
        blocks = [np.array(block) for block in theirs_of(peer.model, peer.data, *theirs[-1])]
        if name == "aba":
            blocks[2] = np.triu(blocks[2]) + np.triu(blocks[2], 1).T
        for k, block in enumerate(blocks[: 2 + (name == "aba")]):
            agree(out[-1][:, k * nv : (k + 1) * nv], peer.v(peer.v(block.T).T), f"{model.name} d {name}")
        times = race({
            "pin": lambda of=theirs_of: [of(peer.model, peer.data, *one) for one in theirs],
            "call": lambda of=theirs_of: [of(nobody.model, nobody.data, nothing, nothing, nothing) for _ in theirs],
            "loop": run,
        }, 60, 1e9 / n)  # fmt: skip
        times["pin"] -= times.pop("call")
        print(rows(f"d({name}) in a loop, ns a state", model.name, times))


def batch(model: Model) -> None:
    """4096 different states in one call, of the kernels and of the public function, which checks them."""
    peer, kernels = Pinocchio(model), Kernels(model, "llvm")
    q, v, tau = states(model, 4096)
    theirs = [np.asfortranarray(a.T) for a in (peer.q(q), peer.v(v), peer.v(tau))]
    pool = pin.ModelPool(peer.model, 1)
    reference = peer.v(np.ascontiguousarray(pin.abaInParallel(1, pool, *theirs).T))

    def loop() -> NDArray:
        with patch.object(shapes, "STATES_A_LINK", 4096):
            return kernels.aba(q, v, tau)

    out = np.empty_like(v)
    ours: dict[str, Callable[[], NDArray]] = {
        "rbd.aba": lambda: rbd.aba(model, q, v, tau),
        "with out": lambda: rbd.aba(model, q, v, tau, out=out),
        "two threads": lambda: rbd.aba(model, q, v, tau, out=out, threads=2),
        "its kernel": lambda: kernels.aba(q, v, tau),
        "loop": loop,
    }
    if BUSY:
        del ours["two threads"]
    for form, compute in ours.items():
        agree(compute(), reference, f"{model.name} batch {form}")
    times = race({"abaInParallel": lambda: pin.abaInParallel(1, pool, *theirs), **ours}, 20, 1e9 / 4096)
    print(rows("aba, 4096 states in a call, ns a state", model.name, times))


def limit(model: Model) -> None:
    """Straight-line aba against what the processor can do; one state at a time, and in lanes."""
    peer, kernels, cost = Pinocchio(model), Kernels(model, "llvm"), straight_line_cost(model, "aba")
    straight = STATES_A_LINK * (len(model.bodies) - 1)
    for width, n in {1: STATES, native.machine().lanes: max(4096, straight)}.items():
        q, v, tau = states(model, n)
        arrays = {"q": q, "v": v, "tau": tau, "qdd": np.zeros_like(v)}
        one_by_one = kernels.bind(Task("aba"), arrays, {"states": n}, straight)
        peak, fused = micro_kernel(width)
        mix, mixed = micro_kernel(width, cost)
        aba = one_by_one if width == 1 else partial(kernels.aba, q, v, tau)
        aba()
        theirs = [np.asfortranarray(x[:STATES].T) for x in (peer.q(q), peer.v(v), peer.v(tau))]
        reference = peer.v(np.ascontiguousarray(pin.abaInParallel(1, pin.ModelPool(peer.model, 1), *theirs).T))
        agree((arrays["qdd"] if width == 1 else aba())[:STATES], reference, f"{model.name} limit")
        times = race({"peak": peak, "mix": mix, "aba": aba}, 60 if width == 1 else 20, 1e9)
        alone = {  # ns a state
            "fused operations": times["peak"] * cost.operations / (2 * width * fused),
            "its instructions": times["mix"] * cost.instructions / (mixed * width),
            "straight": times["aba"] / n,
        }
        print(rows(f"limit of aba, {width} lane{'s' * (width > 1)}, ns a state", model.name, alone))


def ensemble(model: Model) -> None:
    """16 models with other masses, each moving 1 s from a state of its own, in steps of 1 ms."""
    rng, members = np.random.default_rng(4), 16
    masses = [name for name in model.parameters if name.endswith(".mass")]
    models = [model.with_parameters({name: rng.uniform(1.0, 2.0) for name in masses}) for _ in range(members)]
    kernels = [Kernels(own, "llvm") for own in models]
    q, v, _ = states(model, members)
    v, times, tau = 0.2 * v, 1e-3 * np.arange(1001), np.zeros(model.nv)

    def alone() -> list[Run]:
        return [engine.simulate(kernels[k], q[k], v[k], times, METHOD, tau) for k in range(members)]

    def together(threads: int = 1) -> list[Run]:
        return engine.simulate_many(kernels, q, v, times, METHOD, tau, threads=threads)

    for one, other in zip(together(), alone(), strict=True):
        agree(one.q[:200], other.q[:200], f"{model.name} ensemble")
    contenders = {"one by one": alone, "together": together, **({} if BUSY else {"2 threads": lambda: together(2)})}
    print(rows("1000 RK4 steps of 16 models, ms each", model.name, race(contenders, 7, 1e3 / members)))


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
    own = times_of.pop("rbdkit")
    for rival, theirs in times_of.items():
        print(rows("5000 RK4 steps, the loop alone, ms", model.name, {rival: theirs, "rbdkit": own}))


def simulate(model: Model) -> None:
    """1 s and 5 s of RK4 at 1 kHz by the public call, with its checks and its report, and the loop in it."""
    panda, kernels, dt = model.name == "panda", kernels_of(model), 1e-3
    peer = PinocchioPanda(model) if panda else Pinocchio(model)
    q, v, _ = (x[0] for x in states(model, 1, seed=3))
    v, tau = 0.2 * v, np.zeros(model.nv)
    if panda:
        q, locked = READY, PinocchioPanda(model, locked=True)
    for steps, rounds in ((1000, 10), (5000, 5)):
        times = dt * np.arange(steps + 1)

        def ours(steps: int = steps) -> NDArray:
            return rbd.simulate(model, q, v, duration=dt * steps, dt=dt, progress=False).q

        agree(ours()[:200], python_loop(peer, q, v, dt, 199), f"{model.name} simulate")
        contenders: dict[str, Callable[[], object]] = {
            "pin in Python": partial(python_loop, peer, q, v, dt, steps),
            "rbd.simulate": ours,
            "its loop": partial(engine.simulate, kernels, q, v, times, METHOD, tau, kind="rk4"),
        }
        if panda:
            contenders["fingers locked"] = partial(python_loop, locked, q[:7], v[:7], dt, steps)
        times_of = race(contenders, rounds, 1e3)
        others = {name: times_of.pop(name) for name in [*times_of] if name == "fingers locked"}
        own = {name: times_of[name] for name in ("rbd.simulate", "its loop")}
        print(rows(f"{steps} RK4 steps, ms", model.name, times_of))
        for rival, theirs in others.items():
            print(rows(f"{steps} RK4 steps, ms", model.name, {f"pin, {rival}": theirs, **own}))


def call(model: Model) -> None:
    """One state from Python."""
    peer, kernels = Pinocchio(model), Kernels(model, "llvm")
    q, v, tau = (x[0] for x in states(model, 1))
    theirs = peer.q(q), peer.v(v), peer.v(tau)
    contenders = {
        "pin.aba": lambda: [pin.aba(peer.model, peer.data, *theirs) for _ in range(100)],
        "rbd.aba": lambda: [rbd.aba(model, q, v, tau) for _ in range(100)],
        "kernels.aba": lambda: [kernels.aba(q, v, tau) for _ in range(100)],
    }
    print(rows("aba, one state in a call, us", model.name, race(contenders, 20, 1e6 / 100)))


START = """
import numpy as np, rbdkit as rbd
from robot import model
rbd.aba(model, model.neutral(), np.zeros(model.nv), np.zeros(model.nv))
"""


def written(model: Model) -> str:
    """A tree of plain bodies as a file of Python that makes it again."""
    lines = ["import rbdkit as rbd", f"model = rbd.Model({model.name!r})"]
    for body in model.bodies[1:]:
        parent, I, place = model.bodies[body.parent].name, body.inertia, body.joint.placement.tolist()
        assert I is not None
        about = f"rbd.Inertia({I.mass}, {I.com.tolist()}, {I.inertia_com.tolist()})"
        lines.append(f"model.add_body({body.name!r}, {parent!r}, rbd.{body.joint.type!r}, {place}, {about})")
    return "\n".join(lines)


def _spent_by_processes() -> float:
    """A clock for those that have been started and ended, s."""
    so_far = os.times()
    return so_far.children_user + so_far.children_system if BUSY else so_far.elapsed


def start() -> None:
    """Fresh processes in turn, up to the first aba of a humanoid and not to their end.

    Byte code lies ready, as after an installation.
    """
    programs = {"import pinocchio": "import pinocchio"}
    programs |= {"no cache": START, "cache": START}
    seconds: dict[str, list[float]] = {kind: [] for kind in programs}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "robot.py").write_text(written(humanoid()))  # numbers: to make some at random takes NumPy 10 ms
        for attempt in range(10):
            for kind, program in programs.items():
                cache = kind if kind == "cache" else f"{kind} {attempt}"
                environment = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
                environment |= {"PYTHONPATH": str(Path(rbd.__file__).parents[1])}
                environment |= {"PYTHONPYCACHEPREFIX": f"{folder}/code", "RBDKIT_CACHE_DIR": f"{folder}/{cache}"}
                program += "\nimport os; os._exit(0)"
                begun = _spent_by_processes()
                subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, check=True)
                seconds[kind].append(_spent_by_processes() - begun)
    medians = {kind: float(np.median(times[1:])) for kind, times in seconds.items()}  # the first fills the folders
    print(rows("fresh process to a humanoid's first aba, s", "humanoid30", medians))


def kernels_of(model: Model) -> Kernels:
    """Those that public functions take."""
    kernels = engine.kernels_for(model)
    assert kernels is not None
    return kernels


def slider() -> None:
    """A mass changes, and 10 s of a double pendulum are simulated again, in steps of 1 ms."""
    model, rng = rbd.library.double_pendulum(), np.random.default_rng(0)
    times, tau = 1e-3 * np.arange(10_001), np.zeros(model.nv)
    name = next(name for name in model.parameters if name.endswith(".mass"))

    def drag() -> None:
        changed = model.with_parameters({name: rng.uniform(1.0, 2.0)})
        engine.simulate(kernels_of(changed), np.array([0.5, 0.5]), tau, times, METHOD, tau)

    same = kernels_of(model)
    times_of = race({
        "same mass": lambda: engine.simulate(same, np.array([0.5, 0.5]), tau, times, METHOD, tau), "drag": drag,
    }, 20, 1e3)  # fmt: skip
    print(rows("10 s at 1 kHz after a mass changed, ms", model.name, times_of))


STRAIGHT = ("chain7", "arm7")
ARMS, ALL = ("arm7", "humanoid30", "chain100"), tuple(name for name in MODELS if name != "panda")
CALLS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "call": (call, ARMS),  # of one state, from Python on both sides
    "batch": (batch, ALL),  # by one thread, and by two
    "simulate": (simulate, ("arm7", "panda", "humanoid30")),  # against the same loop over Pinocchio in Python
    "start": (start, ()),
    "slider": (slider, ()),
}
"""What users call."""
KERNELS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "compute": (dynamics, ALL),
    "crba": (inertia_matrix, ALL),
    "derivatives": (derivatives, ALL),
    "limit": (limit, STRAIGHT),  # against fused operations alone, and against its own instructions if none waited
    "ensemble": (ensemble, ARMS),  # in lanes, against one by one
    "trajectory": (trajectory, ARMS[:2]),
}
PARTS = {**CALLS, **KERNELS}


def main() -> None:
    asked = [part for part in sys.argv[1:] if part not in ("--busy", "--avx2")]
    unknown = set(asked) - set(PARTS)
    if unknown:
        raise SystemExit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    how = f"{', busy: processor time' if BUSY else ''}{', code for AVX2' if AVX2 else ''}"
    print(f"{machine()}{how}\n\n{heading()}")
    for part in [part for part in PARTS if part in asked or not asked]:
        function, names = PARTS[part]
        for name in names:
            function(MODELS[name]())
        if not names:
            function()


if __name__ == "__main__":
    main()
