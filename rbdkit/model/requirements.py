"""Preconditions of algorithms: checks that reject a model with features that an algorithm does not support."""

from __future__ import annotations

from collections.abc import Sequence

from rbdkit.errors import ModelError
from rbdkit.model.model import Model
from rbdkit.model.names import listed
from rbdkit.spatial.read_numbers import shown


def require_model(model: object) -> None:
    """Raise `ModelError` if the argument is not a model."""
    if not isinstance(model, Model) and not getattr(model, "recorded", False):
        raise ModelError(f"model {shown(model)} is not an rbdkit.Model")


def require_tree(model: Model, algorithm: str) -> None:
    """Raise `ModelError` if the model has loop joints or constraints, which algorithms for trees would ignore.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm, for the message.
    """
    require_model(model)
    if names := besides_tree(model):
        raise loops_unseen(names, model.name, algorithm)


def besides_tree(model: Model) -> tuple[str, ...]:
    """Return the names of the loop joints and of the constraints."""
    return *(loop.joint.name for loop in model.loops), *(own.name for own in model.constraints)


def loops_unseen(names: Sequence[str], model: str, algorithm: str) -> ModelError:
    """Return the error of an algorithm for trees that does not support loop joints or constraints of these names."""
    return ModelError(
        f"{algorithm} needs a tree, but {listed(names)} close(s) a loop or constrain(s) bodies in model {model!r}; "
        "rbdkit.forward_dynamics and simulate know both, rbdkit.algorithms.loops and divide_and_conquer loops"
    )


def require_no_constraints(model: Model, algorithm: str) -> None:
    """Raise `ModelError` if the model has constraints, for algorithms that support loops but not constraints."""
    if model.constraints:
        raise ModelError(
            f"{algorithm} does not know constraints, but model {model.name!r} has "
            f"{listed([own.name for own in model.constraints])}; rbdkit.forward_dynamics, simulate and "
            "rbdkit.formulations.JointSystem, which projects to them, do"
        )


def require_bilateral(model: Model, what: str) -> None:
    """Raise `ModelError` if the model has unilateral constraints. what : the caller, which has no contact law."""
    for own in model.constraints:
        if own.element.unilateral:
            raise ModelError(
                f"{own} bounds its gap on one side, which needs a law of contact, and {what} has none; take it out, or "
                "a constraint that holds on both sides"
            )


def require_no_mimics(model: Model, algorithm: str, instead: str) -> None:
    """Raise `ModelError` if the model has mimic joints, which propagation from body to body would ignore."""
    if model.mimics:
        followers = listed([joint.name for joint in model.joints if joint.mimic is not None])
        raise ModelError(
            f"{algorithm} needs joints that move independently, but {followers} mimic(s) another; use {instead}"
        )


def require_independent_joints(model: Model, algorithm: str, instead: str) -> None:
    """Raise `ModelError` if the model has loops, mimic joints or constraints, as articulated-body algorithms require.

    Parameters
    ----------
    algorithm : str
        Name of the algorithm, for the message.
    instead : str
        What to use with mimic joints, for the message.
    """
    require_tree(model, algorithm)
    require_no_mimics(model, algorithm, instead)


def require_undriven(model: Model, algorithm: str, why: str) -> None:
    """Raise `ModelError` if the model has prescribed (rheonomic) joints. why : the reason, a clause."""
    joints = [*model.joints, *(loop.joint for loop in model.loops)]
    driven = [joint.name for joint in joints if joint.type.is_driven]
    if driven:
        raise ModelError(f"{algorithm}: {listed(driven)} of model {model.name!r} move(s) as time says, and {why}")


def require_no_elements(model: Model, what: str) -> None:
    """Raise ModelError if the model has force elements or constraints. what : the operation that would lose them."""
    for kind, elements in (("force elements", model.forces), ("constraints", model.constraints)):
        if elements:
            names = ", ".join(repr(own.name) for own in elements)
            raise ModelError(
                f"model {model.name!r} has {kind} ({names}), which {what} would lose or change; add them to the new "
                "model instead"
            )


def require_no_contacts(model: Model, what: str) -> None:
    """Raise ModelError if the model has contact rules. what : the caller, which does not support contact."""
    if model.contact_rules:
        names = listed([rule.name for rule in model.contact_rules])
        raise ModelError(f"bodies of model {model.name!r} may touch ({names}), of which {what} knows nothing")
