"""The errors rbdkit raises. Each names the body, joint, frame or argument, shows the value and says how to mend it."""

from __future__ import annotations


class RbdkitError(Exception):
    """Base of every error that rbdkit raises on purpose."""


class ModelError(RbdkitError, ValueError):
    """The description of a rigid-body system is not usable: structure, inertia, joint or geometry."""


class StateError(RbdkitError, ValueError):
    """A vector of coordinates, velocities or forces has the wrong shape, is not finite, or is off its manifold."""


class FormatError(RbdkitError, ValueError):
    """A file or text cannot be read as a model, or a model cannot be written in the format asked for."""


class SimulationError(RbdkitError, RuntimeError):
    """A simulation cannot be started with the arguments given."""


class ConvergenceError(RbdkitError, ArithmeticError):
    """The equations of an implicit step were not solved: says at which residual, after how many iterations.

    Or an integrator that chooses its steps needs more of them than it may take.
    """
