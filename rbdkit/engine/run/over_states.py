"""Every algorithm as a program that loops over a stack of states.

`over_states` records the loop; its body is the algorithm, on the parts of the arrays that belong to one state
(`State`). One state is a stack of one. With several lanes each turn of the loop computes as many states as there are
lanes; the algorithms do not notice, as the layout of arrays is the program's affair.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from rbdkit.algorithms.momentum import About
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.steps import own_forces
from rbdkit.engine.steps.aba import aba
from rbdkit.engine.steps.crba import crba, crba_base
from rbdkit.engine.steps.energy import energy
from rbdkit.engine.steps.external import ExternalForce
from rbdkit.engine.steps.forward_dynamics import accelerate, forward_dynamics
from rbdkit.engine.steps.frames import bias_acceleration, jacobian
from rbdkit.engine.steps.gradients import rnea_gradient
from rbdkit.engine.steps.jacobians import aba_jacobian, rnea_jacobian
from rbdkit.engine.steps.joint_arrays import AtRest, JointArray
from rbdkit.engine.steps.kinematics import forward_kinematics
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.momentum import center_of_mass, momentum
from rbdkit.engine.steps.passive_derivatives import passive_gradient
from rbdkit.engine.steps.rnea import rnea
from rbdkit.engine.steps.sizes import REFERENCES, Reference
from rbdkit.engine.steps.tree import Tree
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.trace import Index, Part

if TYPE_CHECKING:
    from rbdkit.engine.rows.constrained_tree import ConstrainedTree
    from rbdkit.engine.rows.contribution import RowCode


class State:
    """One state of a stack: its part of the arrays of a program that loops over states."""

    def __init__(
        self,
        tree: Tree,
        number: Index,
        external: bool,
        own: OwnForces | None = None,
        rows: tuple[RowCode, ...] = (),
        deep: bool = False,
        apart: bool = False,
    ) -> None:
        self.tree, self.own, self.rows, self.external, self.deep = tree, own, rows, external, deep
        self.number, self.apart = number, apart
        self.q = tree.coordinates("q", number * tree.nq)
        self.f_ext = ExternalForce(tree, number * ((tree.n + 1) * 6)) if external else None
        place = number * own.nz if own is not None and own.nz else 0
        self.z, self.z_rate = Part("z", place), Part("z_rate", place)
        if own is not None and own.asks_time:
            tree.program.store(own_forces.OWN_TIME, 0, 0, tree.program.load("t", number))

    def __getitem__(self, name: str) -> JointArray:
        """Return this state's part of an array with a number for each velocity."""
        return self.tree.velocities(name, self.number * self.tree.nv)


def _rnea(tree: Tree, x: State) -> None:
    rnea(tree, x.q, x["v"], x["qdd"], x["tau"], x.f_ext)


def _motors(tree: Tree, x: State) -> None:
    rnea(tree, x.q, x["v"], x["qdd"], x["tau"], x.f_ext, x.number * tree.program.count("driven_nv"))


def _aba(tree: Tree, x: State) -> None:
    accelerate(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext)


def _forward_dynamics(tree: Tree, x: State) -> None:
    if x.rows:
        _constrained(tree, x)
        return
    forward_dynamics(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext, x.own, x.z)


def _constrained_tree(tree: Tree, x: State) -> ConstrainedTree:
    from rbdkit.engine.rows.constrained_tree import ConstrainedTree  # which most models never need

    assert isinstance(tree, LoopTree)
    return ConstrainedTree(tree, x.rows, x.apart)


def _constrained(tree: Tree, x: State, stabilised: bool = False) -> None:
    pushes = [("f_ext", x.number * ((tree.n + 1) * 6))] if x.external else []
    motion = x.q, x["v"], x["tau"], x["qdd"]
    _constrained_tree(tree, x).forward_dynamics(*motion, pushes, x.own, x.z, stabilised=stabilised)


def _reactions(tree: Tree, x: State) -> None:
    _constrained(tree, x)
    program, m = tree.program, tree.program.count("n_rows")
    first = x.number * m
    with program.loop(0, m) as r:
        program.store("lambda", first + r, 0, program.load("reactions", r))


