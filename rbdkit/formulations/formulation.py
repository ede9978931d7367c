"""Interface of formulations: systems of equations of motion that stand for a model.

`Formulation` is what every one has. The other protocols are optional capabilities, which `simulate` asks for with
`isinstance`: a compiled loop, remarks for the report, constraints, joint coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from numpy.typing import NDArray

from rbdkit.algorithms import Energy
from rbdkit.formulations.system import System
from rbdkit.model import Model
from rbdkit.trace import Controller, Feedback

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.index1 import Index1
    from rbdkit.model.constraint_rows import ConstraintRows
    from rbdkit.trace import Recordable, Run

Force = Callable[[float, NDArray, NDArray], NDArray]
"""Joint forces (nv,), or external forces (number of bodies, 6), as a function of (t, x, v)."""


def always(force: NDArray, t: float, x: NDArray, v: NDArray) -> NDArray:
    """Return a constant force; ``partial(always, force)`` can be pickled, unlike a lambda."""
    return force


@runtime_checkable
class Formulation(System, Protocol):
    """A `System` that stands for a model, made as ``Formulation(model, tau, f_ext)``.

    Its x are positions in the formulation's own form, as one flat array; its v are velocities without redundancy or
    with constraints between them. tau and f_ext are functions of (t, x, v), or None: joint forces (nv,), and external
    forces (bodies, 6) in world coordinates about the world origin, as `rbdkit.algorithms.external_forces` gives them.
    The functions below take one state or a stack of states (leading axes), all at the time t in s: it matters where
    joints are prescribed.

    A class with ``takes_states = True`` supports states of force elements: they follow the velocities in v, and their
    rates follow in vdot; displacements are zero there, and `state` gives the velocities alone.
    """

    name: ClassVar[str]
    """Name of the formulation in `simulate`."""
    model: Model

    def state(self, q: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return the state (x, v) of joint coordinates and joint velocities."""
        ...

    def poses(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Return the world poses of all bodies, the world first, shape (..., bodies, 4, 4)."""
        ...

    def velocities(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Return the spatial velocities of all bodies in body coordinates, angular first, shape (..., bodies, 6)."""
        ...

    def energy(self, x: NDArray, v: NDArray, t: float = 0.0) -> Energy:
        """Return kinetic, gravitational and spring energy, J."""
        ...

    def invariants(self, x: NDArray, v: NDArray, t: float = 0.0) -> dict[str, NDArray]:
        """Return the quantities that are conserved without applied forces, by name; shapes (...) or (..., n)."""
        ...

    def constraint_error(self, x: NDArray, t: float = 0.0) -> NDArray:
        """Return the residuals of the position constraints, shape (..., m), rad and m; m is 0 without constraints."""
        ...


@dataclass(frozen=True)
class Acting:
    """Applied joint forces and external forces in the form that compiled loops over time take.

    Parameters
    ----------
    tau : ndarray or Feedback
        (nv,) constant, (steps, nv) held over each step, (steps + 1, nv) interpolated linearly; or a traced function
        of time, joint coordinates and joint velocities.
    f_ext : ndarray or Feedback or None
        (bodies, 6) in world coordinates, or a traced function that gives them, or None.
    asked : Controller, optional
        A sampled controller, which enters the forces into tau as the run goes on.
    """

    tau: NDArray | Feedback
    f_ext: NDArray | Feedback | None
    asked: Controller | None = None

    def __str__(self) -> str:
        """Name the forces that are traced functions or asked for, for reports."""
        names = [name for name in ("tau", "f_ext") if isinstance(getattr(self, name), Feedback)]
        parts = [f"{' and '.join(names)} traced"] if names else []
        return ", ".join([*parts, *(["tau from a sampled controller"] if self.asked is not None else [])])


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
        """Run from the state (x, v) through the given times; None if there is an `obstacle`.

        Parameters
        ----------
        method : an integrator that records its steps.
        times : (steps + 1,) s.
        every : number of steps between recorded states; the last state is recorded, too.
        progress : called with the fraction done.
        acts : the applied forces for compiled loops; None if there are none, or they are Python functions only.
        """
        ...

    def obstacle(self, acts: Acting | None) -> str:
        """Describe what prevents a compiled loop for the model or the forces; empty if nothing does."""
        ...


@runtime_checkable
class Remarking(Protocol):
    """A formulation that adds remarks to the report of a run."""

    def remarks(self, t: NDArray, x: NDArray, v: NDArray, closing: bool = False) -> list[str]:
        """Return sentences for the report on a run through states (n, nx), (n, nv) at times t (n,).

        closing : whether the method projects to the constraints in every step.
        """
        ...


@runtime_checkable
class Holding(Protocol):
    """A formulation that supports the constraint elements of a model (`rbdkit.constraints`)."""

    @property
    def held(self) -> ConstraintRows | None:
        """Rows of the constraint elements, the last ones of the formulation's rows; None if there are none."""
        ...

    @property
    def nonholonomic(self) -> tuple[str, ...]:
        """Names of the constraints that are nonholonomic, wholly or in part."""
        ...

    def index1(self, t: float, x: NDArray, v: NDArray) -> Index1:
        """Return the equations of motion with all constraint rows, in index-1 form."""
        ...

    def slip(self, x: NDArray, v: NDArray, t: float = 0.0) -> NDArray:
        """Return the violation of nonholonomic constraints, (..., m), by rows of `constraint_error`; 0 in others."""
        ...


@runtime_checkable
class InJoints(Protocol):
    """A formulation whose states determine the joint coordinates, multi-turn angles included (poses do not)."""

    def joint_state(self, x: NDArray, v: NDArray) -> tuple[NDArray, NDArray]:
        """Return q (..., nq) and the joint velocities (..., nv) of one state or a stack of states."""
        ...


@runtime_checkable
class Gaping(Protocol):
    """A formulation whose joints may be violated a little; force elements act on the actual poses of the bodies."""

    def lost_in_elements(self, x: NDArray, v: NDArray, t: float = 0.0) -> float:
        """Return the power that force elements dissipate at one state, W."""
        ...
