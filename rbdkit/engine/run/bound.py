"""A model with its numbers in arrays, to which compiled programs are bound.

Compiled code knows a model by three kinds of things. The *numbers* (masses, placements, gravity) are inputs at run
time, so that a changed parameter compiles nothing. *Tables* and *counts* hold the topology; code made of loops reads
them, so one program serves every tree with the same kinds of joints. *Straight-line code* has the topology, and zeros
and ones of the placements, built in; it is faster and compiled per shape of model. `BoundModel` decides by model and
call alone which form runs, so that the same call gives the same bits, whatever ran before.

A bound program keeps the addresses of its arrays; it is cached by recipe and by the names that it is bound to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.links.aligned import aligned
from rbdkit.engine.links.layout import layout
from rbdkit.engine.links.limbs import Limbs, kinds_with, limb_rows, limb_tables, limbs_of
from rbdkit.engine.links.pack import pack
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.compiled_programs import (
    LONG,
    LONGEST,
    SHORT,
    Known,
    Recipe,
    Task,
    loop_code,
    straight_code,
    unrolled_code,
)
from rbdkit.engine.run.driven import DrivenJoints, prescribed
from rbdkit.engine.run.shapes import UNROLLED_LINKS, Shape, plain_rows, shape_of
from rbdkit.engine.run.signatures import INPUTS, output_shapes, room
from rbdkit.engine.run.tables import Tables, kinds_of
from rbdkit.model import Model
from rbdkit.model.kept import kept
from rbdkit.trace import ALONE, Backend, Lanes

if TYPE_CHECKING:
    from rbdkit.engine.contact.scene import Scene
    from rbdkit.engine.links.own_forces import OwnForces
    from rbdkit.engine.rows.legs import Legs
    from rbdkit.engine.rows.of_model import RowsOfModel
    from rbdkit.trace import Binder, Given, Program, Scalar

WITH_OWN_FORCES = (
    "energy",
    "forward_dynamics",
    "reactions",
    "stabilised_dynamics",
    "own_forces",
    "own_gradient",
    "over_time",
)
"""Algorithms in which force elements take part."""

WITH_ROWS = (
    "forward_dynamics",
    "reactions",
    "stabilised_dynamics",
    "constraint_rows",
    "openness",
    "residuals",
    "over_time",
)
"""Algorithms in which constraints take part."""

BY_DEPTH = ("aba_jacobian", "forward_dynamics_jacobian")
"""Algorithms with a form of their own for deep trees, in which many joints move a body."""
# Measured: the derivatives of a chain of 100 links took 166 us per state in place of 464 us; those of humanoids and
# arms are faster with the factors of H.
DEEP = 12
"""Average number of ancestor velocities of a velocity from which on a tree is deep."""
STRAIGHT_ROWS = STRAIGHT_LINKS = 24
"""Most links and most constraint rows of models whose constrained motions may have straight-line code."""
SOMEWHERE, CLEAR = 3, 10.0
"""Number of poses at which the mobility of legs is tested, and the factor by which a pivot must exceed its threshold
there."""
# Measured for Stewart platforms and delta robots: 12.8 us per step in place of 21 us, after seconds of compilation.
MANY_STEPS = 5_000
"""Number of steps from which on a motion is worth code that takes seconds to compile, once for all similar models."""


class BoundModel:
    """The current numbers of a model, in the arrays that programs read, and the programs bound to them.

    Parameters
    ----------
    model : a tree, or one with loops: most algorithms compute its spanning tree, see `WITH_ROWS`.
    backend : 'llvm', 'python' or 'checked'.

    Attributes
    ----------
    numbers : the model's numbers by array name. shape : what straight-line code takes as given; None without such code.
    driven : prescribed joints. coupled : whether there are mimic joints.
    own : force elements; None if there are none.
    rows : constraint rows of the tree; None if there are none or they are not covered; why_not : the reason, or empty.
    uses : guard of what users' own functions depend on; None if there are none.

    Raises
    ------
    NotCovered
        If the model has a joint or a force element that the engine does not know.
    """

    def __init__(self, model: Model, backend: Backend) -> None:
        self.backend = backend
        self._layout, self.numbers = aligned(model, layout(model))
        self.own: OwnForces | None = None
        if model.acting:
            from rbdkit.engine.links.own_forces import own_forces  # which plain models never need

            self.own = own_forces(model, self._layout)
        self.uses = self._layout.uses
        if self.own is not None:
            self.numbers["own_numbers"] = np.array(self.own.law.numbers)
        self.rows: RowsOfModel | None = None
        self.why_not = ""
        if model.loops or model.constraints:
            from rbdkit.engine.rows.of_model import rows_of  # which most models never need
            from rbdkit.model.closing.massless import tree_has_inertia

            try:
                if not kept(model, tree_has_inertia):  # reactions come from the factors of H, which must be regular
                    raise NotCovered("what hangs on some joint of the tree has no inertia")
                self.rows = rows_of(model, self._layout, self.numbers["frames"])
            except NotCovered as fault:
                self.why_not = str(fault)
        if self.rows is not None:
            self.numbers |= self.rows.numbers
            of_rows = [found for part in self.rows.parts for found in part.uses]
            self.uses = reduce(add, of_rows, self.uses) if self.uses else reduce(add, of_rows) if of_rows else None
        self.driven = DrivenJoints(prescribed(model))
        self._somewhere: NDArray | None = None
        # neither prescribed motions nor users' own functions are called at poses that the user did not ask for
        if self.rows is not None and model.loops and not (self.driven or self.rows_timed or self.uses):
            steps = 0.5 * np.sin(np.outer(1.0 + np.arange(SOMEWHERE), 1.0 + np.arange(model.nv)))
            self._somewhere = np.array([model.move(model.neutral(), step) for step in steps])
        carriers, links = self._layout.link_of_body, range(len(self._layout.links) + 1)
        self._links_are_bodies = np.array_equal(carriers, links)
        self._body_on_link = np.argsort(carriers) if np.array_equal(np.sort(carriers), links) else None
        self._kinds = kinds_of(self._layout)
        self._names = [(body.name, joint.name) for body, joint in zip(model.bodies, model.joints, strict=True)]
        self.coupled = any(kind.follows for kind in self._kinds)
        self._tables = Tables(self._layout, self._kinds, {} if self.own is None else self.own.tables)
        self.shape = shape_of(self._layout, self.numbers["rows"])
        self._straight: dict[tuple[Task, int], Recipe | None] = {}
        self._binders: dict[Hashable, tuple[Recipe, Binder]] = {}  # a recipe that is held keeps its identity
        self._counts = {
            "n": len(self._layout.links), "nq": model.nq, "nv": model.nv, "n_bodies": len(model.bodies),
            "driven_nq": self.driven.nq, "driven_nv": self.driven.nv, "most_numbers": self._layout.numbers.shape[1],
        }  # fmt: skip

    @cached_property
    def _deep(self) -> bool:
        """Whether the tree is deep: on average many velocities move each joint."""
        return int(self._tables["first_support"][-1]) > DEEP * self._layout.nv

    @property
    def nv(self) -> int:
        """Number of joint velocities."""
        return self._layout.nv

    @property
    def nz(self) -> int:
        """Number of state variables of force elements."""
        return 0 if self.own is None else self.own.nz

    @property
    def timed(self) -> bool:
        """Whether force elements depend on time."""
        return self.own is not None and self.own.asks_time

    @property
    def rows_timed(self) -> bool:
        """Whether constraints depend on time."""
        return self.rows is not None and any(code.timed for code in self.rows.codes)

    @property
    def names(self) -> set[str]:
        """Names of the arrays and tables that programs are bound to, beyond those of a task."""
        rows = {} if self.rows is None else self.rows.tables(1) | self.rows.room(1)
        return {*self.numbers, *self._tables, *room(self._layout, 0)[0], *rows}

    @property
    def likeness(self) -> Hashable:
        """Structural key: models with the same one can run in the lanes of one program."""
        layout = self._layout
        rows = None if self.rows is None else self.rows.likeness
        place = tuple(layout.link_of_body)
        shape = self.shape if self.unrolls(None) else None
        return self.backend, layout.links, layout.nq, layout.nv, place, shape, self.own, rows

    def scene(self, model: Model) -> Scene:
        """Collect the contact scene of the model that this was made of.

        Raises
        ------
        NotCovered
            If its contacts are not compiled.
        """
        from rbdkit.engine.contact.scene import scene_of  # which most models never need

        return scene_of(model, self._layout, self.numbers["frames"], self.rows)

    def unrolls(self, states: int | None) -> bool:
        """Return whether straight-line code is used for this many states, or, if None, for motions.

        Loops know which link they are at, and checked code names it, so the checked backend has loops alone.
        """
        return self.shape is not None and self.backend != "checked" and self.shape.pays(states)

    def bind(
        self,
        task: Task,
        arrays: Mapping[str, Given],
        counts: dict[str, int],
        states: int | None,
        lanes: Lanes = ALONE,
        numbers: Mapping[str, NDArray] | None = None,
        steps: int = 0,
    ) -> Callable[[], None]:
        """Bind a task to arrays and counts, with those of the model added.

        Parameters
        ----------
        states : number of states of the call, None for a motion: see `unrolls`.
        lanes : states computed at once. numbers : of the model in each lane; by default those of this model.
        steps : number of steps of a motion.
        """
        task = self._of_model(task)
        recipe = self._recipe(task, states, lanes, steps)
        # numbers of several models in lanes: they differ from call to call, and are not kept
        if numbers is not None:
            return self._binder(recipe, task, lanes, numbers, arrays, counts)(arrays, counts)
        key = id(recipe), *arrays, *counts
        known = self._binders.get(key)
        if known is None:
            known = self._binders[key] = recipe, self._binder(recipe, task, lanes, self.numbers, arrays, counts)
        return known[1](arrays, counts)

    def binder_of_motion(
        self, task: Task, arrays: Collection[str], counts: Collection[str], fixed: Mapping[str, NDArray], steps: int
    ) -> Binder:
        """Return a binder for a motion's task, which can be bound again to arrays and counts of these names.

        fixed : arrays bound once, beyond those of the model. steps : number of steps of the motion.
        """
        task = self._of_model(task)
        recipe = self._recipe(task, None, ALONE, steps)
        return self._binder(recipe, task, ALONE, {**self.numbers, **fixed}, arrays, counts)

    def _of_model(self, task: Task) -> Task:
        """Add to a task the force elements, constraints and flags of the model that it depends on."""
        if task.algorithm in WITH_OWN_FORCES:
            task = replace(task, own=self.own)
        if task.algorithm in WITH_ROWS and self.rows is not None:
            task = replace(task, rows=self.rows.codes)
        return replace(task, deep=self._deep) if task.algorithm in BY_DEPTH else task

    def walk(self, task: Task, arrays: Mapping[str, list[Scalar]], counts: Mapping[str, int]) -> None:
        """Evaluate a task for one state on numbers and symbols, without compiling it.

        arrays : its inputs and outputs by name, as lists, beyond the numbers of the model; results are left there.
        """
        from rbdkit.engine.run.recordings import recorded_code  # which numbers never need
        from rbdkit.trace import walked

        recorded = recorded_code(self._of_model(task), self._kinds)
        numbers = {name: x.ravel().tolist() for name, x in self.numbers.items()}
        known = {name: x.ravel().tolist() for name, x in self._tables_for(recorded.program).items()}
        sizes, lengths = room(self._layout, recorded.width)
        if self.rows is not None:
            sizes, lengths = sizes | self.rows.room(1), lengths | self.rows.counts(1)
            known |= {name: x.ravel().tolist() for name, x in self.rows.tables(1).items()}
        space: dict[str, list[Scalar]] = {name: [0.0] * size for name, size in sizes.items()}
        walked(recorded.program, {**space, **numbers, **arrays}, known, {**self._counts, **lengths, **counts})

    def packed(self, model: Model, numbers: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Return the arrays that programs read, made from other numbers of the model than its own, or from symbols."""
        return pack(model, self._layout, numbers)

    def recorded(self, algorithm: str) -> Program:
        """Return the program of an algorithm in its form as a loop over links."""
        from rbdkit.engine.run.recordings import recorded_code  # which numbers never need

        return recorded_code.__wrapped__(self._of_model(Task(algorithm)), self._kinds).program

    def _tables_for(self, program: Program) -> dict[str, NDArray]:
        """Return the tables of the model that a program reads."""
        asked = (*program.arrays, *program.tables)
        return {name: self._tables[name] for name in asked if name in self._tables}

    def _binder(
        self,
        recipe: Recipe,
        task: Task,
        lanes: Lanes,
        numbers: Mapping[str, NDArray],
        arrays: Collection[str],
        counts: Collection[str],
    ) -> Binder:
        """Return a binder of a recipe for arrays and counts of these names. numbers : of the model."""
        sizes, lengths = room(self._layout, recipe.width)
        tables = self._tables_for(recipe.code.program)
        if task.rows and self.rows is not None:
            sizes, lengths = sizes | self.rows.room(lanes.width), lengths | self.rows.counts(lanes.width)
            tables = tables | self.rows.tables(lanes.width)
        if recipe.legs is not None:
            from rbdkit.trace import WOVEN

            sizes[WOVEN] = recipe.woven
            sizes, lengths, tables = sizes | recipe.legs.room, lengths | recipe.legs.counts, tables | recipe.legs.tables
        if recipe.limbs and self._limbs is not None:
            kinds = kinds_with(self._kinds, self._limbs)
            of_limbs, sizes["work"] = limb_tables(self._layout, kinds, self._limbs, recipe.width)
            tables = tables | of_limbs | {"limb_rows": limb_rows(self._limbs, numbers["rows"])}
            lengths |= {"n_alone": len(self._limbs.alone), "n_ranks": len(self._limbs.ranks)}
        fixed = {name: x for name, x in {**numbers, **tables}.items() if name not in arrays}
        known = {name: x for name, x in {**self._counts, **lengths}.items() if name not in counts}
        own = {name: x for name, x in sizes.items() if name not in arrays}
        if self.backend == "checked":
            from rbdkit.engine.run.named import naming  # which other code never needs

            return naming(recipe.code.binder(fixed, own, known), self._names, self._layout, recipe.width)
        return recipe.code.binder(fixed, own, known)

    def _recipe(self, task: Task, states: int | None, lanes: Lanes, steps: int) -> Recipe:
        if task.algorithm == "own_gradient":  # a graph in one piece, whatever its size
            generic = Shape(self._layout.links, self._layout.nq, self._layout.nv, frozenset())
            return unrolled_code(task, generic, self.backend, lanes)
        # with mimic joints several links share a freedom, and only the loop adds up what each of them has of H
        several_links = self.coupled and task.algorithm == "crba"
        if self.shape is not None and self.unrolls(states) and task.unrolls and not several_links:
            return unrolled_code(task, self.shape, self.backend, lanes)
        if task.rows and lanes == ALONE:
            for longest in self._lengths(task, steps):
                if (recipe := self._written_out(task, longest)) is not None:
                    return recipe
        limbs = self._limbs if task.takes_limbs and lanes == ALONE and self.backend == "llvm" else None
        if limbs is None:
            return loop_code(task, self._kinds, self.backend, lanes)
        return loop_code(task, kinds_with(self._kinds, limbs), self.backend, lanes, limbs.at_once)

    def goes_by_legs(self, algorithm: str) -> bool:
        """Return whether one state is computed leg by leg in SIMD lanes; several states at once are no faster then."""
        constrained = algorithm == "forward_dynamics" and self.rows is not None and self._known is not None
        return constrained and self._known.legs is not None and self._known.legs.apart > 0  # type: ignore[union-attr]

    def _lengths(self, task: Task, steps: int) -> list[int]:
        """Return the length limits of straight-line code under constraints, to be tried in turn; none for loops."""
        motion = task.step is not None
        if task.touching is not None or not (motion or task.algorithm == "forward_dynamics") or self._known is None:
            return []
        if self._known.legs is not None and self._known.legs.apart:  # code that is short, and much quicker
            return [LONGEST]
        if motion:
            return [LONG, LONGEST] if steps >= MANY_STEPS else [LONG]
        return [SHORT] if len(self._layout.links) <= UNROLLED_LINKS else []

    def _written_out(self, task: Task, longest: int) -> Recipe | None:
        """Return straight-line code under constraints; None if it is longer than the limit."""
        if (task, longest) not in self._straight:
            assert self._known is not None
            self._straight[task, longest] = straight_code(task, self._kinds, self._known, self.backend, longest)
        return self._straight[task, longest]

    @cached_property
    def _limbs(self) -> Limbs | None:
        """The isomorphic subtrees that are computed at once."""
        return limbs_of(self._layout)

    @cached_property
    def _known(self) -> Known | None:
        """The knowledge built into straight-line code under constraints; None if loops are to stay loops."""
        if self.rows is None or self.backend != "llvm" or self.coupled:
            return None
        if not 0 < len(self._layout.links) <= STRAIGHT_LINKS or self.rows.m > STRAIGHT_ROWS:
            return None
        sizes, lengths = room(self._layout, 0)
        tables, counts = {**self._tables} | self.rows.tables(1), self._counts | lengths | self.rows.counts(1)
        own = sizes | self.rows.room(1)
        plain = frozenset(("rows", k, x) for k, x in plain_rows(self._layout, self.numbers["rows"])) | self.rows.plain
        if (legs := self._legs) is not None:
            tables, counts, own, plain = tables | legs.tables, counts | legs.counts, own | legs.room, legs.common(plain)
        return Known(
            frozenset(counts.items()),
            frozenset((name, tuple(x.ravel().tolist())) for name, x in tables.items()),
            plain,
            frozenset(own),
            legs,
        )

    @cached_property
    def _legs(self) -> Legs | None:
        """The isomorphic serial legs, if constraint rows tie them to the rest."""
        from rbdkit.engine.rows.legs import legs_of, with_reach
        from rbdkit.model.closing.rank import CEILING  # which most models never need

        assert self.rows is not None
        counts = self.rows.counts(1)
        legs = legs_of(self._layout, self.rows.tables(1), self.rows.m, counts["K_row"])
        if legs is None or self._somewhere is None:
            return legs
        found = {"q": self._somewhere, "v": np.zeros((SOMEWHERE, self.nv))}
        for algorithm in ("crba", "constraint_rows"):
            shapes = output_shapes(algorithm, self.nv, len(self._layout.link_of_body), rows=self.rows.m)
            found |= {name: np.zeros((SOMEWHERE, *shape)) for name, shape in shapes.items()}
            arrays = {name: found[name] for name in (*INPUTS[algorithm], *shapes)}
            self.bind(Task(algorithm), arrays, {"states": SOMEWHERE}, SOMEWHERE)()
        return with_reach(legs, found["H"], found["rows_K"], CLEAR * CEILING * self.rows.numbers["row_free"])

    def on_links(self, f_ext: NDArray) -> NDArray:
        """Map external forces on bodies (..., bodies, 6) to the links that carry them."""
        if self._links_are_bodies:
            return f_ext
        if self._body_on_link is not None:
            return f_ext[..., self._body_on_link, :]
        links = np.zeros((self._counts["n"] + 1, self._counts["n_bodies"]))
        links[self._layout.link_of_body, np.arange(links.shape[1])] = 1.0
        return links @ f_ext
