"""The dynamics of a tree with a loop over time around it: what `simulate` compiles."""

from __future__ import annotations

from functools import partial

from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.forward_dynamics import forward_dynamics
from rbdkit.engine.steps.joint_arrays import JointArray, JointValues
from rbdkit.engine.steps.stepping import Advance, Moment, TorqueAt, runge_kutta, simulate, symplectic_euler
from rbdkit.engine.steps.tree import Tree
from rbdkit.trace import Feedback, Scalar

METHODS: dict[str, Advance] = {"runge_kutta": runge_kutta, "symplectic_euler": symplectic_euler}


def over_time(tree: Tree, method: str, external: bool, tau: Feedback | None, f_ext: Feedback | None) -> None:
    """Write the program of one of `METHODS`; the other arguments are those of `Task`."""
    simulate(tree, partial(_dynamics, tree, external, tau, f_ext), METHODS[method])


def _dynamics(
    tree: Tree,
    external: bool,
    tau: Feedback | None,
    f_ext: Feedback | None,
    q: JointArray,
    v: JointArray,
    moment: Moment,
    qdd: JointArray,
) -> None:
    acting: JointValues
    if tau is None:
        acting = TorqueAt(moment)
    else:
        acting = tree.velocities("tau_now")
        _store(tree, "tau_now", _computed(tau, "tau_numbers", q, v, moment))
    if tree.driven:
        _read_driven(moment)
    if f_ext is not None:
        _store(tree, "f_ext", _computed(f_ext, "f_ext_numbers", q, v, moment))
    forward_dynamics(tree, q, v, acting, qdd, ExternalForce(tree) if external else None)


def _read_driven(moment: Moment) -> None:
    """Put the numbers of joints that move as time says where the algorithms find them.

    Rows of the tables are those of the stages from the first step on.
    """
    program = moment.tree.program
    row = (moment.n - program.count("first")) * program.count("stages") + moment.s
    for name, size in (("driven_q", "driven_nq"), ("driven_v", "driven_nv"), ("driven_a", "driven_nv")):
        length = program.count(size)
        start = row * length
        with program.loop(0, length) as k:
            program.store(name, k, 0, program.load(f"{name}_table", start + k))


def _computed(function: Feedback, numbers: str, q: JointArray, v: JointArray, moment: Moment) -> list[Scalar]:
    return function.record(moment.tree.program, moment.time, (q.array, q.start), (v.array, v.start), numbers)


def _store(tree: Tree, array: str, values: list[Scalar]) -> None:
    for k, x in enumerate(values):
        tree.program.store(array, 0, k, x)
