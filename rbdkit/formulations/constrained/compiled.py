"""Runs of constrained bodies whose loop over time is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import Run, Tableau
from rbdkit.engine.run.motion import method_arrays
from rbdkit.formulations.body_loop import drive
from rbdkit.formulations.constrained.dependence import PREFERENCE
from rbdkit.formulations.constrained.program_body import (
    ARMATURE,
    AXES,
    DAMPING,
    INERTIA,
    NUMBERS,
    RATES,
    SIZES,
    Kind,
)
from rbdkit.formulations.constrained.tree_program import program_of
from rbdkit.joints import Cylindrical, Fixed, Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from rbdkit.spatial import se3
from rbdkit.trace import available

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.bodies import ConstrainedBodies

CONSTANT_S = (Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical)
"""Joints whose axes are fixed in the successor."""


def covered(system: ConstrainedBodies) -> bool:
    """Whether there is compiled code: for trees and loops of these joints under gravity, with dampers and rotors."""
    joints = [*system.model.joints[1:], *(loop.joint for loop in system.model.loops)]
    return (
        system.tau is None
        and system.f_ext is None
        and system.baumgarte is None
        and system.tree_has_inertia
        and all(isinstance(joint.type, CONSTANT_S) and not joint.stiffness.any() for joint in joints)
    )


def run(
    system: ConstrainedBodies,
    tableau: Tableau,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    every: int,
    progress: Callable[[float], object],
) -> Run:
    """Steps of an explicit Munthe-Kaas method; the arguments are those of `Compiled.compiled_run`."""
    model = system.model
    kinds = [Kind(joint.nv, bool(joint.damping.any())) for joint in model.joints[1:]]
    used, groups = tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(system.group.names))
    rows = len(model.bodies)
    fields = {name: np.zeros(rows * size) for name, size in SIZES.items()}
    fields["R"][:9] = np.eye(3).ravel()
    tables = {
        "kinds": np.array([used.index(kind) for kind in kinds], dtype=np.int64),
        "groups": np.array([groups.index(name) for name in system.group.names], dtype=np.int64),
        "parents": np.array(model.parent[1:], dtype=np.int64),
    }
    method = method_arrays(tableau, 0, len(v))
    own = {**fields, **tables, **method, "numbers": numbers(system), "gravity": np.array(model.gravity)}
    loops = loop_arrays(system)
    counts = {"bodies": rows - 1, "stages": len(method["c"]), "loop_rows": len(loops["rhs"])}
    counts["gap_joints"] = len(loops["gap_successors"])
    own |= loops
    return drive(program_of(used, groups, bool(model.loops), available()[0]), own, counts, times, x, v, every, progress)


def numbers(system: ConstrainedBodies) -> NDArray:
    """What the program needs to know of each body, in coordinates of its reference frame, (n, NUMBERS) flattened."""
    rows = np.zeros((system.n, NUMBERS))
    for i, row in enumerate(rows, start=1):
        joint, M = system.model.joints[i], system.mass_matrices[i]
        row[INERTIA:AXES] = [M[3, 3], M[2, 4], M[0, 5], M[1, 3], *M[:3, :3][np.triu_indices(3)]]
        S = joint.type.motion_subspace(joint.type.neutral())
        to_joint = se3.adjoint(system.offsets[i])  # of a tree, the successor frame is the body frame
        k = joint.nv
        row[AXES : AXES + 6 * k] = (se3.adjoint(se3.inverse(system.offsets[i])) @ S).T.ravel()
        row[RATES : RATES + 6 * k] = (np.linalg.pinv(S) @ to_joint).ravel()
        row[DAMPING : DAMPING + k], row[ARMATURE : ARMATURE + k] = joint.damping, joint.armature
    return rows.ravel()


def loop_arrays(system: ConstrainedBodies) -> dict[str, NDArray]:
    """What the program needs to know of the loop joints, and room for what it computes."""
    places = system.constraints.joints[system.n :]
    T = [se3.adjoint(se3.inverse(place.successor_placement)).T @ _subspace(place.type) for place in places]
    sizes = [part.shape[1] for part in T]
    m = sum(sizes)
    return {
        "loop_T": np.concatenate([np.zeros(0), *(part.T.ravel() for part in T)]),
        "loop_successors": np.repeat(np.array([place.successor for place in places], dtype=np.int64), sizes),
        "loop_predecessors": np.repeat(np.array([place.predecessor for place in places], dtype=np.int64), sizes),
        "responses": np.zeros(m * 6 * (system.n + 1)),
        "Lambda": np.zeros(m * m),
        "loop_W": np.zeros(6 * m),
        "factor": np.zeros(1),
        **{name: np.zeros(m) for name in ("rhs", "inverse", "column", "row")},
        "pivot": np.zeros(5),
        "rank": np.zeros(1),
        "number": np.arange(m, dtype=float),
        "free": system.free_responses,
        "weight": 1.0 / (system.free_responses * (1.0 + PREFERENCE * np.arange(m))),
        "gap": np.array([0.0, 0.0, system.gaps.length]),
        "gap_numbers": system.gaps.numbers.ravel(),
        "gap_successors": system.gaps.successor,
        "gap_predecessors": system.gaps.predecessor,
    }


def _subspace(type: JointType) -> NDArray:
    return type.constraint_subspace(type.neutral())
