"""REDMAX (reduced and maximal coordinates): a tree in joint coordinates, with equations through the bodies' twists."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Kernels, NotCovered, kernels_for, simulate
from rbdkit.formulations.formulation import Acting, Force
from rbdkit.formulations.joint import JointSystem, finite
from rbdkit.formulations.system import Lagrangian, Starting, StiffMatrices
from rbdkit.model import Model
from rbdkit.model.element_states import require_no_states
from rbdkit.model.requirements import require_tree
from rbdkit.trace import Recordable, Run


class Redmax(JointSystem):
    """The `Formulation` of Sueda's notes: ``J^T M_m J qdd = J^T (f_m - M_m J-dot qd) + f_r`` (Eq 2.18).

    x and v are those of 'joint'; accelerations come from J, which maps joint velocities to the twists of all bodies, in
    O(n^3) operations instead of O(n). Terms that are known for bodies with six freedoms each, above all stiffness and
    damping, enter the equations through the same J.

    Parameters
    ----------
    model : Model
        A tree; joints may follow others.
    tau : callable, optional
        Applied joint forces as a function of (t, q, v), or None.
    f_ext : callable, optional
        External forces as a function of (t, q, v), or None.
    book : bool, optional
        True runs the readable form even where there is a compiled one.

    Raises
    ------
    ModelError
        If joints close loops, constraints hold, or force elements have states.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.1, formulation="redmax")
    >>> same = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.1)
    >>> bool(abs(motion.q[-1] - same.q[-1]).max() < 1e-12)
    True
    """

    name: ClassVar[str] = "redmax"
    takes_states: ClassVar[bool] = False

    def __init__(self, model: Model, tau: Force | None = None, f_ext: Force | None = None, book: bool = False) -> None:
        require_tree(model, "formulation 'redmax'")
        require_no_states(model, "formulation 'redmax'")
        # without the kernels of `JointSystem`, whose accelerations come from the articulated-body algorithm
        super().__init__(model, tau, f_ext, True)
        self._asked = tau is not None
        self._book = book
        self._compiled = None if book else kernels_for(model)

    @cached_property
    def _compiled(self) -> Kernels | None:
        return None if self._book else kernels_for(self.model)

    def rate(self, t: float, x: NDArray, v: NDArray) -> NDArray:
        from rbdkit.algorithms.redmax import bodies_at, reduced_equation

        finite(x)
        finite(v)
        f_ext = None if self.f_ext is None else self.f_ext(t, x, v)
        return reduced_equation(bodies_at(self.model, x, v, self.tau(t, x, v), f_ext=f_ext, t=t)).accelerations()

    def obstacle(self, acts: Acting | None) -> str:
        """Describe what prevents a compiled loop for the model or the forces; empty if nothing does."""
        if acts is None and (self.f_ext is not None or self._asked):
            return "tau or f_ext is a Python function"
        return "the engine does not know the model" if self._compiled is None else ""

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
        """Run in one compiled loop; None if there is an `obstacle`."""
        if issubclass(method.requires, Lagrangian):
            self.inertia(x)  # it refuses
        if self.obstacle(acts):
            return None
        assert self._compiled is not None
        acts = Acting(np.zeros(self.model.nv), None) if acts is None else acts
        begins = method.starting(self, times, x, v) if isinstance(method, Starting) else {}
        try:
            return simulate(
                self._compiled, x, v, times, method, acts.tau, acts.f_ext, every, progress, begins, redmax=True
            )
        except NotCovered:  # time moves joints, in a way that this method cannot follow
            return None

    def on_links(self, f_ext: NDArray) -> NDArray:
        """Convert forces on bodies (..., bodies, 6) to those on the links of the compiled loop."""
        return f_ext if self._compiled is None else self._compiled.on_links(f_ext)

    def stiffness(self, t: float, x: NDArray, v: NDArray) -> StiffMatrices:
        """Return ``J^T M_m J``, and K and D of passive forces mapped by the same J (Eq 2.79)."""
        from rbdkit.algorithms.redmax import bodies_at, reduced_equation
        from rbdkit.derivatives import stiffness_at

        finite(x)
        finite(v)
        bodies = bodies_at(self.model, x, v, t=t)
        K, D = stiffness_at(self.model, bodies, x, t=t).along(bodies)
        return StiffMatrices(reduced_equation(bodies).M_r, K, D)