def _constraint_rows(tree: Tree, x: State) -> None:
    constrained, program, m = _constrained_tree(tree, x), tree.program, tree.program.count("n_rows")
    constrained.look(x.q, x["v"])
    first, K = x.number * m, x.number * (m * tree.nv)
    with program.loop(0, m) as r:
        for name in ("k", "gap", "slip"):
            program.store(f"rows_{name}", first + r, 0, program.load(f"row_{name}", r))
        for a in tree.freedoms():
            program.store("rows_K", K + r * tree.nv + a, 0, program.load("K", a * constrained.length + r))
    program.store("rows_open", x.number, 0, program.load("opened", 0))


def _openness(tree: Tree, x: State) -> None:
    _constrained_tree(tree, x).look(x.q)
    tree.program.store("rows_open", x.number, 0, tree.program.load("opened", 0))


def _residuals(tree: Tree, x: State) -> None:
    from rbdkit.engine.rows.residuals import residuals  # which most models never need

    assert isinstance(tree, LoopTree)
    residuals(tree, x.q, x.rows, x.number)


def _own_forces(tree: Tree, x: State) -> None:
    assert x.own is not None
    stored, lost = own_forces.record(x.own, tree, x.q, x["v"], x.z, x.z_rate, powers=True)
    for k, value in enumerate((stored, lost)):
        tree.program.store("powers", x.number * 2, k, value)
    own_forces.along_joints(x.own, tree, x.q, x["tau"])


def _own_gradient(tree: Tree, x: State) -> None:
    assert x.own is not None
    assert isinstance(tree, UnrolledTree)
    own_forces.gradient(x.own, tree, x.q, x["v"], x["weights"], x.number)


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
    if x.own is not None:
        stored = own_forces.stored_energy(x.own, tree, x.q, x["v"], x.z)
        place = x.number * 3
        tree.program.store("energies", place, 2, tree.program.load("energies", place, 2) + stored)


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
    aba_jacobian(tree, x.q, x["v"], x["tau"], x["qdd"], x.f_ext, x.number, passive, x.deep)


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


def _momentum(about: About, tree: Tree, x: State) -> None:
    assert isinstance(tree, LoopTree)
    momentum(tree, x.q, x["v"], x.number, about)


ALGORITHMS: dict[str, Callable[[Tree, State], None]] = {
    "rnea": _rnea,
    "motors": _motors,
    "aba": _aba,
    "forward_dynamics": _forward_dynamics,
    "reactions": _reactions,
    "stabilised_dynamics": partial(_constrained, stabilised=True),
    "constraint_rows": _constraint_rows,
    "openness": _openness,
    "residuals": _residuals,
    "crba": _crba,
    "energy": _energy,
    "own_forces": _own_forces,
    "own_gradient": _own_gradient,
    "poses": _poses,
    "kinematics": _kinematics,
    "rnea_gradient": _rnea_gradient,
    "passive_gradient": _passive_gradient,
    "inverse_inertia": _inverse_inertia,
    "rnea_jacobian": _rnea_jacobian,
    "aba_jacobian": partial(_aba_jacobian, False),
    "forward_dynamics_jacobian": partial(_aba_jacobian, True),
    **{f"jacobian_{reference}": partial(_jacobian, reference) for reference in REFERENCES},
    **{f"bias_acceleration_{reference}": partial(_bias_acceleration, reference) for reference in REFERENCES},
    "center_of_mass": _center_of_mass,
    "momentum_world": partial(_momentum, "world"),
    "momentum_com": partial(_momentum, "com"),
}


def over_states(
    tree: Tree,
    algorithm: str,
    external: bool,
    own: OwnForces | None = None,
    rows: tuple[RowCode, ...] = (),
    deep: bool = False,
    apart: bool = False,
) -> None:
    """Record the program of one of `ALGORITHMS`.

    external : whether there are external forces on the bodies. own : the model's force elements. rows : its constraint
    rows. deep : whether many joints move a body. apart : whether reactions are computed leg by leg.
    """
    program = tree.program
    # in lanes, each turn computes as many states as there are lanes
    with program.loop(0, program.count("states"), program.lanes.width) as number:
        ALGORITHMS[algorithm](tree, State(tree, number, external, own, rows, deep, apart))
