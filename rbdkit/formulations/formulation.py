"""What a formulation knows of the model that it stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.formulations.system import System
from rbdkit.model import Model
from rbdkit.trace import Feedback

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.index1 import Index1
    from rbdkit.model.constraint_rows import ConstraintRows
    from rbdkit.trace import Recordable, Run

Force = Callable[[float, NDArray, NDArray], NDArray]
"""Joint forces (nv,), or external forces (number of bodies, 6), as a function of (t, x, v)."""


def always(force: NDArray, t: float, x: NDArray, v: NDArray) -> NDArray:
    """A force that depends on nothing; ``partial(always, force)`` can be pickled, as a lambda cannot."""
    return force


@runtime_checkable
class Formulation(System, Protocol):
    """A `System` that stands for a model, made as ``Formulation(model, tau, f_ext)``.

    Its x are positions in the formulation's own form, as one flat array; its v are velocities without redundancy or
    with constraints between them. tau and f_ext are functions of (t, x, v), or None: joint forces (nv,), and external
    forces (bodies, 6) in world coordinates about the world origin, as `rbdkit.algorithms.external_forces` gives them.
    The functions below take one state or a stack of states (leading axes), all at the time t in s: it matters where
    joints are prescribed.

    A class with ``takes_states = True`` has a place for the states of force elements: they stand behind its velocities
    in v, and their rates in vdot; displacements are zero there, `state` gives the velocities alone.
    """

    name: ClassVar[str]
    """What `simulate` calls it."""
    model: Model

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """The state (x, v) of joint coordinates and joint velocities."""
        ...

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        """World poses of all bodies, the world first, shape (..., bodies, 4, 4)."""
        ...

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Spatial velocities of all bodies in body coordinates, angular first, shape (..., bodies, 6)."""
        ...

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        """Kinetic, gravitational and spring energy, J."""
        ...

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """What the motion keeps while no outer force acts, by name; values of shape (...) or (..., n)."""
        ...

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Residuals of the position constraints, shape (..., m), rad and m; m is 0 where there are none."""
        ...


@dataclass(frozen=True)
class Acting:
    """The applied joint forces and the external forces as compiled loops over time take them.

    Parameters
    ----------
    tau : ndarray or Feedback
        (nv,) constant, (steps, nv) held over each step, (steps + 1, nv) with straight lines between; or what
        computes them from time, joint coordinates and joint velocities.
    f_ext : ndarray or Feedback or None
        (bodies, 6) in world coordinates, or what computes those, or None.
    """

    tau: NDArray | Feedback
    f_ext: NDArray | Feedback | None

    def __str__(self) -> str:
        """Which of them are traced functions."""
        names = [name for name in ("tau", "f_ext") if isinstance(getattr(self, name), Feedback)]
        return f"{' and '.join(names)} traced" if names else ""


@runtime_checkable
class Compiled(Protocol):
    """A formulation that has a compiled loop over time for some integrators."""

    def compiled_run(
        self,
        method: Recordable,
        times: NDArray,
        x: NDArray,
        v: NDArray,
        every: int,
        progress: Callable[[float], object],
        acts: Acting | None = None,
    ) -> Run | None:
        """The run from the state (x, v) through the given times, every n-th state and the last recorded; or None, if
        there is an `obstacle`.

        Parameters
        ----------
        method : an integrator that records its steps.
        acts : the forces, of which the formulation may know as functions of its states, too; None if there are none.
        """
        ...

    def obstacle(self, acts: Acting | None) -> str:
        """What of the model or the forces compiled loops do not know, in a few words; empty if they know it all."""
        ...


@runtime_checkable
class Remarking(Protocol):
    """A formulation that has something to say of a run through its states."""

    def remarks(self, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
        """Sentences for the report on a run through states (n, nx), (n, nv) at times t (n,).

        closing : whether the method was to close joints in every step.
        """
        ...


@runtime_checkable
class Holding(Protocol):
    """A formulation that knows the constraints of a model."""

    @property
    def held(self) -> ConstraintRows | None:
        """Their rows, which are the last of its own; None if there are none."""
        ...

    @property
    def nonholonomic(self) -> tuple[str, ...]:
        """Names of those that hold on velocities alone, or in part."""
        ...

    def index1(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """The equations of motion and of all rows."""
        ...

    def slip(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """What is missing of these, (..., m), in the rows of `constraint_error`; 0 in those that positions tell."""
        ...


@runtime_checkable
class InJoints(Protocol):
    """A formulation whose states tell the joint coordinates, whole turns included; those of others come from poses."""

    def joint_state(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """q (..., nq) and the joint velocities (..., nv) of one state or a stack of states."""
        ...


@runtime_checkable
class Gaping(Protocol):
    """A formulation of bodies whose joints may stand open, with force elements on the bodies where these are."""

    def lost_in_elements(self, x: NDArray, v: NDArray, t: float = 0.0) -> float:
        """Power that force elements lose, W, at one state."""
        ...
