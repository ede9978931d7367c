"""What the articulated-body algorithms ask of a model."""

from __future__ import annotations

from rbdkit.errors import ModelError
from rbdkit.model import Model


def require_independent_joints(model: Model, algorithm: str, instead: str) -> None:
    """Raise `ModelError` if a joint mimics another one: propagation from body to body would not see the tie."""
    if model.mimics:
        followers = ", ".join(repr(joint.name) for joint in model.joints if joint.mimic is not None)
        raise ModelError(
            f"{algorithm} needs joints that move independently, but {followers} mimic(s) another; use {instead}"
        )
