"""Programs from algorithms, compiled once for all models that can share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

from rbdkit.engine.program import Index, Program
from rbdkit.engine.run.backend import Backend, Executable, executable
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.crba import crba, crba_base
from rbdkit.engine.steps.energy import energy
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.kinematics import forward_kinematics
from rbdkit.engine.steps.passive import WithPassiveForce
from rbdkit.engine.steps.rnea import rnea
from rbdkit.engine.steps.stepping import runge_kutta, simulate, symplectic_euler
from rbdkit.engine.steps.trees import JointArray, JointValues, Kind, Link, LoopTree, Tree, UnrolledTree


@dataclass(frozen=True)
class Task:
    """What a program is to do: an algorithm of `ALGORITHMS`, with or without external forces on the bodies."""

    algorithm: str
    external: bool = False

    @property
    def unrolls(self) -> bool:
        """Whether there is a straight-line form."""
        return self.algorithm not in ("poses", "kinematics", "energy")

    def record(self, tree: Tree) -> None:
        """Write the program over a tree."""
        ALGORITHMS[self.algorithm](tree, self.external)


@dataclass(frozen=True)
class Recipe:
    """A program with what it needs to run. width : numbers of work space a link."""

    code: Executable
    width: int


@lru_cache(maxsize=256)
def loop_code(task: Task, kinds: tuple[Kind, ...], backend: Backend) -> Recipe:
    """Code for all models whose joints are of these kinds."""
    program = Program(task.algorithm)
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
def unrolled_code(task: Task, shape: Shape, backend: Backend) -> Recipe:
    """Straight-line code for models of one shape."""
    program = Program(task.algorithm)
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
    with tree.program.loop(0, tree.program.count("states")) as number:
        record(tree, State(tree, number, external))


def _rnea(tree: Tree, x: State) -> None:
    rnea(tree, x.q, x["v"], x["qdd"], x["tau"], x.f_ext)


def _aba(tree: Tree, x: State) -> None:
    aba(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext)


def _forward_dynamics(tree: Tree, x: State) -> None:
    aba(tree, x.q, x["v"], WithPassiveForce(tree, x.q, x["v"], x["tau"]), x["qdd"], x.f_ext)


def _crba(tree: Tree, x: State) -> None:
    if isinstance(tree, UnrolledTree):
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


def _dynamics(tree: Tree, external: bool, q: JointArray, v: JointArray, tau: JointValues, qdd: JointArray) -> None:
    aba(tree, q, v, WithPassiveForce(tree, q, v, tau), qdd, ExternalForce(tree) if external else None)


def _runge_kutta(tree: Tree, external: bool) -> None:
    simulate(tree, partial(_dynamics, tree, external), runge_kutta)


def _symplectic_euler(tree: Tree, external: bool) -> None:
    simulate(tree, partial(_dynamics, tree, external), symplectic_euler)


ALGORITHMS: dict[str, Callable[[Tree, bool], None]] = {
    "rnea": partial(_over_states, _rnea),
    "aba": partial(_over_states, _aba),
    "forward_dynamics": partial(_over_states, _forward_dynamics),
    "crba": partial(_over_states, _crba),
    "energy": partial(_over_states, _energy),
    "poses": partial(_over_states, _poses),
    "kinematics": partial(_over_states, _kinematics),
    "runge_kutta": _runge_kutta,
    "symplectic_euler": _symplectic_euler,
}
