"""The kernels of one model: compiled algorithms, arrays in, arrays out.

This is the engine's interface for the packages above it: a method for each algorithm, which names its inputs and lets
`StateComputer` run it on one state or a stack. Inputs are not checked: what users call checks them once. Algorithms
that would need rows of loops or constraints which are not covered are refused with a `ModelError`, never computed
without them.

The classes form three layers: `BoundModel` holds the model's numbers in arrays and chooses the form of the code,
`StateComputer` keeps bound calls and splits stacks among lanes and threads, `Kernels` knows the algorithms. Kernels are
made once for a model and dropped when it changes (`rbdkit.engine.run.lookup`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.run.calls import Frame
from rbdkit.engine.run.parameters import inertial_gradient, parameter_gradient
from rbdkit.engine.run.states import NEW, Into, StateComputer
from rbdkit.engine.steps.nodes import FRAME
from rbdkit.engine.steps.sizes import Reference
from rbdkit.model import Model
from rbdkit.model.requirements import besides_tree, loops_unseen
from rbdkit.trace import Backend, checked

Blocks = tuple[NDArray, NDArray, NDArray]

FRAMES = 256
"""Most frames of a model that are kept."""


@dataclass(frozen=True, eq=False)
class RneaGradient:
    """Gradient by q, v and qdd (..., nv), by the numbers of links (..., links + 1, 17), gravity (..., 3) and f_ext
    (..., bodies, 6).
    """

    by_q: NDArray
    by_v: NDArray
    by_qdd: NDArray
    by_link: NDArray
    by_gravity: NDArray
    by_f_ext: NDArray


@dataclass(frozen=True, eq=False)
class OwnGradient:
    """Gradient by q and v (..., nv), by the numbers of links as in `RneaGradient`, and by those of force elements (...,
    n).

    The last are in the order of `rbdkit.engine.links.own_forces.numbers_of_forces`, followed by constants.
    """

    by_q: NDArray
    by_v: NDArray
    by_link: NDArray
    by_numbers: NDArray


@dataclass(frozen=True, eq=False)
class RowsAt:
    """Constraints ``K vdot = k`` at states: K (..., rows, nv), k (..., rows), closure errors and velocity violations
    (..., rows), and the largest closure error (...,), see `Kernels.openness`.
    """

    K: NDArray
    k: NDArray
    gap: NDArray
    slip: NDArray
    openness: NDArray


class Kernels(StateComputer):
    """Compiled algorithms for one model, with its current parameters.

    States are float64 arrays of shape (..., nq) and (..., nv) with the same leading axes: one state or a stack. They
    are not checked; shapes must be right. Methods may be called from several threads at once.

    Parameters
    ----------
    model : if it has loops, its spanning tree is computed; algorithms that would need uncovered constraints are
    refused.
    backend : 'llvm', 'python' or 'checked'.

    Attributes
    ----------
    loops : names of the joints that close loops, and of constraints.
    numbers : the model's numbers by array name. shape : what straight-line code takes as given; None without such code.
    driven : its prescribed joints. coupled : whether there are mimic joints.

    Raises
    ------
    NotCovered
        If the model has a joint that the engine does not know.
    """

    def __init__(self, model: Model, backend: Backend) -> None:
        with checked(backend == "checked"):
            super().__init__(model, backend)
        self.loops = besides_tree(model)
        self._frames: dict[tuple[int, bytes], Frame] = {}

    def rnea(
        self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None, t: float = 0.0, into: Into = NEW
    ) -> NDArray:
        """Return the joint forces (..., nv) for given accelerations (inverse dynamics).

        f_ext : (..., bodies, 6) external forces in world coordinates, or (bodies, 6) for all states. t : time of all
        states, s. into : output buffer.
        """
        return self._compute("rnea", (q, v, qdd), f_ext, t, into=into)[0]

    def aba(
        self, q: NDArray, v: NDArray, tau: NDArray, f_ext: NDArray | None = None, t: float = 0.0, into: Into = NEW
    ) -> NDArray:
        """Return the joint accelerations (..., nv) for given joint forces, without springs and dampers.

        Raises
        ------
        ModelError
            If joints close loops.
        """
        if self.loops:
            self.refuse_loops("the articulated-body algorithm")
        return self._compute("aba", (q, v, tau), f_ext, t, into=into)[0]

    def forward_dynamics(
        self,
        q: NDArray,
        v: NDArray,
        tau: NDArray,
        f_ext: NDArray | None = None,
        t: float | NDArray = 0.0,
        z: NDArray | None = None,
        into: Into = NEW,
    ) -> NDArray:
        """Return the joint accelerations (..., nv) under given joint forces, passive forces and force elements.

        z : (..., nz) states of force elements, where they have some.

        Where joints close loops these are those of the constrained tree; a `ModelError` if their rows are not covered.
        """
        self.require_rows("forward dynamics")
        return self._compute("forward_dynamics", (q, v, tau), f_ext, t, z=z, into=into)[0]

    def stabilised_dynamics(
        self,
        q: NDArray,
        v: NDArray,
        tau: NDArray,
        factors: NDArray,
        f_ext: NDArray | None = None,
        t: float | NDArray = 0.0,
        z: NDArray | None = None,
    ) -> NDArray:
        """Return the accelerations with Baumgarte terms. factors : of velocity violation and closure error."""
        self.require_rows("forward dynamics")
        return self._compute("stabilised_dynamics", (q, v, tau), f_ext, t, z=z, common={"baumgarte": factors})[0]

    def reactions(
        self,
        q: NDArray,
        v: NDArray,
        tau: NDArray,
        f_ext: NDArray | None = None,
        t: float | NDArray = 0.0,
        z: NDArray | None = None,
    ) -> tuple[NDArray, NDArray]:
        """Return accelerations and, for each of the `rows`, minus its reaction (..., rows); zero for redundant rows."""
        self.require_rows("forward dynamics")
        qdd, reactions = self._compute("reactions", (q, v, tau), f_ext, t, z=z)
        return qdd, reactions

    def constraint_rows(self, q: NDArray, v: NDArray, t: float = 0.0) -> RowsAt:
        """Return the constraint `rows` at states, with their closure errors and velocity violations."""
        self.require_rows("rows of constraints")
        K, k, gap, slip, opened = self._compute("constraint_rows", (q, v), t=t)
        return RowsAt(K, k, gap, slip, np.sqrt(opened[..., 0]))

    def openness(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the largest closure error (...,) of constraints: an angle, or a fraction of the mechanism's length."""
        self.require_rows("the gaps of constraints")
        return np.asarray(np.sqrt(self._compute("openness", (q,), t=t)[0][..., 0]))

    @property
    def knows_residuals(self) -> bool:
        """Whether `residuals` is available."""
        return self.rows is not None and self.rows.known_by_bodies

    def residuals(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the residuals (..., m) of loop joints, rad and m, from the poses of the bodies that they join.

        See `knows_residuals`. For a reversed loop joint they are those of the joint inside.
        """
        return self._compute("residuals", (q,), t=t)[0]

    def transmitted(self) -> list[NDArray]:
        """Return for each loop joint the wrenches (rows, 6) of its rows, on the successor body in its coordinates.

        The successor is that of the joint inside where a loop joint is a reversed one.
        """
        from rbdkit.engine.rows.loop_joints import transmitted  # which most models never need

        self.require_rows("what loop joints transmit")
        assert self.rows is not None
        return transmitted(self.rows.parts[0], self.numbers["frames"])

    def own_forces(
        self, q: NDArray, v: NDArray, t: float | NDArray = 0.0, z: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the force elements' joint forces (..., nv), stored energy, J, and dissipated power, W, (...) each."""
        if self.own is None:
            nothing = np.zeros(q.shape[:-1])
            return np.zeros(v.shape), nothing, nothing
        powers, tau, *_ = self._compute("own_forces", (q, v), t=t, z=z)
        return tau, powers[..., 0], powers[..., 1]

    def own_state_rates(self, q: NDArray, v: NDArray, z: NDArray, t: float | NDArray = 0.0) -> NDArray:
        """Return the time derivative (..., nz) of the states z of force elements."""
        return self._compute("own_forces", (q, v), t=t, z=z)[2] if self._has_states else np.zeros(z.shape)

    def own_gradient(self, q: NDArray, v: NDArray, weights: NDArray, t: float = 0.0) -> OwnGradient:
        """Return the gradient of ``weights . own_forces(q, v)[0]``."""
        return OwnGradient(*self._compute("own_gradient", (q, v, weights), t=t))

    def motors(self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None, t: float = 0.0) -> NDArray:
        """Return the forces that drive prescribed joints, along the velocities of the joints inside them."""
        return self._compute("motors", (q, v, qdd), f_ext, t)[0]

    def crba(self, q: NDArray, t: float = 0.0, into: Into = NEW) -> NDArray:
        """Return the joint-space inertia matrix (..., nv, nv)."""
        return self._compute("crba", (q,), t=t, into=into)[0]

    def forward_kinematics(
        self, q: NDArray, v: NDArray | None = None, t: float = 0.0
    ) -> tuple[NDArray, NDArray | None]:
        """Return world poses (..., bodies, 4, 4), and with v the body twists (..., bodies, 6) in body coordinates."""
        if v is None:
            return self._compute("poses", (q,), t=t)[0], None
        poses, velocities = self._compute("kinematics", (q, v), t=t)
        return poses, velocities

    def energy(self, q: NDArray, v: NDArray, t: float | NDArray = 0.0, z: NDArray | None = None) -> NDArray:
        """Return kinetic, gravitational and spring energy (..., 3), J; the last includes that of force elements."""
        return self._compute("energy", (q, v), t=t, z=z)[0]

    def jacobian(
        self, q: NDArray, body: int, placement: NDArray, reference: Reference, t: float = 0.0, into: Into = NEW
    ) -> NDArray:
        """Return the Jacobian (..., 6, nv) of a frame with a placement (4, 4) on a body."""
        return self._compute(f"jacobian_{reference}", (q,), t=t, frame=self.frame(body, placement), into=into)[0]

    def bias_acceleration(
        self, q: NDArray, v: NDArray, body: int, placement: NDArray, reference: Reference, t: float = 0.0
    ) -> NDArray:
        """Return the bias acceleration Jdot v (..., 6) of a frame on a body."""
        return self._compute(f"bias_acceleration_{reference}", (q, v), t=t, frame=self.frame(body, placement))[0]

    def center_of_mass(self, q: NDArray, t: float = 0.0) -> NDArray:
        """Return the centre of mass (..., 3) of the moving bodies."""
        return self._compute("center_of_mass", (q,), t=t)[0]

    def momentum(self, q: NDArray, v: NDArray, about: Literal["world", "com"], t: float = 0.0) -> NDArray:
        """Return the spatial momentum (..., 6) in world axes about the world's origin or the centre of mass."""
        return self._compute(f"momentum_{about}", (q, v), t=t)[0]

    def rnea_jacobian(
        self, q: NDArray, v: NDArray, qdd: NDArray, f_ext: NDArray | None = None, into: Into = NEW
    ) -> Blocks:
        """Return the derivatives (..., nv, nv) of `rnea` by q, v and qdd.

        They are views of one array (..., nv, `row_length` of 3 nv).
        """
        return self._blocks(*self._compute("rnea_jacobian", (q, v, qdd), f_ext, into=into))

    def aba_jacobian(
        self,
        q: NDArray,
        v: NDArray,
        tau: NDArray,
        f_ext: NDArray | None = None,
        passive: bool = False,
        t: float = 0.0,
        into: Into = NEW,
    ) -> tuple[Blocks, NDArray]:
        """Return the derivatives of `aba`, or of `forward_dynamics` if passive; and qdd.

        The derivatives are those by q, v and tau, (..., nv, nv) each.
        """
        if self.loops:
            self.refuse_loops("the derivative of forward dynamics")
        algorithm = "forward_dynamics_jacobian" if passive else "aba_jacobian"
        if self.own is None or not passive:
            derivatives, qdd = self._compute(algorithm, (q, v, tau), f_ext, into=into)
            return self._blocks(derivatives), qdd
        # force elements act like joint forces, so their slopes come in by the chain rule
        derivatives, qdd = self._compute(algorithm, (q, v, tau + self.own_forces(q, v, t)[0]), f_ext, into=into)
        by_q, by_v, by_tau = self._blocks(derivatives)
        # one gradient for each row of the derivative of their forces
        rows_q, rows_v = (np.repeat(x[..., None, :], v.shape[-1], axis=-2) for x in (q, v))
        slopes = self.own_gradient(rows_q, rows_v, np.broadcast_to(np.eye(v.shape[-1]), rows_v.shape), t)
        return (by_q + by_tau @ slopes.by_q, by_v + by_tau @ slopes.by_v, by_tau), qdd

    def rnea_gradient(
        self, q: NDArray, v: NDArray, qdd: NDArray, weights: NDArray, f_ext: NDArray | None = None
    ) -> RneaGradient:
        """Return the gradient of ``weights . tau`` of `rnea`."""
        found = RneaGradient(*self._compute("rnea_gradient", (q, v, qdd, weights), f_ext))
        return replace(found, by_f_ext=found.by_f_ext[..., self._layout.link_of_body, :])

    def passive_gradient(self, q: NDArray, v: NDArray, weights: NDArray) -> list[NDArray]:
        """Return the gradient of ``weights . passive_forces`` by q, v, damping, stiffness and rest, (..., nv) each."""
        return self._compute("passive_gradient", (q, v, weights))

    def inverse_inertia_times(self, q: NDArray, x: NDArray) -> NDArray:
        """Return H^-1 x (..., nv) without forming H."""
        if self.loops:
            self.refuse_loops("the inverse of H")
        return self._compute("inverse_inertia", (q, x))[0]

    def parameter_gradient(self, model: Model, by_link: NDArray) -> dict[str, NDArray]:
        """Return gradients by the model's masses, centres of mass, inertias, placements and pitches."""
        return parameter_gradient(model, self._layout, self.numbers["frames"], by_link)

    def inertial_gradient(self, by_link: NDArray) -> NDArray:
        """Return the gradient by mass, first moment and inertia about its origin of each body (..., bodies, 10)."""
        return inertial_gradient(self._layout, self.numbers["frames"], by_link)

    def require_rows(self, algorithm: str) -> None:
        """Raise a `ModelError` if the model has loops whose constraint rows are not covered."""
        if self.loops and self.rows is None:
            self.refuse_loops(f"{algorithm} ({self.why_not})")

    def refuse_loops(self, algorithm: str) -> NoReturn:
        """Raise the `ModelError` of an algorithm that would need loop constraints."""
        raise loops_unseen(self.loops, self._model_name, algorithm)

    def _blocks(self, derivatives: NDArray) -> Blocks:
        nv = self._counts["nv"]
        return derivatives[..., :nv], derivatives[..., nv : 2 * nv], derivatives[..., 2 * nv : 3 * nv]

    def frame(self, body: int, placement: NDArray) -> Frame:
        """Return the frame with a placement (4, 4) on a body."""
        known = self._frames.get((body, placement.tobytes()))
        if known is not None:
            return known
        # of the body in the link that carries it, which is all that programs know
        R, p = np.split(self.numbers["frames"].reshape(-1, FRAME)[body], [9])
        R = R.reshape(3, 3)
        pose = [*(R @ placement[:3, :3]).ravel().tolist(), *(p + R @ placement[:3, 3]).tolist()]
        made = Frame(int(self._layout.link_of_body[body]), np.array(pose))
        if len(self._frames) >= FRAMES:  # a frame that the user moves would otherwise fill memory
            self._frames.clear()
        return self._frames.setdefault((body, placement.tobytes()), made)
