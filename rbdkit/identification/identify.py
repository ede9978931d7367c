"""`rbdkit.identify`: inertial and friction parameters from measured motions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rbdkit.algorithms.contact import contacts
from rbdkit.derivatives import inertial_regressor
from rbdkit.errors import ArgumentError, ModelError, StateError
from rbdkit.functions import passive_force
from rbdkit.identification.base_parameters import FIELDS, base_of
from rbdkit.identification.consistent import nearest_consistent
from rbdkit.model import Body, Model
from rbdkit.model.requirements import require_model
from rbdkit.spatial.inertia import Inertia
from rbdkit.spatial.read_numbers import number, shown

LOSSES = ("damping", "friction")
"""Parameters of joints that take energy."""
WORSE = 2.0
"""How much more than the noise bodies may leave unexplained without a word."""
EXACT = 1e-6
"""Smallest error of measured forces that is believed when bodies are made of them, relative to the forces."""
PRIOR = 1e-3
"""Weight of the given model: so small that measured sums win, so large that what is not measured stays."""


@dataclass(frozen=True, eq=False)
class Identification:
    """Parameters that explain measured joint forces.

    Attributes
    ----------
    model : Model
        The model with the identified inertias, damping and friction; its bodies can exist.
    names : tuple of str
        The base parameters: sums of parameters that joint forces depend on, then friction.
    values, std : ndarray (r,)
        Their values by weighted least squares, and standard deviations.
    covariance : ndarray (r, r)
        Covariance of the values.
    noise : ndarray (nv,)
        Standard deviation of what is left unexplained at each joint, N m or N.
    condition : float
        Condition number of the regressor with columns of unit length; above 1e3 say, a motion shows too little.
    """

    model: Model
    names: tuple[str, ...]
    values: NDArray
    std: NDArray
    covariance: NDArray
    noise: NDArray
    condition: float

    def __repr__(self) -> str:
        lines = [f"<Identification of {self.model.name!r}: {len(self.values)} sums, condition {self.condition:.3g}>"]
        lines += [f"{x:12.5g} +- {s:.2g}  {name}" for name, x, s in zip(self.names, self.values, self.std, strict=True)]
        return "\n  ".join(lines)


def identify(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    friction: bool = True,
    prior: float = PRIOR,
) -> Identification:
    """Find inertial and friction parameters of a tree from measured motions and joint forces.

    Parameters
    ----------
    model : Model
        A tree: its geometry, and a first guess of its inertias. Springs, rotors and force elements count as known;
        bodies without inertia have none.
    q : array_like (n, nq)
        Measured coordinates.
    v, a : array_like (n, nv)
        Velocities and accelerations.
    tau : array_like (n, nv)
        Measured joint forces, N m and N.
    friction : bool, optional
        Whether viscous and dry friction of the joints are fitted, too; otherwise those of the model are known.
    prior : float, optional
        Weight of the given inertias where the measurements say nothing, relative to the errors of these.

    Returns
    -------
    rbdkit.identification.Identification
        The model, and the base parameters with their uncertainty.

    Raises
    ------
    ModelError
        If the model has loops, constraints, mimic or prescribed joints.
    StateError
        If shapes do not fit, or there are too few measurements.

    Warns
    -----
    UserWarning
        If bodies that can exist explain the forces worse than parameters that no body has; or if bodies touch in
        measured states, since forces of contacts are not known.

    See Also
    --------
    exciting_motion : Motions that show the parameters.
    inertial_regressor : The matrix that is fitted.

    Notes
    -----
    Atkeson, An and Hollerbach (1986) for the regressor; Gautier and Khalil (1990) for base parameters; Wensing, Kim and
    Slotine (2018) for inertias that exist. Joints are weighted by the noise that a first fit leaves.

    Examples
    --------
    >>> import numpy as np
    >>> import rbdkit as rbd
    >>> true = rbd.library.double_pendulum()
    >>> guess = true.with_parameters({"rod1.mass": 2.0, "rod2.mass": 3.0})
    >>> q, v, a = np.random.default_rng(0).normal(size=(3, 50, 2))
    >>> found = rbd.identify(guess, q, v, a, rbd.rnea(true, q, v, a), friction=False)
    >>> bool(np.allclose(rbd.crba(found.model, [0.3, 0.5]), rbd.crba(true, [0.3, 0.5]), rtol=1e-4))
    True
    """
    _require_tree(model)
    if not isinstance(friction, bool | np.bool_):
        raise ArgumentError(f"friction = {shown(friction)} must be True or False")
    weight = number(prior, "prior must be a finite number, not {}".format, ArgumentError)
    if not weight > 0.0:
        raise ArgumentError(f"prior = {weight:g} must be positive")
    q, v, a, tau = _measured(model, q, v, a, tau)
    _warn_if_touching(model, q)
    n, nv, bodies = len(q), model.nv, _with_inertia(model)
    Y = inertial_regressor(model, q, v, a)[:, :, [body.index for body in bodies]].reshape(n, nv, 10 * len(bodies))
    known, losses = _known_and_losses(model, q, v, bool(friction))
    right = tau + known - np.concatenate([joint.armature for joint in model.joints]) * a
    columns = np.concatenate([Y, losses], axis=2)
    names = [f"{body.name}.{field}" for body in bodies for field in FIELDS]
    moving = [joint for joint in model.joints if joint.nv]
    if friction:
        for kind in LOSSES:
            names += [f"{j.name}.{kind}{'' if j.nv == 1 else f'[{k}]'}" for j in moving for k in range(j.nv)]
    base = base_of(columns.reshape(n * nv, -1))
    if n * nv <= len(base.columns):
        raise StateError(f"{n} measurements of {nv} joints are too few for {len(base.columns)} sums of parameters")
    noise = np.ones(nv)
    for _ in range(2):  # the second time with each joint weighted by what the first left
        A = (columns[:, :, base.columns] / noise[:, None]).reshape(n * nv, -1)
        size = np.linalg.norm(A, axis=0)
        values = np.linalg.lstsq(A / size, (right / noise).ravel(), rcond=None)[0] / size
        left = right - columns[:, :, base.columns] @ values
        floor = 1e-12 * (np.abs(right).max(initial=0.0) + 1e-300)
        noise = np.maximum(np.sqrt(np.sum(left**2, axis=0) * nv / max(1, n * nv - len(values))), floor)
    covariance = np.linalg.inv((A / size).T @ (A / size)) / np.outer(size, size)
    # forces without noise would leave nothing else a say
    error = np.maximum(noise, EXACT * np.sqrt(np.mean(right**2)))
    found, worst = _existing(model, columns / error[:, None], right / error, weight)
    if worst > WORSE:
        warnings.warn(
            f"no bodies that can exist explain the forces of model {model.name!r} as well as sums of parameters do: "
            f"they leave {worst:.2g} times the noise. Are signs, units, gear ratios or the geometry right, and is "
            "something left out?",
            stacklevel=2,
        )
    return Identification(
        model=found,
        names=base.names(names),
        values=values,
        std=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        noise=noise,
        condition=float(np.linalg.cond(A / size)),
    )


def _with_inertia(model: Model) -> list[Body]:
    """Return the bodies whose inertia is sought: those without any, such as links that are mere frames, stay so."""
    return [body for body in model.bodies[1:] if body.inertia is not None]


def _require_tree(model: Model) -> None:
    require_model(model)
    what = [
        word
        for word, has in {
            "loops": model.loops,
            "constraints": model.constraints,
            "mimic joints": model.mimics,
            "prescribed joints": any(joint.type.is_driven for joint in model.joints),
            "force elements with states": model.nz,
        }.items()
        if has
    ]
    if what:
        raise ModelError(f"model {model.name!r} has {what[0]}, which identify does not know; it takes trees")
    if model.nv == 0:
        raise ModelError(f"model {model.name!r} does not move")
    if not _with_inertia(model):
        raise ModelError(f"model {model.name!r} has no body with an inertia to be found; give first guesses")


def _measured(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> list[NDArray]:
    found = [model.check_q(q), model.check_v(v), model.check_v(a, "a"), model.check_v(tau, "tau")]
    shapes = [x.shape[:-1] for x in found]
    if any(len(shape) != 1 for shape in shapes) or len({*shapes}) > 1:
        raise StateError(
            f"measurements are q (n, {model.nq}) and v, a, tau (n, {model.nv}); they are "
            + ", ".join(f"{name} {x.shape}" for name, x in zip(("q", "v", "a", "tau"), found, strict=True))
        )
    return found


def _warn_if_touching(model: Model, q: NDArray) -> None:
    """Warn of states with contacts, whose forces would be taken for those of masses and friction."""
    found = [(k, touch) for k, state in enumerate(q) if model.contact_rules for touch in contacts(model, state)[:1]]
    if found:
        k, touch = found[0]
        warnings.warn(
            f"bodies of model {model.name!r} touch in {len(found)} of {len(q)} measured states, in q[{k}] by contact "
            f"{touch.name!r}; identify knows nothing of the forces of contacts: leave these states out, or take the "
            "contact rule out of the model if these never touch",
            stacklevel=3,
        )


def _known_and_losses(model: Model, q: NDArray, v: NDArray, friction: bool) -> tuple[NDArray, NDArray]:
    """Return known passive forces (n, nv), and the columns (n, nv, k) of unit damping and friction of each joint."""
    if not friction:
        return passive_force(model, q, v), np.zeros((*v.shape, 0))
    fields = [(joint, kind) for kind in LOSSES for joint in model.joints if joint.nv]
    none = {f"{joint.name}.{kind}": _like(joint, 0.0) for joint, kind in fields}
    smooth = model.with_parameters(none)
    known, columns = passive_force(smooth, q, v), []
    for joint, kind in fields:
        for k in range(joint.nv):
            unit = np.zeros(joint.nv)
            unit[k] = 1.0
            one = smooth.with_parameters({f"{joint.name}.{kind}": float(unit[0]) if joint.nv == 1 else unit})
            columns.append(known - passive_force(one, q, v))
    return known, np.stack(columns, axis=2)


def _like(joint: Any, value: float) -> Any:
    return value if joint.nv == 1 else np.full(joint.nv, value)


def _existing(model: Model, columns: NDArray, right: NDArray, weight: float) -> tuple[Model, float]:
    """Return the model with bodies that can exist and losses that take energy, and the error left at the worst joint.

    columns, right : in units of the errors of the measurements.
    """
    A, bodies = columns.reshape(-1, columns.shape[2]), _with_inertia(model)
    given = np.array([body.inertia.ten_parameters for body in bodies if body.inertia is not None])
    # all that the measurements say, in as many rows as there are parameters
    R = np.asarray(np.linalg.qr(np.concatenate([A, right.reshape(-1, 1)], axis=1), mode="r"))
    parameters, losses = nearest_consistent(R[:, :-1], R[:, -1], given, weight)
    changed: dict[str, Any] = {}
    for body, ten in zip(bodies, parameters, strict=True):
        inertia = Inertia.from_ten_parameters(ten, check=False)
        changed[f"{body.name}.mass"], changed[f"{body.name}.com"] = inertia.mass, inertia.com
        changed[f"{body.name}.inertia"] = inertia.inertia_com
    place = 0
    for kind in LOSSES if len(losses) else ():
        for joint in (joint for joint in model.joints if joint.nv):
            own = losses[place : place + joint.nv]
            changed[f"{joint.name}.{kind}"] = float(own[0]) if joint.nv == 1 else own
            place += joint.nv
    left = right - columns @ np.concatenate([parameters.ravel(), losses])
    return model.with_parameters(changed), float(np.sqrt(np.mean(left**2, axis=0)).max())
