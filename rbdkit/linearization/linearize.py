"""`rbdkit.linearize`: the linear equations of small motions about a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_continuous_are

from rbdkit.derivatives import forward_dynamics_derivatives
from rbdkit.errors import ArgumentError, StateError
from rbdkit.linearization.held_contacts import held, warn_if_pulled
from rbdkit.linearization.inputs import velocities_of, velocity_names
from rbdkit.linearization.near import Near
from rbdkit.model import Model
from rbdkit.model.constraint_rows import constraint_rows
from rbdkit.model.controls import drives
from rbdkit.model.requirements import require_model
from rbdkit.spatial.read_numbers import floats, shown

Contacts = Literal["held", "ignore"]


@dataclass(frozen=True, eq=False)
class Linearization:
    """Linear equations ``x' = A x + B u`` of small motions about a state.

    x are displacements along ``model.integrate`` of the `independent` velocities' coordinates, then the differences of
    these velocities; u are the differences of joint forces or controls, on `inputs`. Along a motion (v not zero) x is
    relative to the moving state.

    Attributes
    ----------
    model : Model
        The mechanism.
    q, v, tau : ndarray (nq,), (nv,), (nv,)
        The state, and the joint forces there.
    A : ndarray (2 d, 2 d)
        d is the number of freedoms.
    B : ndarray (2 d, m)
        m is the number of inputs.
    independent : ndarray of int (d,)
        The velocities that determine all others; all of them in a tree.
    inputs : tuple of int or of str
        Velocities along which u acts, or names of the actuators that it controls.
    basis : ndarray (nv, d)
        Displacements of all joints for one of each independent one.
    a : ndarray (nv,)
        Joint accelerations at the state; zero where it is at rest.
    states : tuple of str
        Names of the entries of x.
    """

    model: Model
    q: NDArray
    v: NDArray
    tau: NDArray
    A: NDArray
    B: NDArray
    independent: NDArray
    inputs: tuple[Any, ...]
    basis: NDArray
    a: NDArray
    states: tuple[str, ...]

    @property
    def poles(self) -> NDArray:
        """Eigenvalues of A, 1/s, sorted by their real parts, the least stable first."""
        found = np.linalg.eigvals(self.A)
        order: NDArray = found[np.argsort(-found.real, kind="stable")]
        return order

    def error(self, q: ArrayLike, v: ArrayLike) -> NDArray:
        """Return x (2 d,) of a state near this one."""
        away = self.model.difference(self.q, np.asarray(q))
        return np.concatenate([away[self.independent], (np.asarray(v) - self.v)[self.independent]])

    def lqr(self, Q: ArrayLike, R: ArrayLike) -> NDArray:
        """Return the gains K (m, 2 d) of the linear-quadratic regulator, for ``u = -K @ error(q, v)``.

        Parameters
        ----------
        Q : array_like (2 d, 2 d) or (2 d,)
            Weights of x; a vector is a diagonal.
        R : array_like (m, m) or (m,)
            Weights of u, positive.

        Raises
        ------
        StateError
            If no gains stabilise the state: something unstable that the inputs cannot reach.
        """
        weights = []
        for name, value, n in (("Q", Q, len(self.A)), ("R", R, self.B.shape[1])):
            array = floats(value, f"{name} {{}} is no array of numbers".format, StateError)
            array = np.diag(array) if array.ndim == 1 else array
            if array.shape != (n, n):
                raise StateError(f"{name} has shape {array.shape}; give ({n},) or ({n}, {n})")
            weights.append(array)
        try:
            P = solve_continuous_are(self.A, self.B, *weights)
        except (np.linalg.LinAlgError, ValueError) as fault:
            raise StateError(
                f"no gains stabilise model {self.model.name!r} here ({fault}); an unstable motion is out of reach of "
                "the inputs, or R is not positive"
            ) from fault
        return np.asarray(np.linalg.solve(weights[1], self.B.T @ P))


def linearize(
    model: Model,
    q: ArrayLike,
    v: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    inputs: str | Iterable[str | int] | None = None,
    contacts: Contacts = "held",
    t: float = 0.0,
    u: ArrayLike | Mapping[str, float] | None = None,
) -> Linearization:
    """Linearise the motion about a state: A and B of ``x' = A x + B u``, on the manifold of the coordinates.

    Springs, dampers, force elements, loops and constraints take part; corners that touch something are held where they
    are, as friction does.

    Parameters
    ----------
    model : Model
        The mechanism.
    q : array_like (nq,)
        Coordinates; loops must be closed.
    v : array_like (nv,), optional
        Joint velocities; zero if not given.
    tau : array_like (nv,), optional
        Joint forces at the state; zero if not given. `equilibrium` finds those that hold it.
    inputs : str or iterable of str or int, optional
        Joints, or numbers of velocities, whose forces are u; all by default.
    contacts : {'held', 'ignore'}, optional
        'held' keeps corners that touch where they are; 'ignore' leaves all contacts out.
    t : float, optional
        Time, s; for prescribed joints and force elements that depend on it.
    u : array_like (nu,) or mapping of str to float, optional
        Controls of the model's actuators at the state, as for `simulate`. Then u of the result are these controls, in
        place of joint forces; those that are cut by limits have no effect.

    Returns
    -------
    rbdkit.linearization.Linearization
        A, B, the poles, and `lqr` for a regulator.

    Raises
    ------
    StateError
        If the state does not fit the model, loops are open, or a contact slides, rolls or has no friction; along a
        motion, if a constraint holds velocities alone, as rolling does.
    ArgumentError
        If an input or `contacts` is unknown, both `inputs` and `u` are given, or force elements have states.

    Notes
    -----
    Trees: exact derivatives. Loops, constraints and held contacts: differences of fourth order between states in which
    they are closed, accurate to about 1e-10 of the largest entry.

    See Also
    --------
    equilibrium : A state at rest to linearise about.
    forward_dynamics_derivatives : The partial derivatives themselves, for stacks of states.

    Examples
    --------
    A pendulum of 1 kg on 1 m swings at sqrt(g / l) rad/s and falls over at the top:

    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> model = rbd.Model("pendulum")
    >>> ball = model.add_body("ball", joint=rbd.Revolute("y"), inertia=rbd.Inertia(1.0, com=[0, 0, -1]))
    >>> abs(rbd.linearize(model, [0.0]).poles.imag).round(4).tolist()
    [3.1321, 3.1321]
    >>> top = rbd.linearize(model, [np.pi])
    >>> gains = top.lqr(Q=[1, 1], R=[1])
    >>> bool((np.linalg.eigvals(top.A - top.B @ gains).real < 0).all())
    True
    """
    require_model(model)
    if not isinstance(contacts, str) or contacts not in ("held", "ignore"):
        raise ArgumentError(f"contacts = {shown(contacts)} must be 'held' or 'ignore'")
    if u is not None and inputs is not None:
        raise ArgumentError("inputs are joints and u are actuators; give one of both")
    if u is not None:
        model = model.with_controls(u)
    if model.nz:
        raise ArgumentError(
            f"force elements of model {model.name!r} have states of their own ({', '.join(model.z_names)}), which "
            "linearize does not know"
        )
    q = _one(model.check_q(q), "q")
    v = np.zeros(model.nv) if v is None else _one(model.check_v(v), "v")
    tau = np.zeros(model.nv) if tau is None else _one(model.check_v(tau, "tau"), "tau")
    if v.any() and (rows := constraint_rows(model)) is not None and rows.nonholonomic:
        raise StateError(
            f"constraint {rows.nonholonomic[0]!r} holds velocities and not displacements, of which there are more "
            "along a motion than linearize has states for; give v = 0"
        )
    acting = tuple(range(model.nv)) if inputs is None else velocities_of(model, inputs, "inputs")
    if not acting:
        raise ArgumentError("inputs must name at least one joint")
    if contacts == "held":
        twin, touching = held(model, q, v, t)
    else:
        twin, touching = held(_without_contacts(model), q, v, t)
    near = Near(twin, q, v, tau, acting, t)
    if twin.loops or twin.constraints or twin.mimics or any(joint.type.is_driven for joint in twin.joints):
        by_q, by_v = near.slopes()
    else:
        exact = forward_dynamics_derivatives(twin, q, v, tau, t=t)
        by_q, by_v = exact.da_dq, exact.da_dv
    if touching:
        warn_if_pulled(model, touching, q, near.constraint_force(), t)
    d = len(near.independent)
    A, by_input = np.zeros((2 * d, 2 * d)), near.by_force()
    if u is not None:
        by_input = by_input @ drives(model).slopes(q, v)
    B = np.zeros((2 * d, by_input.shape[1]))
    A[:d, :d], A[:d, d:], A[d:, :d], A[d:, d:] = near.turning(), np.eye(d), by_q, by_v
    B[d:] = by_input
    all_names = velocity_names(model)
    names = [all_names[k] for k in near.independent]
    states = (*names, *(f"{name} rate" for name in names))
    return Linearization(
        model, q, v, tau, A, B, near.independent, acting if u is None else model.u_names, near.basis, near.a, states
    )


def _without_contacts(model: Model) -> Model:
    twin = copy(model)
    twin.contact_rules = ()
    return twin


def _one(x: NDArray, name: str) -> NDArray:
    if x.ndim != 1:
        raise StateError(f"{name} has shape {x.shape}; linearize takes one state, call it for each of a stack")
    return x
