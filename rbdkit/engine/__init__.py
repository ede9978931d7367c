"""The compiled algorithms: how rbdkit computes when speed matters.

Some algorithms are written here once more, as plain Python on scalars and three-vectors (`steps`), traced by the
compiler (`rbdkit.trace`). They are a second text on purpose: `rbdkit.algorithms` has the book's tables, these have the
forms with the fewest operations, and the tests compare the two. Traced over a loop of links or over one small model,
they become machine code. All numbers of a model are inputs of that code: another mass, length or gravity
compiles nothing. (A joint's first rotor, or a ball joint's first spring, makes a new kind of link, which is compiled
once; so does, for the motions of a small model, a placement that leaves zero or comes to it.)

In the order of reading; the packages list their files in the same way::

    links            a Model as a chain of links with simple joints about z, and its numbers in arrays
    steps            vectors, joints, trees and the algorithms that are recorded over them
    contact          contact and friction inside the compiled time loop
    rows             constraints on a tree, such as loop joints, and its constrained dynamics
    run              programs compiled, cached and called: Kernels, simulate, simulate_many
    browser          a model as data for a web page, and the JavaScript that computes with it

Two forms are made of each algorithm. A loop over links serves every model with the same kinds of joints. Straight-line
code, in which zeros and ones of the placements have disappeared, is made for models of few links: for their motions,
and when a call has many states to compute. Either form also comes for several states at once, one in each lane of the
processor's wide registers: for large stacks of states, and for motions of models that differ in nothing but their
numbers.

The two forms round differently. Which of them runs depends on the model and the call alone, so the same call on the
same machine gives the same bits, whatever ran before. For motions it depends on the model alone: of two that begin
alike, the longer one begins with the shorter one, to the last bit, if both are computed here and their times are equal.
(Of large mechanisms with loops, motions of 5,000 steps or more have code of their own, see `run.bound`; and
`rbdkit.simulate` leaves short motions under functions that nobody marked as `traced` to Python.) A row of a
large stack of states, 100 for each link or more, may differ in the last bits from the same state alone; of small
mechanisms with loops, whose forward dynamics is straight-line code, it is one of 512 or more.

Compiled code is cached on disk, where the next process finds that of trees of rbdkit's own joints without tracing them,
and in memory while anything can call it; nothing else remains of deleted models. Several threads may compile at once,
and a process may fork while they do: the fork waits until none is inside LLVM or imports the modules that trace.

What the rest of rbdkit uses:

- ``backend(model) -> (name, why)``: 'llvm', 'python', 'checked', or 'book' if there are no kernels for the model.
- ``source(model, algorithm) -> str``: the code that is generated, with the lines of the text that it comes from.
- ``kernels_for(model) -> Kernels | None``: rnea, aba, forward_dynamics, crba, forward_kinematics, jacobian, energy,
  momentum and more for one state or a stack, in float64, unchecked. Mimic and prescribed joints are covered.
- ``at_one_state(model, algorithm, backend, q, ...)``: the same for one checked state, in a short time; None where
  anything needs a longer look.
- ``scene_for(model) -> (Scene | None, why)``: what may touch in a model; `contact.TimeSteps` is the method for
  `simulate` that asks for it.
- ``simulate(kernels, q, v, times, method, tau, ...) -> Run``: the loop over time, compiled; ``Feedback.of(trace)`` puts
  a function of t, q and v into it, ``evaluate`` computes one for many states. ``few_steps(kernels, ...) -> FewSteps``:
  its steps from one state after the other.
- ``simulate_many(kernels, q, v, times, method, tau, ...) -> list[Run]``: the same for many models with joints alike.
- ``operations(model, algorithm) -> Operations``: what an algorithm costs on a model, counted.
- ``packaged(model, method, tau, algorithms, parameters) -> dict``: code and numbers of a model as plain data, and
  ``loader() -> str``, the JavaScript that simulates it in a web page, also with other values of its parameters.
"""

from typing import TYPE_CHECKING

from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.run.kernels import Kernels
from rbdkit.engine.run.lookup import backend, kernels_for, scene_for
from rbdkit.engine.run.one_state import at_one_state
from rbdkit.engine.run.states import Into
from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.engine.browser import loader
    from rbdkit.engine.browser.packaged import packaged
    from rbdkit.engine.run.counting import operations
    from rbdkit.engine.run.ensemble import simulate_many
    from rbdkit.engine.run.simulation import few_steps, simulate
    from rbdkit.engine.run.source import source

__all__ = [
    "Kernels",
    "NotCovered",
    "at_one_state",
    "Into",
    "backend",
    "few_steps",
    "kernels_for",
    "loader",
    "operations",
    "packaged",
    "row_length",
    "scene_for",
    "simulate",
    "simulate_many",
    "source",
]


# What a single computation does not need is imported when it is first used.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.engine.browser": ["loader", "packaged"],
        "rbdkit.engine.run.counting": ["operations"],
        "rbdkit.engine.run.ensemble": ["simulate_many"],
        "rbdkit.engine.run.simulation": ["few_steps", "simulate"],
        "rbdkit.engine.run.source": ["source"],
        "rbdkit.engine.steps.sizes": ["row_length"],
    },
)
