"""A model to which programs are bound."""

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
"""What the force elements of a model take part in."""

WITH_ROWS = (
    "forward_dynamics",
    "reactions",
    "stabilised_dynamics",
    "constraint_rows",
    "openness",
    "residuals",
    "over_time",
)
"""What constraints take part in."""

BY_DEPTH = ("aba_jacobian", "forward_dynamics_jacobian")
"""What has a form of its own for trees in which many joints move a body."""
DEEP = 12
"""So many, on average, are many."""
STRAIGHT_ROWS = STRAIGHT_LINKS = 24
"""Motions of models with so many links, under so many rows, have straight-line code if it is not too long."""
SOMEWHERE, CLEAR = 3, 10.0
"""Poses at which it is looked at what legs do by themselves; so many times what decides is clearly something."""
MANY_STEPS = 5_000
"""A motion of so many steps is worth code that takes seconds to compile, once for all models that are alike."""


class BoundModel:
    """The numbers of a model, as it is now, in the arrays that programs read.

    Parameters
    ----------
    model : a tree, or one with loops: most of what is computed is that of the spanning tree, see `WITH_ROWS`.
    backend : 'llvm', 'python' or 'checked'.

    Attributes
    ----------
    numbers : of the model, in the arrays that programs read. shape : of straight-line code for it, if there is any.
    driven : its joints that move as time says. coupled : whether joints follow others.
    own : what acts in it by itself, None if nothing does.
    rows : what constrains its tree, None if nothing does, or if it is not known; why_not : why that is so, or empty.
    uses : what formulas of a user's own were made of, None if there are none.

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
                if not kept(model, tree_has_inertia):  # factors of H are what reactions are found with
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
        # neither what time says nor formulas of a user's own are asked for poses that nobody asked for
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
        """Whether many joints move a body."""
        return int(self._tables["first_support"][-1]) > DEEP * self._layout.nv

    @property
    def nv(self) -> int:
        """Number of joint velocities."""
        return self._layout.nv

    @property
    def nz(self) -> int:
        """Number of states that force elements have of their own."""
        return 0 if self.own is None else self.own.nz

    @property
    def timed(self) -> bool:
        """Whether force elements ask for time."""
        return self.own is not None and self.own.asks_time

    @property
    def rows_timed(self) -> bool:
        """Whether constraints ask for time."""
        return self.rows is not None and any(code.timed for code in self.rows.codes)

    @property
    def names(self) -> set[str]:
        """Of the arrays and tables that its programs are bound to, besides those of a task."""
        rows = {} if self.rows is None else self.rows.tables(1) | self.rows.room(1)
        return {*self.numbers, *self._tables, *room(self._layout, 0)[0], *rows}

    @property
    def likeness(self) -> Hashable:
        """What models have in common that can be computed in the lanes of one program."""
        layout = self._layout
        rows = None if self.rows is None else self.rows.likeness
        place = tuple(layout.link_of_body)
        shape = self.shape if self.unrolls(None) else None
        return self.backend, layout.links, layout.nq, layout.nv, place, shape, self.own, rows

    def scene(self, model: Model) -> Scene:
        """What may touch in the model that this was made of.

        Raises
        ------
        NotCovered
            If its contacts are not compiled.
        """
        from rbdkit.engine.contact.scene import scene_of  # which most models never need

        return scene_of(model, self._layout, self.numbers["frames"], self.rows)

    def unrolls(self, states: int | None) -> bool:
        """Whether straight-line code serves so many states, or, if None, a motion of any length.

        Loops know which link they are at, so code that is checked has no other.
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
        """A task bound to arrays and counts besides those of the model.

        Parameters
        ----------
        states : how many states the call has, None for a motion: see `unrolls`.
        lanes : how many states run at once. numbers : of the model in each lane; those of this one if not given.
        steps : how many a motion has.
        """
        task = self._of_model(task)
        recipe = self._recipe(task, states, lanes, steps)
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
        """What binds a motion's task to arrays and counts of these names, as often as is asked for.

        fixed : arrays that it is bound to besides those of the model. steps : how many the motion has.
        """
        task = self._of_model(task)
        recipe = self._recipe(task, None, ALONE, steps)
        return self._binder(recipe, task, ALONE, {**self.numbers, **fixed}, arrays, counts)

    def _of_model(self, task: Task) -> Task:
        """A task with what of the model takes part in it."""
        if task.algorithm in WITH_OWN_FORCES:
            task = replace(task, own=self.own)
        if task.algorithm in WITH_ROWS and self.rows is not None:
            task = replace(task, rows=self.rows.codes)
        return replace(task, deep=self._deep) if task.algorithm in BY_DEPTH else task

    def walk(self, task: Task, arrays: Mapping[str, list[Scalar]], counts: Mapping[str, int]) -> None:
        """Do a task for one state on numbers and symbols, without compiling it.

        arrays : lists of what it reads and writes besides the numbers of the model; results are left there.
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

    def recorded(self, algorithm: str) -> Program:
        """The program of an algorithm as a loop over links."""
        from rbdkit.engine.run.recordings import recorded_code  # which numbers never need

        return recorded_code.__wrapped__(self._of_model(Task(algorithm)), self._kinds).program

    def _tables_for(self, program: Program) -> dict[str, NDArray]:
        """The tables of the model that a program reads."""
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
        """Binds a recipe to arrays and counts of these names. numbers : of the model."""
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
        several_links = self.coupled and task.algorithm == "crba"  # a freedom: only the loop adds them up
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
        """Whether the legs of one state are computed side by side: several states at once are no quicker then."""
        constrained = algorithm == "forward_dynamics" and self.rows is not None and self._known is not None
        return constrained and self._known.legs is not None and self._known.legs.apart > 0  # type: ignore[union-attr]

    def _lengths(self, task: Task, steps: int) -> list[int]:
        """How long straight-line code under constraints may be, one attempt after the other; none for loops."""
        motion = task.step is not None
        if task.touching is not None or not (motion or task.algorithm == "forward_dynamics") or self._known is None:
            return []
        if self._known.legs is not None and self._known.legs.apart:  # code that is short, and much quicker
            return [LONGEST]
        if motion:
            return [LONG, LONGEST] if steps >= MANY_STEPS else [LONG]
        return [SHORT] if len(self._layout.links) <= UNROLLED_LINKS else []

    def _written_out(self, task: Task, longest: int) -> Recipe | None:
        """Straight-line code under constraints; None if it is longer."""
        if (task, longest) not in self._straight:
            assert self._known is not None
            self._straight[task, longest] = straight_code(task, self._kinds, self._known, self.backend, longest)
        return self._straight[task, longest]

    @cached_property
    def _limbs(self) -> Limbs | None:
        """The limbs that are computed at once."""
        return limbs_of(self._layout)

    @cached_property
    def _known(self) -> Known | None:
        """What straight-line code under constraints takes for granted; None if loops are to stay loops."""
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
        """The legs that are alike, if rows tie them to the rest."""
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
        """External forces on bodies (..., bodies, 6) as forces on the links that carry them."""
        if self._links_are_bodies:
            return f_ext
        if self._body_on_link is not None:
            return f_ext[..., self._body_on_link, :]
        links = np.zeros((self._counts["n"] + 1, self._counts["n_bodies"]))
        links[self._layout.link_of_body, np.arange(links.shape[1])] = 1.0
        return links @ f_ext
