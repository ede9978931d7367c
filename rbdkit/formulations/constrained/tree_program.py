"""Munthe-Kaas steps of constrained bodies as a program: what `bodies` does with arrays, on scalars.

The saddle-point system of a tree need not be assembled. Eliminated body by body from the tips, reactions first, it is
the articulated-body recursion with relative poses X that come from the bodies' poses, whether or not these obey the
joints, and with the velocity products c of the constraints: T^T (V' - Ad(X^-1) V_P') = T^T c. `loop_program` adds the
reactions of loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from rbdkit.engine.steps.articulated import Articulated
from rbdkit.engine.steps.manifold import exp, jacobian_inverse, quaternion_matrix
from rbdkit.engine.steps.stepping import LARGEST, LARGEST_TURN
from rbdkit.formulations.constrained.elimination import accelerate, eliminate_joint
from rbdkit.formulations.constrained.loop_program import Loops
from rbdkit.formulations.constrained.program_body import INERTIA, RATES, Kind, ProgramBody
from rbdkit.spatial.vector3 import Matrix, Symmetric, Vector, cross, dot
from rbdkit.trace import Backend, Executable, Index, Program, Scalar, Whole, executable, select


@lru_cache(maxsize=32)
def program_of(kinds: tuple[Kind, ...], groups: tuple[str, ...], loops: bool, backend: Backend) -> Executable:
    """Code that takes ``records * every`` steps from the state "x", "v" and writes down every so many states.

    It stops before the first state that is not finite and leaves the last finite one. "done" counts the steps. The
    tables "kinds" and "groups" have an entry for each body, "parents" its parent's row. loops : whether there are any.
    """
    steps = _Steps(kinds, groups, loops)
    program, every = steps.program, steps.program.count("every")
    program.store("done", 0, 0, 0.0)
    with program.loop(0, program.count("records")) as record:
        with program.loop(0, every) as k:
            steps.step(record * every + program.count("first") + k)
            program.leave_if(select(program.load("scratch", 0, 1) < LARGEST * LARGEST, 0.0, 1.0) > 0.5)
            steps.copy("_new", "", 0)
            program.store("done", 0, 0, program.load("done", 0) + 1.0)
        steps.copy("", "_record", record)
    return executable(program, backend)


class _Steps:
    """The parts of a step, recorded one after the other."""

    def __init__(self, kinds: tuple[Kind, ...], groups: tuple[str, ...], loops: bool) -> None:
        self.kinds, self.groups = kinds, groups
        self.program = Program("constrained_bodies")
        self.n = self.program.count("bodies")
        self.loops = Loops(self.program, self.bodies, self.of_kind) if loops else None

    @contextmanager
    def bodies(self, inward: bool = False) -> Iterator[ProgramBody]:
        """Each body, parents before children, or the other way round."""
        with self.program.loop(0, self.n) as k:
            yield ProgramBody(self.program, self.n - k - 1 if inward else k)

    def step(self, number: Index) -> None:
        """Stages and result (Müller and Terze 2013, Eq 37); the squares of the new state go to "scratch" 1."""
        program = self.program
        stages = program.count("stages")
        with program.loop(0, stages) as s:
            self.add_up(number, s, "v_stage")
            self.place_bodies(s)
            self.rates(s)
        self.add_up(number, stages, "v_new")
        program.store("scratch", 0, 1, 0.0)
        with self.bodies() as body:
            for group in self.of_group(body):
                R, r = moved(group, *pose(body.state("x", 12)), body.state("u", 6))
                body.put_state("x_new", [*R.flat(), *r])
                turn = Vector(body.state("u", 6)[:3])
                far = select(dot(turn, turn) < LARGEST_TURN * LARGEST_TURN, 0.0, 2.0 * LARGEST * LARGEST)
                total = program.load("scratch", 0, 1) + far
                program.store("scratch", 0, 1, total + dot(r, r) + dot(body.state("v_new", 6), body.state("v_new", 6)))

    def add_up(self, number: Index, row: Index, v_sum: str) -> None:
        """u and v_sum from the rates of the stages so far, with the weights of a row of the tableau."""
        program = self.program
        with self.bodies() as body:
            body.put_state("u", [0.0] * 6)
            body.put_state(v_sum, body.state("v", 6))
        with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
            h = program.load("times", number, 1) - program.load("times", number, 0)
            program.store("scratch", 0, 0, h * program.load("weights", term))
            start = program.entry("terms", term) * self.n * 6
            with self.bodies() as body:
                for target, rates in (("u", "u_rates"), (v_sum, "v_rates")):
                    weight = program.load("scratch", 0, 0)
                    now, rate = body.state(target, 6), body.state(rates, 6, start)
                    body.put_state(target, [a + weight * b for a, b in zip(now, rate, strict=True)])

    def of_group(self, body: ProgramBody) -> Iterator[str]:
        """The code inside runs for the body's group."""
        for case in self.program.switch(self.program.entry("groups", body.k), range(len(self.groups))):
            yield self.groups[case]

    def of_kind(self, body: ProgramBody) -> Iterator[Kind]:
        for case in self.program.switch(self.program.entry("kinds", body.k), range(len(self.kinds))):
            yield self.kinds[case]

    def place_bodies(self, s: Index) -> None:
        """Poses, twists and rates of displacement of a stage."""
        start = s * self.n * 6
        with self.bodies() as body:
            for group in self.of_group(body):
                u, v = body.state("u", 6), body.state("v_stage", 6)
                R, r = moved(group, *pose(body.state("x", 12)), u)
                body.put("R", R.flat())
                body.put("r", r)
                w, linear = Vector(v[:3]), Vector(v[3:])
                J, D = jacobian_inverse(Vector(u[:3]), Vector(u[3:]))
                screw = group == "se3"
                body.put_state("u_rates", [*J(w), *(D(w) + J(linear) if screw else linear)], start)
                body.put("V", [*w, *(linear if screw else R.T @ linear)])

    def rates(self, s: Index) -> None:
        """Accelerations of a stage."""
        program = self.program
        for j in range(21):
            program.store("IA", 0, j, 0.0)
        for j in range(6):
            program.store("pA", 0, j, 0.0)
            program.store("A", 0, j, 0.0)
        with self.bodies() as body:
            self.velocities(body)
        with self.bodies(inward=True) as body:
            for kind in self.of_kind(body):
                eliminate_joint(body, kind)
        start = s * self.n * 6
        with self.bodies() as body:
            for kind in self.of_kind(body):
                accelerate(body, kind)
        if self.loops is not None:
            self.loops.close()
        with self.bodies() as body:
            for group in self.of_group(body):
                (w, v), (alpha, a) = body.pair("V"), body.pair("A")
                own = a if group == "se3" else Matrix.of(body.get("R")) @ (a + cross(w, v))
                body.put_state("v_rates", [*alpha, *own], start)

    def velocities(self, body: ProgramBody) -> None:
        """Relative poses and velocity products; inertias and forces of the bodies alone."""
        parent = body.parent
        R_i, r_i = Matrix.of(body.get("R")), Vector(body.get("r"))
        R_p, r_p = Matrix.of(body.get("R", parent)), Vector(body.get("r", parent))
        (w, v), (w_p, v_p) = body.pair("V"), body.pair("V", parent)
        R, p = R_p.T @ R_i, R_p.T @ (r_i - r_p)
        w_rel, v_rel = w - R.T @ w_p, v - R.T @ (v_p + cross(w_p, p))
        body.put("X", [*R.flat(), *p])
        body.put("drift", [*-cross(w_rel, w), *-(cross(w_rel, v) + cross(v_rel, w))])
        m, *rest = body.given(INERTIA, 10)
        h, I = Vector(rest[:3]), Symmetric(rest[3:])
        g = R_i.T @ Vector(self.program.load("gravity", 0, k) for k in range(3))
        angular, linear = I @ w + cross(h, v), m * v + cross(w, h)
        body.put("IA", Articulated.rigid(m, h, I).flat())
        weight = [*cross(h, g), *(m * g)]
        gyroscopic = [*(cross(w, angular) + cross(v, linear)), *cross(w, linear)]
        body.put("pA", [a - b for a, b in zip(gyroscopic, weight, strict=True)])
        for kind in self.of_kind(body):
            if kind.damped:
                S_plus = body.given(RATES, 36)
                (w, v), (w_p, v_p) = body.pair("V"), body.pair("V", parent)
                X = body.get("X")
                R, p = Matrix.of(X[:9]), Vector(X[9:])
                slip = [*(w - R.T @ w_p), *(v - R.T @ (v_p + cross(w_p, p)))]
                body.put("qd", [dot(S_plus[6 * k : 6 * k + 6], slip) for k in range(kind.freedoms)])

    def copy(self, source: str, target: str, row: Whole) -> None:
        """The state from arrays with one suffix to those with another, into a row of theirs."""
        with self.bodies() as body:
            for name, size in (("x", 12), ("v", 6)):
                start: Whole = 0 if isinstance(row, int) else row * (self.n * size)
                body.put_state(f"{name}{target}", body.state(f"{name}{source}", size), start)


def pose(x: Sequence[Scalar]) -> tuple[Matrix, Vector]:
    """R and r of a body."""
    return Matrix.of(x[:9]), Vector(x[9:])


def moved(group: str, R: Matrix, r: Vector, u: Sequence[Scalar]) -> tuple[Matrix, Vector]:
    """C exp(u) on SE(3) (Eq 8) or SO(3) x R3 (Eq 18)."""
    turn, mean = exp(Vector(u[:3]))
    step = Vector(u[3:])
    return R @ quaternion_matrix(turn), r + (R @ mean(step) if group == "se3" else step)
