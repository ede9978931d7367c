"""A model as data that a web page can run: code, numbers, and where each belongs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.browser.adjust import adjustment
from rbdkit.engine.contact.contacts import (
    CONTACT,
    END,
    FRICTION,
    GAP,
    IMPULSE,
    KEPT,
    MIDDLE,
    NORMAL,
    PARTS,
    POINT,
    SHIFT_1,
    SHIFT_2,
    SPEED,
    START,
)
from rbdkit.engine.contact.diary import ACCOUNTED, ENTRY, run_arrays
from rbdkit.engine.contact.scene import SURFACE, Scene, scene_of
from rbdkit.engine.contact.touching_tree import RecordedTouchingTree
from rbdkit.engine.links.agreement import NotTraced
from rbdkit.engine.links.layout import Layout
from rbdkit.engine.links.own_forces import number_places, own_forces
from rbdkit.engine.links.own_laws import record_law
from rbdkit.engine.links.pack import pack
from rbdkit.engine.links.pieces import NotCovered
from rbdkit.engine.rows.of_model import rows_of
from rbdkit.engine.run.bound import WITH_OWN_FORCES, WITH_ROWS
from rbdkit.engine.run.compiled_programs import Task
from rbdkit.engine.run.driven import DrivenJoints, prescribed
from rbdkit.engine.run.motion import TASK
from rbdkit.engine.run.recordings import record
from rbdkit.engine.run.shapes import is_small
from rbdkit.engine.run.signatures import output_shapes, room
from rbdkit.engine.run.tables import Tables, fixed_numbers, kinds_of
from rbdkit.engine.steps.loop_tree import LoopTree
from rbdkit.engine.steps.recorded_tree import DrivenMotion
from rbdkit.engine.steps.unrolled_tree import UnrolledTree
from rbdkit.model import Model
from rbdkit.model.element_states import state_places
from rbdkit.model.one_sided import one_sided, without_stops
from rbdkit.model.requirements import besides_tree, require_no_contacts, require_tree
from rbdkit.trace import Feedback, Program, Recordable, arrays_of, loop_room, wasm_bytes

ALGORITHMS = ("rnea", "aba", "forward_dynamics", "crba", "poses", "kinematics", "energy")
"""Kernels that a package may hold in addition to its simulation."""


def packaged(
    model: Model,
    method: Recordable,
    tau: Callable[..., Any] | None = None,
    algorithms: Sequence[str] = ("energy", "poses"),
    parameters: Sequence[str] = (),
    gains: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Pack a model as plain data for the JavaScript class `Kernels` of `loader`; ``json.dumps`` serialises it.

    Parameters
    ----------
    method : integrator of the simulations, which records its steps. For a model with loops it must close them, as
        `rbdkit.integrators.Projected` of another one does, and states that the page begins with must be closed. For a
        model with contacts it is the compiled steps of a contact law (`rbdkit.laws.Law.compiled`).
    tau : function of t, q, v that gives the joint forces (nv,) and can be traced; without, simulations take them as
        numbers.
    algorithms : names of further kernels, from `ALGORITHMS`.
    parameters : names, from `Model.parameters`, of those that the page may change.
    gains : numbers that `tau` takes as further arguments by name, which the page may change as "tau.name".

    Raises
    ------
    NotCovered
        If the model has a joint or force element that the engine does not know, or a joint prescribed by a function
        that cannot be traced, or if the method chooses its steps, or needs more than joint coordinates.
    ModelError
        If a parameter has no such name, or is not a number of its own in compiled code; or if 'aba' is wanted for a
        model with loops.
    ValueError
        If there is no such algorithm.
    """
    for name in algorithms:
        if name not in ALGORITHMS:
            raise ValueError(f"no algorithm {name!r} for web pages; there are {', '.join(ALGORITHMS)}")
    for name in {"aba"} & {*algorithms}:
        require_tree(model, name)
    steps = method.requires.__name__
    touching = method.requires is RecordedTouchingTree
    if not touching:
        require_no_contacts(model, "a web page")
    tied = besides_tree(model)
    if not touching and steps not in (("Projectable",) if tied else ("System", "Lagrangian")):
        how = "give one that closes loops in every step, Projected(RK4())" if tied else "not joint coordinates"
        raise NotCovered(f"{type(method).__name__} steps {steps} only: {how}{_of_loops(model)}")
    adjust = adjustment(model, parameters, touching)
    plan, kinds = adjust.layout, kinds_of(adjust.layout)
    numbers, taken = pack(model, plan), {**Tables(plan, kinds)}
    states_alone = any(name in WITH_ROWS for name in algorithms)  # of these nobody knows whether a stop pushes
    free = without_stops(model) if touching and not states_alone else model
    rows = rows_of(free, plan, numbers["frames"])
    spare: dict[str, int] = {}
    if rows is not None:
        numbers, taken, spare = numbers | rows.numbers, taken | rows.tables(1), rows.room(1)
    states = state_places(model)
    rates = plan.nv + states.size  # the states of force elements stand behind the velocities
    others = {*numbers, *taken, *room(plan, 0)[0], *spare, *loop_room(plan.nq, rates), *TASK}
    scene = scene_of(model, plan, numbers["frames"], rows) if touching else None
    of_run, of_scene = ({}, {}) if scene is None else run_arrays(scene, 1)
    of_method = arrays_of(method, plan.nq, rates, others | of_run.keys())
    if "turns" in of_method and not touching:
        raise NotCovered(f"web pages simulate with steps of one length; {type(method).__name__} chooses its own")
    if plan.driven:
        raise NotCovered(f"joint {model.joints[plan.driven[0]].name!r} moves as a Python function of time says")
    driven, moved = _moved_loops(model)
    asked = sorted({*algorithms} & {*WITH_ROWS})
    if asked and rows is not None and any(code.timed or code.driven for code in rows.codes):
        raise NotCovered(f"{asked[0]} of model {model.name!r} asks for time, which web pages tell simulations alone")
    own = own_forces(model, plan)
    if own is not None:
        numbers["own_numbers"] = np.array(own.law.numbers)
        taken |= own.tables
    # what the page may change must stay a number, even if it is 0 now
    fixed = {k: x for k, x in fixed_numbers(plan, numbers["rows"]) if k not in adjust.rows}
    law = None if tau is None else _feedback(tau, plan.nq, plan.nv, gains or {})
    kinds_touching = None if scene is None else scene.kinds
    tasks = {"simulate": Task("over_time", False, law, None, method.record, driven, own, touching=kinds_touching)}
    if scene is not None:
        tasks["simulate"] = replace(tasks["simulate"], stops=scene.stops)
    tasks |= {name: Task(name, own=own if name in WITH_OWN_FORCES else None) for name in algorithms}
    if rows is not None:
        codes = rows.codes
        tasks = {name: replace(task, rows=codes if task.algorithm in WITH_ROWS else ()) for name, task in tasks.items()}

    programs: dict[str, Program] = {"adjust": adjust.program}
    widths = {"adjust": 0}
    for name, task in tasks.items():
        programs[name], widths[name] = _record(name, task, plan, fixed)
    # what no program reads is not sent
    used = {name for program in programs.values() for name in program.arrays}
    unread = set() if rows is None else {*rows.numbers} - used
    numbers = {name: x for name, x in numbers.items() if name not in unread}
    arrays = {**numbers, **of_method, **of_run, **loop_room(plan.nq, rates), **taken, **moved}
    arrays |= {"parameters": np.concatenate([np.zeros(0), *(x.ravel() for _, x in adjust.values.values())])}
    sizes = room(plan, max(widths.values()))[0] | spare
    arrays |= {name: np.zeros(size) for name, size in sizes.items() if name in used}
    turned = [] if law is None or gains is None else list(gains.items())
    if law is not None:
        arrays |= {"tau_now": np.zeros(plan.nv), "tau_numbers": np.array(law.numbers)}
    counts = {"n": len(plan.links), "nq": plan.nq, "nv": plan.nv, "nz": states.size, "n_bodies": len(model.bodies)}
    counts["most_numbers"] = plan.numbers.shape[1]
    counts |= of_scene | ({} if rows is None else rows.counts(1))
    return {
        "name": model.name,
        "bodies": [body.name for body in model.bodies],
        "counts": {**counts, "stages": len(arrays["c"])},
        "states": {"names": [*states.entries], "first": _first_states(model)},
        "touching": None if scene is None else _touching(model, scene),
        "parameters": {name: {"first": k, "value": x.ravel().tolist()} for name, (k, x) in adjust.values.items()}
        | {f"tau.{name}": {"first": k, "value": [x], "array": "tau_numbers"} for k, (name, x) in enumerate(turned)},
        "code": _text(wasm_bytes(*programs.values())),
        "programs": {
            name: {
                "arrays": [*program.arrays, *program.tables],
                "counts": program.counts,
                "lengths": room(plan, widths[name])[1],
                "outputs": _sizes(name, model) if name in algorithms else {},
            }
            for name, program in programs.items()
        },
        "numbers": {name: _text(x) for name, x in arrays.items() if x.dtype == float and x.any()},
        "room": {name: x.size for name, x in arrays.items() if x.dtype == float and not x.any()},
        "tables": {name: _text(x.astype(np.int32)) for name, x in arrays.items() if x.dtype == np.int64},
    }


