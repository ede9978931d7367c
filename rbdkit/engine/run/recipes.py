"""Programs from algorithms, compiled once for all models that can share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from rbdkit.engine.graph import Scalar
from rbdkit.engine.links import NotCovered
from rbdkit.engine.program import ALONE, Index, Lanes, Program
from rbdkit.engine.run.backend import Backend, Executable, executable
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.coupled import forward_dynamics as coupled_dynamics
from rbdkit.engine.steps.crba import crba, crba_base
from rbdkit.engine.steps.energy import energy
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.feedback import Feedback
from rbdkit.engine.steps.frames import REFERENCES, Reference, bias_acceleration, jacobian
from rbdkit.engine.steps.gradients import AtRest, rnea_gradient
from rbdkit.engine.steps.jacobians import aba_jacobian, rnea_jacobian
from rbdkit.engine.steps.kinematics import forward_kinematics
from rbdkit.engine.steps.momentum import center_of_mass, momentum
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.passive_derivatives import passive_gradient
from rbdkit.engine.steps.rnea import rnea
from rbdkit.engine.steps.stepping import Advance, Moment, TorqueAt, runge_kutta, simulate, symplectic_euler
from rbdkit.engine.steps.trees import JointArray, JointValues, Kind, Link, LoopTree, Tree, UnrolledTree


@dataclass(frozen=True)
class Task:
    """What a program is to do: an algorithm of `ALGORITHMS`, or a method of `METHODS` over time.

    external : whether there are external forces on the bodies. tau, f_ext : what computes the joint forces, and the
        external forces on the links, from time and state; None where arrays hold them.
    """

    algorithm: str
    external: bool = False
    tau: Feedback | None = None
    f_ext: Feedback | None = None

    @property
    def unrolls(self) -> bool:
        """Whether there is a straight-line form."""
        return self.algorithm in ("rnea", "aba", "forward_dynamics", "crba") or self.algorithm in METHODS

    def record(self, tree: Tree) -> None:
        """Write the program over a tree."""
        if self.algorithm in METHODS:
            simulate(tree, partial(_dynamics, tree, self), METHODS[self.algorithm])
        else:
            ALGORITHMS[self.algorithm](tree, self.external)


@dataclass(frozen=True)
class Recipe:
    """A program with what it needs to run. width : numbers of work space a link."""

    code: Executable
    width: int


@lru_cache(maxsize=256)
def loop_code(task: Task, kinds: tuple[Kind, ...], backend: Backend, lanes: Lanes = ALONE) -> Recipe:
    """Code for all models whose joints are of these kinds."""
    program = Program(task.algorithm, lanes)
    tree = LoopTree(program, kinds)
    task.record(tree)
    return Recipe(executable(program, backend), tree.width)


@dataclass(frozen=True)
class Shape:
    """A model of which straight-line code may be made.

    links : without the world. nq, nv : of the model. fixed : numbers of "rows" that become part of the code, with
        positions.
    """

    links: tuple[Link, ...]
    nq: int
    nv: int
    fixed: frozenset[tuple[int, float]]


@lru_cache(maxsize=64)
def unrolled_code(task: Task, shape: Shape, backend: Backend, lanes: Lanes = ALONE) -> Recipe:
    """Straight-line code for models of one shape."""
    program = Program(task.algorithm, lanes)
    task.record(UnrolledTree(program, shape.links, shape.nq, shape.nv, dict(shape.fixed)))
    return Recipe(executable(program, backend), 0)


class State:
    """One of a stack of states: its part of the arrays of a program that loops over them."""

    def __init__(self, tree: Tree, number: Index, external: bool) -> None:
        self.tree = tree
        self.number = number
        self.q = tree.coordinates("q", number * tree.nq)
        self.f_ext = ExternalForce(tree, number * ((tree.n + 1) * 6)) if external else None

    def __getitem__(self, name: str) -> JointArray:
        """Of an array with a number for each velocity."""
        return self.tree.velocities(name, self.number * self.tree.nv)


def _over_states(record: Callable[[Tree, State], None], tree: Tree, external: bool) -> None:
    with tree.program.loop(0, tree.program.count("states"), tree.program.lanes.width) as number:
        record(tree, State(tree, number, external))


def _rnea(tree: Tree, x: State) -> None:
    rnea(tree, x.q, x["v"], x["qdd"], x["tau"], x.f_ext)


def _motors(tree: Tree, x: State) -> None:
    rnea(tree, x.q, x["v"], x["qdd"], x["tau"], x.f_ext, x.number * tree.program.count("driven_nv"))


def _aba(tree: Tree, x: State) -> None:
    _require_independent(tree, "the articulated-body algorithm")
    aba(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext)


def _forward_dynamics(tree: Tree, x: State) -> None:
    _accelerate(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext)


def _accelerate(
    tree: Tree, q: JointArray, v: JointArray, tau: JointValues, qdd: JointArray, f_ext: ExternalForce | None
) -> None:
    """Forward dynamics with springs and dampers, by the algorithm that the tree's joints allow."""
    if tree.coupled:
        assert isinstance(tree, LoopTree)
        coupled_dynamics(tree, q, v, WithPassiveForce(tree, q, v, tau), qdd, f_ext)
    else:
        aba(tree, q, v, WithPassiveForce(tree, q, v, tau), qdd, f_ext)


