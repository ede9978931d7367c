"""Compiled loop over time of constrained bodies: from a `ConstrainedBodies` to program, tables and arrays.

The program depends on kinds of joints, groups and loads only, not on the model: bodies are loop iterations over tables,
and `code_of` caches one executable for each combination of kinds.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine import kernels_for
from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.own_forces import OwnForces
from rbdkit.engine.rows.dependence import gap_shares
from rbdkit.engine.rows.joint_program import form_of, joint_numbers
from rbdkit.engine.rows.moving_joint import SEEKING, SEEKING_SIZE, MovingAxes, moving_axes
from rbdkit.engine.steps.recorded_tree import DrivenMotion
from rbdkit.formulations.applied import Law, force_arrays, law_of, own_forces_of
from rbdkit.formulations.constrained.implicit_program import implicit_arrays
from rbdkit.formulations.constrained.index1 import ConstrainedSystem
from rbdkit.formulations.constrained.loop_program import MOVING
from rbdkit.formulations.constrained.moving_axes import is_plain
from rbdkit.formulations.constrained.moving_loops import ROWS, found_loops, loops_given
from rbdkit.formulations.constrained.own_program import OwnKind
from rbdkit.formulations.constrained.own_rows import OwnRows
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
from rbdkit.formulations.formulation import Acting
from rbdkit.formulations.system import Projectable, Starting, VelocityLevel
from rbdkit.joints import JointType
from rbdkit.model import Model
from rbdkit.model.closing.rank import PREFERENCE, arcs_of
from rbdkit.model.places import Place
from rbdkit.spatial import se3
from rbdkit.trace import (
    Backend,
    Executable,
    Feedback,
    Lanes,
    Prepared,
    Program,
    Record,
    Recordable,
    arrays_of,
    available,
    compiling,
    executable,
    loop_arrays,
    over_time,
)

if TYPE_CHECKING:
    from rbdkit.formulations.constrained.bodies import ConstrainedBodies

GIVEN = (
    "numbers", "gravity", "joint_q", "joint_v", "joint_numbers", "loop_joint_numbers", "loop_forms", "baumgarte",
    "closing_share",
    "kinds", "groups", "parents", "q_first", "v_first", "own_tau", "own_force", "own_numbers", "own_offsets",
    "own_push", "own_members", "first_own_member", "implicit_goes",
    "held_J", "held_open", "held_missing", "held_numbers", "held_periods",
    "tau", "tau_numbers", "f_ext", "f_ext_numbers",
    "moving_first", "moving_numbers", SEEKING, "moving_loop_kinds", "moving_loop_rows", "moving_loop_first",
    "moving_loop_successors", "moving_loop_predecessors", "moving_loop_q", "moving_loop_open", "moving_loop_numbers",
    "moving_loop_places", *ROWS, "loop_driven_q", "loop_driven_v", "loop_driven_a",
    "driven_q_first", "driven_v_first", "driven_a_first",
    "driven_q", "driven_v", "driven_a", "driven_numbers",
)  # fmt: skip
"""Names of the arrays of a motion, in addition to the fields of bodies and loops; methods may not use them."""


def obstacle(system: ConstrainedBodies) -> str:
    """Describe what prevents compiled code: massless branches, joints that cannot be traced; empty if nothing does."""
    model = system.model
    if not system.tree_has_inertia:
        return "what hangs on some joint of the tree has no inertia"
    closing = [(loop.joint, True) for loop in model.loops]
    for joint, closes in [*closing, *((joint, False) for joint in model.joints[1:])]:
        try:
            if not is_plain(joint.type):
                moving_axes(joint.type, closes)
        except NotTraced as fault:
            what = "loop joint" if closes else "joint"
            return f"{what} {joint.name!r} ({joint.type.known_as}) cannot be recorded: {fault}"
    if model.acting and kernels_for(model) is None:
        return "the engine does not know all that the force elements act on"
    if system.driven and system.driven.motion(np.zeros(1)) is None:
        return "joints move as a Python function of time says"
    return ""


def closes_joints(method: Recordable) -> bool:
    """Whether a method uses more of a system than its accelerations: projections or corrected accelerations."""
    return issubclass(method.requires, (Projectable, ConstrainedSystem, VelocityLevel))


def motion(
    system: ConstrainedBodies,
    method: Recordable,
    times: NDArray,
    x: NDArray,
    v: NDArray,
    acts: Acting | None = None,
) -> Prepared:
    """Return a motion of constrained bodies through given times, prepared for the batch runner."""
    model, loop = system.model, loop_arrays(times, x, v)
    tau, f_ext = (None, None) if acts is None else (law_of(acts.tau), law_of(acts.f_ext))
    own, baumgarte = own_forces_of(model), system.baumgarte
    closes = closes_joints(method) or baumgarte is not None
    held = system.own
    asked = any(isinstance(law, Feedback) for law in (tau, f_ext)) or (own is not None and own.asks_joints)
    asked = asked or (held is not None and held.asks_joints)
    kinds = _kinds(model, asked, closes)
    moving = _moving_numbers(system, kinds)
    # in the order of their first use: models with the same kinds have equal tuples, under which compiled code is found
    used, groups = tuple(dict.fromkeys(kinds)), tuple(dict.fromkeys(system.group.names))
    loops, rows = loop_arrays_of(system), len(model.bodies)
    fields = {name: np.zeros(rows * size) for name, size in SIZES.items()}
    # row 0 of every field is the world, at the origin and at rest
    fields["R"][:9] = np.eye(3).ravel()
    method_arrays = arrays_of(method, len(x), len(v), {*fields, *loops, *loop, *GIVEN})
    arrays = {**fields, **loops, **method_arrays, **loop}
    given = {"numbers": system.program_numbers, "gravity": np.array(model.gravity)}
    places, forms = system.constraints.joints, tuple[str, ...]()
    if closes or moving or any(kind.form for kind in kinds):
        arrays |= {"joint_q": np.zeros(model.nq), "joint_v": np.zeros(model.nv)}
        given["joint_numbers"] = np.concatenate([joint_numbers(place) for place in places[: system.n]])
    if closes:
        rows_of = [(_form(place.type), joint_numbers(place)) for place in places[system.n :] for _ in _rows(place)]
        forms = tuple(dict.fromkeys(form for form, _ in rows_of)) or ("none",)
        given["closing_share"] = gap_shares(np.ones(1), system.gaps.length)  # of rows of the tree along lengths
        given["loop_joint_numbers"] = np.concatenate([np.zeros(0), *(own for _, own in rows_of)])
        arrays |= {
            "open": np.zeros(1),
            "closing": np.zeros(2),
            "x_closing": np.zeros(len(x)),
            "u_closing": np.zeros(len(v)),
        }
        arrays["loop_forms"] = np.array([forms.index(form) for form, _ in rows_of], dtype=np.int64)
    # only linearly implicit methods have this array
    if "stiff_KD" in method_arrays:
        arrays |= implicit_arrays(model.nq, model.nv, rows - 1, len(loops["rhs"])) | {
            "joint_q": np.zeros(model.nq),
            "joint_v": np.zeros(model.nv),
        }
    if isinstance(method, Starting):
        arrays |= method.starting(system, times, x, v)
    given |= moving
    driven = system.driven.motion(times) if system.driven else None
    if system.driven:
        assert driven is not None
        arrays |= system.driven.at(float(times[0]))
        given["driven_numbers"] = np.array(driven.law.numbers)
    found = found_loops(places[system.n :])
    moving_loops = tuple(dict.fromkeys(one.axes for one in found if one is not None))
    if moving or moving_loops:
        arrays[SEEKING] = np.zeros(SEEKING_SIZE)
    if baumgarte is not None:
        given["baumgarte"] = np.array(baumgarte.factors)
    tables = {
        "kinds": [used.index(kind) for kind in kinds],
        "groups": [groups.index(name) for name in system.group.names],
        "parents": model.parent[1:],
        "q_first": [joint.q_slice.start for joint in model.joints[1:]],
        "v_first": [joint.v_slice.start for joint in model.joints[1:]],
        **_moving_places(kinds),
    }
    counts = {
        "bodies": rows - 1,
        "stages": len(method_arrays["c"]),
        "loop_rows": len(loops["loop_successors"]),
        "all_rows": len(loops["rhs"]),
        "gap_joints": len(loops["gap_successors"]),
        "joint_velocities": model.nv,
    }
    if moving_loops:
        room, of_loops, of_tables = loops_given(model, places[system.n :], found, moving_loops)
        arrays, given, tables = arrays | room, given | of_loops, tables | of_tables
        counts["moving_loops"] = len(of_tables["moving_loop_kinds"])
    if own is not None:
        arrays |= {"own_tau": np.zeros(model.nv), "own_force": np.zeros(6 * rows)}
        arrays |= {"own_push": np.zeros(6 * rows), "implicit_goes": np.zeros(1)}
        given["own_numbers"] = np.array(own.law.numbers)
        tables |= {name: table.tolist() for name, table in own.tables.items()}
    if own is not None or held is not None:
        given["own_offsets"] = system.offsets[:, :3, 3].ravel()
    kind = None if held is None else _own_kind(held)
    if held is not None and kind is not None:
        room, numbers_of_rows = held_arrays(held, kind)
        arrays |= room
        given |= numbers_of_rows
    if acts is not None:
        acting, more = force_arrays(acts, model, len(times) - 1)
        arrays, counts = arrays | acting, counts | more
        if "landing" in arrays:
            # a table of forces has a kink at each recorded time, where adaptive steps have to end
            arrays["landing"][:] = float(counts.get("tau_step", 0) > 0)
    return Prepared(
        len(times) - 1,
        arrays,
        given,
        {name: np.array(table, dtype=np.int64) for name, table in tables.items()},
        counts,
        partial(
            code_of,
            method.record,
            used,
            groups,
            bool(model.loops),
            tau,
            f_ext,
            own,
            forms,
            baumgarte is not None,
            kind,
            driven,
            moving_loops,
            available()[0],
        ),
        method.shared,
    )


def _own_kind(held: OwnRows) -> OwnKind:
    """Return what the code of constraint elements depends on."""
    model, joints = held.model, []
    for a in held.rows.velocities:
        i = next(i for i, joint in enumerate(model.joints) if joint.v_slice.start <= a < joint.v_slice.stop)
        joints.append((i, model.parent[i], a - model.joints[i].v_slice.start))
    return OwnKind(held.rows, tuple(joints))


def held_arrays(held: OwnRows, kind: OwnKind) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Return the work arrays of constraint elements, and their parameters."""
    m, bodies = held.m, list(kind.bodies)
    room = {"held_J": np.zeros(6 * m * len(bodies)), "held_open": np.zeros(m), "held_missing": np.zeros(m)}
    return room, {
        "held_numbers": np.array(held.rows.law.numbers),
        "held_periods": held.periods,
    }


