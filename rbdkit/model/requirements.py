"""What algorithms ask of a model, and how they refuse one that they would misread."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.errors import ModelError
from rbdkit.model.model import Model
from rbdkit.model.names import listed
from rbdkit.spatial.read_numbers import shown


def require_model(model: object) -> None:
    """Raise `ModelError` if what was given for a model is none."""
    if not isinstance(model, Model):
        raise ModelError(f"model {shown(model)} is not an rbdkit.Model")


def require_tree(model: Model, algorithm: str = "joint-coordinate dynamics") -> None:
    """Raise `ModelError` if joints close loops: the algorithms for trees would not see them.

    Parameters
    ----------
    algorithm : str, optional
        Who asks, for the message.
    """
    require_model(model)
    if model.loops:
        raise loops_unseen([loop.joint.name for loop in model.loops], model.name, algorithm)


def loops_unseen(loops: Sequence[str], model: str, algorithm: str) -> ModelError:
    """The error of an algorithm for trees that meets loop joints of these names."""
    return ModelError(
        f"{algorithm} needs a tree, but {listed(loops)} close(s) a loop in model {model!r}; "
        "rbdkit.forward_dynamics, simulate, rbdkit.algorithms.loops and divide_and_conquer know loops"
    )


def require_no_mimics(model: Model, algorithm: str, instead: str) -> None:
    """Raise `ModelError` if a joint mimics another one: propagation from body to body would not see the tie."""
    if model.mimics:
        followers = listed([joint.name for joint in model.joints if joint.mimic is not None])
        raise ModelError(
            f"{algorithm} needs joints that move independently, but {followers} mimic(s) another; use {instead}"
        )


def require_independent_joints(model: Model, algorithm: str, instead: str) -> None:
    """Raise `ModelError` if joints close loops or mimic others: so what the articulated-body algorithms ask for.

    Parameters
    ----------
    algorithm : str
        Who asks.
    instead : str
        What to use for mimic joints.
    """
    require_tree(model, algorithm)
    require_no_mimics(model, algorithm, instead)


def require_undriven(model: Model, algorithm: str, why: str) -> None:
    """Raise `ModelError` if a joint moves as time says. why : what is to be said of that, a clause."""
    joints = [*model.joints, *(loop.joint for loop in model.loops)]
    driven = [joint.name for joint in joints if joint.type.is_driven]
    if driven:
        raise ModelError(f"{algorithm}: {listed(driven)} of model {model.name!r} move(s) as time says, and {why}")


def require_no_forces(model: Model, what: str) -> None:
    """Raise ModelError if the model has force elements. what : which has no place for them, for the message."""
    if model.forces:
        names = ", ".join(repr(force.name) for force in model.forces)
        raise ModelError(
            f"model {model.name!r} has force elements ({names}), which {what} would lose or change; add them to the "
            "new model instead"
        )