def _moved_loops(model: Model) -> tuple[DrivenMotion | None, dict[str, NDArray]]:
    """Return how prescribed loop joints move, with the arrays for it; (None, {}) if there are none.

    Raises
    ------
    NotCovered
        If their motions cannot be traced.
    """
    joints = DrivenJoints(prescribed(model))
    if not joints:
        return None, {}
    motion = joints.motion(np.linspace(0.0, 10.0, 101))
    if motion is None:
        name = next(loop.joint.name for loop in model.loops if loop.joint.type.is_driven)
        raise NotCovered(f"joint {name!r} moves as a Python function of time says, which cannot be recorded")
    return motion, {**joints.at(0.0), "driven_numbers": np.array(motion.law.numbers)}


def _feedback(law: Callable[..., Any], nq: int, nv: int, gains: Mapping[str, float]) -> Feedback:
    """Trace a control law whose gains stay inputs, as the first of its numbers."""

    def with_gains(law: Callable[..., Any], t: Any, q: Any, v: Any, numbers: Any) -> Any:
        return law(t, q, v, **dict(zip(gains, numbers, strict=True)))

    try:
        recorded = record_law(law, with_gains, ((), nq, nv, len(gains)), ("t", "q", "v", "numbers"))
    except NotTraced as fault:
        raise NotCovered(f"tau cannot be traced: {fault}") from fault
    return Feedback.of(recorded, list(gains.values()))