def _rows(place: Place) -> range:
    """Return the range of a joint's constraint rows."""
    return range(6 - place.type.nv)


def _kinds(model: Model, asked: bool, closes: bool) -> list[Kind]:
    """Return the kind of each joint. asked : all joint coordinates are needed. closes : all joints are projected."""
    kinds = []
    for joint in model.joints[1:]:
        plain = is_plain(joint.type)
        form = _form(joint.type)
        kinds.append(
            Kind(
                joint.nv,
                bool(joint.damping.any()),
                bool(joint.stiffness.any()),
                form if asked or joint.stiffness.any() else "",
                form if closes else "",
                None if plain else moving_axes(joint.type).axes,
            )
        )
    return kinds


def _form(type: JointType) -> str:
    return form_of(type) if is_plain(type) else MOVING


def _moving_numbers(system: ConstrainedBodies, kinds: list[Kind]) -> dict[str, NDArray]:
    """Return the parameters of joints with configuration-dependent axes, concatenated; empty if there are none."""
    joints = system.model.joints[1:]
    found = [moving_axes(joint.type).numbers for joint, kind in zip(joints, kinds, strict=True) if kind.moving]
    return {"moving_numbers": np.array([x for own in found for x in own], dtype=float)} if found else {}


def _moving_places(kinds: list[Kind]) -> dict[str, list[int]]:
    """Return for each joint the places of its numbers among those of joints with moving axes and prescribed joints."""
    places: dict[str, list[int]] = {f"{name}_first": [] for name in ("moving", "driven_q", "driven_v", "driven_a")}
    own = q = v = 0
    for kind in kinds:
        for name, place in (("moving", own), ("driven_q", q), ("driven_v", v), ("driven_a", v)):
            places[f"{name}_first"].append(place)
        if isinstance(kind.moving, MovingAxes):
            own += sum(kind.moving.numbers)
            if kind.moving.way is None:
                q, v = q + kind.moving.motion.nq, v + kind.moving.motion.nv
    return places