def _require_independent(tree: Tree, what: str) -> None:
    if tree.coupled:
        raise NotCovered(f"{what} needs joints that move independently; use forward_dynamics")


def _crba(tree: Tree, x: State) -> None:
    if isinstance(tree, UnrolledTree):
        _require_independent(tree, "straight-line code of the inertia matrix")
        crba(tree, x.q, x.number)
    elif isinstance(tree, LoopTree):
        crba_base(tree, x.q, x.number)


def _energy(tree: Tree, x: State) -> None:
    energy(tree, x.q, x["v"], x.number)


def _poses(tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    forward_kinematics(tree, x.q, None, x.number)


def _kinematics(tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    forward_kinematics(tree, x.q, x["v"], x.number)


def _require_free(tree: Tree) -> None:
    if tree.coupled or tree.driven:
        raise NotCovered("derivatives of the dynamics need joints that neither follow others nor move as time says")


def _rnea_jacobian(tree: Tree, x: State) -> None:
    _require_free(tree)
    assert isinstance(tree, LoopTree)
    rnea_jacobian(tree, x.q, x["v"], x["qdd"], x.f_ext, x.number)


def _aba_jacobian(passive: bool, tree: Tree, x: State) -> None:
    _require_free(tree)
    assert isinstance(tree, LoopTree)
    aba_jacobian(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext, x.number, passive)


def _rnea_gradient(tree: Tree, x: State) -> None:
    _require_free(tree)
    assert isinstance(tree, LoopTree)
    start = None if x.f_ext is None else x.f_ext.start
    rnea_gradient(tree, x.q, x["v"], x["qdd"], x["weights"], start, x.number)


def _passive_gradient(tree: Tree, x: State) -> None:
    _require_free(tree)
    passive_gradient(tree, x.q, x["v"], x["weights"], x.number * tree.nv)


def _inverse_inertia(tree: Tree, x: State) -> None:
    _require_free(tree)
    aba(tree, x.q, AtRest(), x["weights"], x["by_tau"], weightless=True)


def _jacobian(reference: Reference, tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    jacobian(tree, x.q, x.number, reference)


def _bias_acceleration(reference: Reference, tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    bias_acceleration(tree, x.q, x["v"], x.number, reference)


def _center_of_mass(tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    center_of_mass(tree, x.q, x.number)


def _momentum(about_com: bool, tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    momentum(tree, x.q, x["v"], x.number, about_com)


def _dynamics(tree: Tree, task: Task, q: JointArray, v: JointArray, moment: Moment, qdd: JointArray) -> None:
    tau: JointValues
    if task.tau is None:
        tau = TorqueAt(moment)
    else:
        tau = tree.velocities("tau_now")
        _store(tree, "tau_now", _computed(task.tau, "tau_numbers", q, v, moment))
    if tree.driven:
        _read_driven(moment)
    if task.f_ext is not None:
        _store(tree, "f_ext", _computed(task.f_ext, "f_ext_numbers", q, v, moment))
    _accelerate(tree, q, v, tau, qdd, ExternalForce(tree) if task.external else None)


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


METHODS: dict[str, Advance] = {"runge_kutta": runge_kutta, "symplectic_euler": symplectic_euler}

ALGORITHMS: dict[str, Callable[[Tree, bool], None]] = {
    "rnea": partial(_over_states, _rnea),
    "motors": partial(_over_states, _motors),
    "aba": partial(_over_states, _aba),
    "forward_dynamics": partial(_over_states, _forward_dynamics),
    "crba": partial(_over_states, _crba),
    "energy": partial(_over_states, _energy),
    "poses": partial(_over_states, _poses),
    "kinematics": partial(_over_states, _kinematics),
    "rnea_gradient": partial(_over_states, _rnea_gradient),
    "passive_gradient": partial(_over_states, _passive_gradient),
    "inverse_inertia": partial(_over_states, _inverse_inertia),
    "rnea_jacobian": partial(_over_states, _rnea_jacobian),
    "aba_jacobian": partial(_over_states, partial(_aba_jacobian, False)),
    "forward_dynamics_jacobian": partial(_over_states, partial(_aba_jacobian, True)),
    **{f"jacobian_{reference}": partial(_over_states, partial(_jacobian, reference)) for reference in REFERENCES},
    **{
        f"bias_acceleration_{reference}": partial(_over_states, partial(_bias_acceleration, reference))
        for reference in REFERENCES
    },
    "center_of_mass": partial(_over_states, _center_of_mass),
    "momentum_world": partial(_over_states, partial(_momentum, False)),
    "momentum_com": partial(_over_states, partial(_momentum, True)),
}
