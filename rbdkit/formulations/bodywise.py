"""Constrained bodies with a Lie group chosen for each body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rbdkit.formulations.constrained import ConstrainedBodies
from rbdkit.formulations.formulation import Force
from rbdkit.joints import Cylindrical, Helical, JointType, Planar, Prismatic, Reversed, Revolute, Spherical
from rbdkit.model import Model

LOWER_PAIRS = (Cylindrical, Helical, Planar, Prismatic, Revolute, Spherical)
"""Lower pairs: joints whose motions are a subgroup of SE(3)."""


class Bodywise(ConstrainedBodies):
    """SE(3) for some bodies and SO(3) x R3 for others (what Müller and Terze 2013 leave to future work).

    Parameters
    ----------
    model, tau, f_ext
        See `ConstrainedBodies`.
    groups : mapping of str to str, or sequence of str, optional
        'se3' or 'so3xr3' for each body, by name or in their order; `grounded_on_se3` of the model if not given.
        `choose_groups` finds by trial what suits a given motion.
    **options
        `reference` and `baumgarte` of `ConstrainedBodies`.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> motion = rbd.simulate(rbd.library.double_pendulum(), [1.0, 0.5], duration=0.2, formulation="bodywise")
    >>> len(motion)
    201
    """

    name: ClassVar[str] = "bodywise"

    def __init__(
        self,
        model: Model,
        tau: Force | None = None,
        f_ext: Force | None = None,
        groups: Mapping[str, str] | Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(model, tau, f_ext, grounded_on_se3(model) if groups is None else groups, **options)


def grounded_on_se3(model: Model) -> dict[str, str]:
    """Choose groups by the paper's rule (section 6): SE(3) for bodies on a lower pair to the ground, else SO(3) x R3.

    A body that is fixed to the ground counts as ground, and one that is fixed to another body moves with it.

    Parameters
    ----------
    model : Model
        Trees and loops of any joints.

    Returns
    -------
    dict of str to str
        'se3' or 'so3xr3' by the name of the body.

    Examples
    --------
    >>> import rbdkit as rbd
    >>> rbd.formulations.grounded_on_se3(rbd.library.double_pendulum())
    {'rod1': 'se3', 'rod2': 'so3xr3'}
    """
    still: set[int] = {0}
    lower: set[int] = set()
    for i in model.outward:
        p, kind = model.parent[i], model.joints[i].type
        # in the order from the ground outward, so the group of the parent is known
        if kind.is_fixed:
            group = still if p in still else lower if p in lower else set()
            group.add(i)
        elif _is_lower_pair(kind) and p in still:
            lower.add(i)
    for loop in model.loops:
        ends = {loop.predecessor, loop.successor}
        if _is_lower_pair(loop.joint.type) and ends & still:
            lower |= ends - still
    return {body.name: "se3" if body.index in lower | still else "so3xr3" for body in model.bodies[1:]}


def _is_lower_pair(joint: JointType) -> bool:
    """Whether a joint is a lower pair; a reversed one is, too, as a subgroup contains the inverses of its motions."""
    return _is_lower_pair(joint.joint) if isinstance(joint, Reversed) else isinstance(joint, LOWER_PAIRS)