@lru_cache(maxsize=32)
@compiling
def code_of(
    step: Record,
    kinds: tuple[Kind, ...],
    groups: tuple[str, ...],
    loops: bool,
    tau: Law,
    f_ext: Law,
    own: OwnForces | None,
    loop_forms: tuple[str, ...],
    stabilised: bool,
    held: OwnKind | None,
    driven: DrivenMotion | None,
    moving_loops: tuple[MovingAxes, ...],
    backend: Backend,
    lanes: Lanes,
) -> Executable:
    """Compile the loop over time for a method, and for kinds of joints, groups and loads."""
    program = Program("constrained_bodies", lanes)
    of_model = kinds, groups, loops, tau, f_ext, own, loop_forms, stabilised, held, driven, moving_loops
    over_time(BodySystem(program, *of_model), step)
    return executable(program, backend)


def numbers(system: ConstrainedBodies) -> NDArray:
    """Return the parameters of each body in coordinates of its reference frame, (n, NUMBERS) flattened."""
    rows = np.zeros((system.n, NUMBERS))
    for i, row in enumerate(rows, start=1):
        joint, M = system.model.joints[i], system.mass_matrices[i]
        # from the spatial inertia [[I, m c~], [-m c~, m 1]], the components of m c out of m c~
        row[INERTIA:AXES] = [M[3, 3], M[2, 4], M[0, 5], M[1, 3], *M[:3, :3][np.triu_indices(3)]]
        S = joint.type.motion_subspace(joint.type.neutral())
        to_joint = se3.adjoint(system.offsets[i])  # of a tree, the successor frame is the body frame
        k = joint.nv
        row[AXES : AXES + 6 * k] = (se3.adjoint(se3.inverse(system.offsets[i])) @ S).T.ravel()
        # S^+ of the joint's frame after the transform to it, so that both act on twists of the reference frame
        row[RATES : RATES + 6 * k] = (np.linalg.pinv(S) @ to_joint).ravel()
        row[DAMPING : DAMPING + k], row[ARMATURE : ARMATURE + k] = joint.damping, joint.armature
        row[STIFFNESS : STIFFNESS + k], row[REST : REST + joint.nq] = joint.stiffness, joint.rest
    return rows.ravel()