def _touching(model: Model, scene: Scene) -> dict[str, Any]:
    """Return what a page needs to report and draw contacts.

    For each slot its pair, the place of that in "surfaces", and the sign of normals and forces; slots from "in_space"
    on are those of unilateral constraints.
    """
    return {
        "names": [*(pair.name for pair in model.contact_pairs), *(own.name for own in one_sided(model))],
        "pair": scene.pair.tolist(),
        "surface": (SURFACE * scene.row).tolist(),
        "sense": scene.sense.tolist(),
        "entry": ENTRY,
        "in_space": scene.counts["first_stop"],
        "room": scene.room,
        "kept": list(KEPT),
        "account": dict(ACCOUNTED),
        "at": {
            "state": CONTACT,
            "part": PARTS,
            "point": POINT,
            "normal": NORMAL,
            "gap": GAP,
            "impulse": IMPULSE,
            "speed": SPEED,
            "friction": FRICTION,
            "lines": [START, MIDDLE, END, SHIFT_1, SHIFT_2],
        },
    }


def _of_loops(model: Model) -> str:
    """Return the names of loop joints and constraints, for a message."""
    names = ", ".join(map(repr, besides_tree(model)))
    return f"; {names} close loops in model {model.name!r}, or constrain it" if names else ""


def _first_states(model: Model) -> list[int]:
    """Return where the initial states of force elements are among their numbers."""
    places = number_places(model)
    return [k for name in state_places(model).slices for k in range(places[name].start, places[name].stop)]


def loader() -> str:
    """Return the JavaScript source of the class `Kernels`, which runs what `packaged` returns; no exports.

    In a page::

        const kernels = await Kernels.load(packaged);
        kernels.set("rod1.mass", 2.5);
        const motion = kernels.simulate({ q: [0.5, 0.5], v: [0, 0], dt: 1e-3, steps: 10000, every: 10 });
        const { poses } = kernels.compute("poses", motion);
    """
    folder = Path(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in ("undetermined.js", "kernels.js"))


def _record(name: str, task: Task, plan: Layout, fixed: dict[int, float]) -> tuple[Program, int]:
    """Record a program, straight-line for models of few links, and return it with its work space per link."""
    program = Program(name)
    if task.unrolls and is_small(plan):
        record(task, UnrolledTree(program, plan.links, plan.nq, plan.nv, fixed))
        return program, 0
    tree = LoopTree(program, kinds_of(plan))
    record(task, tree)
    return program, tree.finish()


def _sizes(algorithm: str, model: Model) -> dict[str, int]:
    """Return the number of results of an algorithm for a state, by array."""
    return {name: int(np.prod(shape)) for name, shape in output_shapes(algorithm, model.nv, len(model.bodies)).items()}


def _text(data: bytes | NDArray) -> str:
    return b64encode(data if isinstance(data, bytes) else data.tobytes()).decode()
