"""The errors that rbdkit raises: each names the body, joint, frame or argument, shows its value and says how to fix it.

All derive from `RbdkitError`, and most from a built-in exception as well (often ValueError), so that code that knows
nothing of rbdkit can catch them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RbdkitError(Exception):
    """Base of every error that rbdkit raises on purpose.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> try:
    ...     rbd.aba(rbd.library.pendulum(), [0.0, 1.0], [0.0], [0.0])
    ... except rbd.RbdkitError as error:
    ...     print(error)
    q has shape (2,); model 'pendulum' needs (1,), or (..., 1) for a stack
    """


class ModelError(RbdkitError, ValueError):
    """A model is not usable, because of its structure, an inertia, a joint or geometry.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.pendulum().body("rode")
    Traceback (most recent call last):
    rbdkit.errors.ModelError: body 'rode' is not in model 'pendulum'; did you mean 'rod'?
    """


class StateError(RbdkitError, ValueError):
    """A vector of coordinates, velocities or forces has the wrong shape, is not finite, or is off its manifold.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.library.spherical_pendulum().check_q([1, 1, 0, 0])
    Traceback (most recent call last):
    rbdkit.errors.StateError: q of joint 'pivot': ... has norm 1.41421356, not 1; ...
    """


class FormatError(RbdkitError, ValueError):
    """A file or text cannot be read as a model, or a model cannot be written in the format asked for.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.load('<robot name="arm"><link/></robot>')
    Traceback (most recent call last):
    rbdkit.errors.FormatError: ...
    """


class SimulationError(RbdkitError, RuntimeError):
    """A simulation cannot be started with the arguments given.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.simulate(rbd.library.pendulum(), integrator="rk44")
    Traceback (most recent call last):
    rbdkit.errors.SimulationError: integrator 'rk44' is unknown; there are ...
    """


class ArgumentError(RbdkitError, TypeError):
    """A function was given an argument of the wrong kind, or a keyword that it does not have.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.plot(rbd.library.pendulum())
    Traceback (most recent call last):
    rbdkit.errors.ArgumentError: plot: trajectory = ... must be a Trajectory or an Ensemble...
    """


class CheckError(RbdkitError):
    """Generated code in checked mode reads or writes out of bounds, reads an entry before it is set, or meets a NaN.

    Attributes
    ----------
    array, index : name of the array and position of the entry. around : loop variables, such as the number of the link.
    line : source line of the access, with its `file` and `number`; None if it is not known.
    """

    def __init__(
        self, message: str, array: str = "", index: int = 0, around: Mapping[str, int] | None = None, line: Any = None
    ) -> None:
        super().__init__(message)
        self.array, self.index, self.around, self.line = array, index, dict(around or {}), line


class ConvergenceError(RbdkitError, ArithmeticError):
    """The equations of an implicit step did not converge; the message has the residual and the number of iterations.

    Also raised where an integrator with adaptive steps needs more steps than it may take.
    """
