"""Motions of constrained bodies whose loop over time is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.formulations.constrained.dependence import PREFERENCE
from rbdkit.formulations.constrained.joint_program import form_of, joint_numbers
from rbdkit.formulations.constrained.program_body import (
    ARMATURE,
    AXES,
    DAMPING,
    INERTIA,
    NUMBERS,
    RATES,
    REST,
    SIZES,
    STIFFNESS,
    Kind,
)
from rbdkit.formulations.constrained.tree_program import BodySystem
from rbdkit.formulations.constrained.tree_program import Given as Law
from rbdkit.formulations.formulation import Acting
from rbdkit.joints import Cylindrical, Fixed, Free, Helical, JointType, Planar, Prismatic, Revolute, Spherical
from rbdkit.spatial import se3
from rbdkit.trace import (
    Backend,
    Executable,
    Feedback,
    Given,
    Lanes,
    Program,
    Record,
    Recordable,
    available,
    executable,
    loop_arrays,
    over_time,
)

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.bodies import ConstrainedBodies

CONSTANT_S = (Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical)
"""Joints whose axes are fixed in the successor."""


def covered(system: ConstrainedBodies) -> bool:
    """Whether there is compiled code: for trees and loops of these joints, with springs, dampers and rotors."""
    loops = [loop.joint for loop in system.model.loops]
    return (
        system.baumgarte is None
        and system.tree_has_inertia
        and all(isinstance(joint.type, CONSTANT_S) for joint in [*system.model.joints[1:], *loops])
        and not any(joint.stiffness.any() for joint in loops)
    )


class BodyMotion:
    """A motion of constrained bodies; see `rbdkit.trace.Motion`."""

    def __init__(
        self,
        system: ConstrainedBodies,
        method: Recordable,
        times: NDArray,
        x: NDArray,
        v: NDArray,
        acts: Acting | None = None,
    ) -> None:
        model, method_arrays = system.model, method.arrays(len(x), len(v))
        laws = (None, None) if acts is None else (_kind_of(acts.tau), _kind_of(acts.f_ext))
        asked = any(isinstance(law, Feedback) for law in laws)
        joints = model.joints[1:]
        kinds = [
            Kind(
                own.nv,
                bool(own.damping.any()),
                bool(own.stiffness.any()),
                form_of(own.type) if asked or own.stiffness.any() else "",
            )
            for own in joints
        ]
        used, groups = tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(system.group.names))
        self._task = method.record, used, groups, bool(model.loops), *laws
        self.steps = len(times) - 1
        rows = len(model.bodies)
        fields = {name: np.zeros(rows * size) for name, size in SIZES.items()}
        fields["R"][:9] = np.eye(3).ravel()
        self._tables = {
            "kinds": np.array([used.index(kind) for kind in kinds], dtype=np.int64),
            "groups": np.array([groups.index(name) for name in system.group.names], dtype=np.int64),
            "parents": np.array(model.parent[1:], dtype=np.int64),
            "q_first": np.array([joint.q_slice.start for joint in model.joints[1:]], dtype=np.int64),
            "v_first": np.array([joint.v_slice.start for joint in model.joints[1:]], dtype=np.int64),
        }
        loops = loop_arrays_of(system)
        self.numbers = {"numbers": numbers(system), "gravity": np.array(model.gravity)}
        self.arrays = {**fields, **loops, **method_arrays, **loop_arrays(times, x, v)}
        if any(kind.form for kind in kinds):
            self.arrays |= {"joint_q": np.zeros(model.nq), "joint_v": np.zeros(model.nv)}
            places = system.constraints.joints[: system.n]
            self.numbers["joint_numbers"] = np.concatenate([joint_numbers(place) for place in places])
        self._counts = {
            "bodies": rows - 1,
            "stages": len(method_arrays["c"]),
            "loop_rows": len(loops["rhs"]),
            "gap_joints": len(loops["gap_successors"]),
        }
        if acts is not None:
            self._act(system, acts)

    def _act(self, system: ConstrainedBodies, acts: Acting) -> None:
        """The arrays and counts of what acts."""
        model, tau, f_ext = system.model, acts.tau, acts.f_ext
        if isinstance(tau, Feedback):
            self.arrays |= {"tau": np.zeros(model.nv), "tau_numbers": np.array(tau.numbers)}
        else:
            held = 0 if tau.ndim == 1 else model.nv
            self.arrays["tau"] = np.ascontiguousarray(tau, dtype=float)
            self._counts |= {"tau_step": held, "tau_next": held if len(tau) == self.steps + 1 and held else 0}
        if isinstance(f_ext, Feedback):
            self.arrays |= {"f_ext": np.zeros(len(f_ext.results)), "f_ext_numbers": np.array(f_ext.numbers)}
        elif f_ext is not None:
            self.arrays["f_ext"] = np.array(f_ext, dtype=float).ravel()

    def during(self, first: int, steps: int) -> dict[str, NDArray]:
        """Nothing: all is said beforehand."""
        return {}

    def bind(
        self,
        arrays: Mapping[str, Given],
        counts: Mapping[str, int],
        lanes: Lanes,
        numbers: Mapping[str, NDArray] | None,
    ) -> Callable[[], None]:
        """The program, bound."""
        code = code_of(*self._task, available()[0], lanes)
        every = {**(self.numbers if numbers is None else numbers), **self._tables, **arrays}
        return code.bind(every, {**self._counts, **counts})


@lru_cache(maxsize=32)
def code_of(
    step: Record,
    kinds: tuple[Kind, ...],
    groups: tuple[str, ...],
    loops: bool,
    tau: Law,
    f_ext: Law,
    backend: Backend,
    lanes: Lanes,
) -> Executable:
    """Steps of a method on all bodies of these kinds and groups, in a loop over time."""
    program = Program("constrained_bodies", lanes)
    over_time(BodySystem(program, kinds, groups, loops, tau, f_ext), step)
    return executable(program, backend)


def _kind_of(given: NDArray | Feedback | None) -> Law:
    return given if given is None or isinstance(given, Feedback) else "array"


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
        row[STIFFNESS : STIFFNESS + k], row[REST : REST + joint.nq] = joint.stiffness, joint.rest
    return rows.ravel()


def loop_arrays_of(system: ConstrainedBodies) -> dict[str, NDArray]:
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