def loop_arrays_of(system: ConstrainedBodies) -> dict[str, NDArray]:
    """Return the parameters of the loop joints, and the work arrays of loops."""
    places = system.constraints.joints[system.n :]
    T = [se3.adjoint(se3.inverse(place.successor_placement)).T @ _subspace(place.type) for place in places]
    sizes = [part.shape[1] for part in T]
    m = sum(sizes) + (0 if system.own is None else system.own.m)
    size, free, least = system.compared
    return {
        "loop_T": np.concatenate([np.zeros(0), *(part.T.ravel() for part in T)]),
        "loop_successors": np.repeat(np.array([place.successor for place in places], dtype=np.int64), sizes),
        "loop_predecessors": np.repeat(np.array([place.predecessor for place in places], dtype=np.int64), sizes),
        "responses": np.zeros(m * 6 * (system.n + 1)),
        "Lambda": np.zeros(m * m),
        "loop_W": np.zeros(6 * sum(sizes)),
        "factor": np.zeros(1),
        **{name: np.zeros(m) for name in ("rhs", "inverse", "column", "row", "taken")},
        "pivot": np.zeros(4),
        **{name: np.zeros(1) for name in ("rank", "bar", "unsolved", "uncertain", "misled", "again")},
        "along_joints": np.zeros(m * system.model.nv),
        # squared, as it stands in scalar products of rows
        "joint_metric": arcs_of(system.model, system.gaps.length) ** 2,
        "number": np.arange(m, dtype=float),
        "later": 1.0 + PREFERENCE * np.arange(m),
        "size": size,
        "free": free,
        "least": least,
        "gap": np.array([0.0, 0.0, system.gaps.length]),
        "gap_numbers": system.gaps.numbers.ravel(),
        "gap_successors": system.gaps.successor,
        "gap_predecessors": system.gaps.predecessor,
    }


def _subspace(type: JointType) -> NDArray:
    return type.constraint_subspace(type.neutral())
