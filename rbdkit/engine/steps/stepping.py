"""One-step methods with the loop over time inside the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rbdkit.engine.steps.joint_arrays import JointArray
from rbdkit.engine.steps.nodes import Node
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Index, Scalar, Whole, select


@dataclass(frozen=True)
class Moment:
    """Stage s of step n."""

    tree: Tree
    n: Index
    s: Whole

    @property
    def time(self) -> Scalar:
        """s"""
        program = self.tree.program
        return program.load("times", self.n, 0) + program.load("c", self.s) * step_length(self.tree, self.n)


Dynamics = Callable[[JointArray, JointArray, Moment, JointArray], None]
"""Records forward dynamics at a moment: reads q, qd and what acts then, and writes qdd."""
Advance = Callable[[Tree, Dynamics, Index], None]
"""Records one step of that number: reads the state "q", "v", writes the next one to "q_new", "v_new"."""

LARGEST = 1e100
"""A state beyond is taken as one that is not finite: squares of larger numbers need not be."""
LARGEST_TURN = 1e8
"""rad in a step; beyond, sines of compiled code are no sines any more, and what they turn is no rotation."""


def simulate(tree: Tree, dynamics: Dynamics, advance: Advance) -> None:
    """Take ``records * every`` steps and write down every so many states; stop before the first state that is not
    finite.

    The state is in arrays "q", "v". Step n goes from times[n] to times[n + 1] and begins with step "first". "done"
    counts the steps. What was not finite is left in "q_new", "v_new". Of several lanes, one that stops stays where it
    is while others go on: "going" is then 0, else 1.
    """
    program = tree.program
    q, v = tree.coordinates("q"), tree.velocities("v")
    q_new, v_new = tree.coordinates("q_new"), tree.velocities("v_new")
    every = program.count("every")

    program.store("done", 0, 0, 0.0)
    program.store("going", 0, 0, 1.0)
    with program.loop(0, program.count("records")) as record:
        with program.loop(0, every) as k:
            advance(tree, dynamics, record * every + program.count("first") + k)
            leave_if_run_away(tree, q_new, v_new)
            take_over(tree, q_new, v_new, q, v)
            program.store("done", 0, 0, program.load("done", 0, 0) + program.load("going", 0, 0))
        q_record = tree.coordinates("q_record", record * tree.nq)
        v_record = tree.velocities("v_record", record * tree.nv)
        for i in tree.outward():
            if i.moves:
                q_record[i], v_record[i] = q[i], v[i]


def runge_kutta(tree: Tree, dynamics: Dynamics, n: Index) -> None:
    """An explicit Runge-Kutta method on the displacement u from the beginning of the step, after Munthe-Kaas.

    It has "stages" stages, at the fractions "c" of a step. Its weights that are not zero stand in "weights" and the
    stages that they belong to in "terms": first those of each stage, then those of the result, row s beginning at
    "first_term" s. "u_rates", "v_rates" take the rates of each stage.
    """
    program, nv = tree.program, tree.nv
    stages = program.count("stages")
    q, u = tree.coordinates("q"), tree.velocities("u")
    q_stage, v_stage = tree.coordinates("q_stage"), tree.velocities("v_stage")

    with program.loop(0, stages) as s:
        add_up(tree, n, s, v_stage)
        u_rate, v_rate = tree.velocities("u_rates", s * nv), tree.velocities("v_rates", s * nv)
        for i in tree.outward():
            if i.moves:
                q_stage[i] = i.motion.move(q[i], u[i])
                u_rate[i] = i.motion.local_rate(u[i], v_stage[i])
        dynamics(q_stage, v_stage, Moment(tree, n, s), v_rate)
    add_up(tree, n, stages, tree.velocities("v_new"))
    move(tree, q, u)


def symplectic_euler(tree: Tree, dynamics: Dynamics, n: Index) -> None:
    """The velocity first, then the position with the new velocity."""
    program = tree.program
    q, v, u, v_new = tree.coordinates("q"), tree.velocities("v"), tree.velocities("u"), tree.velocities("v_new")
    v_rate = tree.velocities("v_rates")

    dynamics(q, v, Moment(tree, n, 0), v_rate)
    program.store("scratch", 0, 0, step_length(tree, n))
    for k in tree.freedoms():
        h = program.load("scratch", 0)
        v_new[k] = v[k] + h * v_rate[k]
        u[k] = h * v_new[k]
    move(tree, q, u)


def step_length(tree: Tree, n: Index) -> Scalar:
    """times[n + 1] - times[n]"""
    return tree.program.load("times", n, 1) - tree.program.load("times", n, 0)


def add_up(tree: Tree, n: Index, row: Index, v_sum: JointArray) -> None:
    """u = h sum_j w_j u_rates_j and v_sum = v + h sum_j w_j v_rates_j with the weights of a row of the tableau."""
    program, nv = tree.program, tree.nv
    v, u = tree.velocities("v"), tree.velocities("u")
    for k in tree.freedoms():
        u[k], v_sum[k] = 0.0, v[k]
    with program.loop(program.entry("first_term", row), program.entry("first_term", row + 1)) as term:
        program.store("scratch", 0, 0, step_length(tree, n) * program.load("weights", term))
        j = program.entry("terms", term)
        u_rate, v_rate = tree.velocities("u_rates", j * nv), tree.velocities("v_rates", j * nv)
        for k in tree.freedoms():
            h = program.load("scratch", 0)
            u[k], v_sum[k] = u[k] + h * u_rate[k], v_sum[k] + h * v_rate[k]


class TorqueAt:
    """tau at a moment, on a straight line from row n of "tau" to the one that follows.

    Rows are "tau_step" numbers apart, 0 if tau is constant. "tau_next" is 0 if tau is held over the step.
    """

    def __init__(self, moment: Moment) -> None:
        tree = moment.tree
        self.program, self.s = tree.program, moment.s
        row = moment.n * tree.program.count("tau_step")
        self.now = tree.velocities("tau", row)
        self.then = tree.velocities("tau", row + tree.program.count("tau_next"))

    def __getitem__(self, i: Node) -> list[Scalar]:
        c = self.program.load("c", self.s)
        return [now + c * (then - now) for now, then in zip(self.now[i], self.then[i], strict=True)]


def move(tree: Tree, q: JointArray, u: JointArray) -> None:
    """q_new = q moved by u."""
    q_new = tree.coordinates("q_new")
    for i in tree.outward():
        if i.moves:
            q_new[i] = i.motion.move(q[i], u[i])


def leave_if_run_away(tree: Tree, q: JointArray, v: JointArray) -> None:
    """Do not go on unless the squares of all coordinates and velocities add up to less than `LARGEST` squared."""
    program = tree.program
    program.store("scratch", 0, 2, 0.0)
    for i in tree.outward():
        if i.moves:
            program.store("scratch", 0, 2, sum((x * x for x in [*q[i], *v[i]]), program.load("scratch", 0, 2)))
    going = select(program.load("scratch", 0, 2) < LARGEST * LARGEST, program.load("going", 0, 0), 0.0)
    program.store("going", 0, 0, going)
    program.leave_if(going < 0.5)


def take_over(tree: Tree, q_new: JointArray, v_new: JointArray, q: JointArray, v: JointArray) -> None:
    """The new state in place of the old one, in lanes that are going."""
    for i in tree.outward():
        if i.moves:
            going = tree.program.load("going", 0, 0) > 0.5
            for new, old in ((q_new, q), (v_new, v)):
                old[i] = [select(going, x_new, x) for x_new, x in zip(new[i], old[i], strict=True)]
