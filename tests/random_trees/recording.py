"""Numbers of 200 random trees, written down once: what the algorithms gave before their texts were merged into one.

``python tests/random_trees/recording.py`` writes ``recorded.json.xz`` anew. Do so only where a definition changes (what
a coordinate or a force means), never because a text is rewritten: the file is there to notice that.
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.formats.json.read import from_json
from rbdkit.formats.json.write import to_json
from rbdkit.joints import JointType

FILE = Path(__file__).with_name("recorded.json.xz")
Motion = Callable[[float], tuple[NDArray, NDArray, NDArray]]
STATE = ("q", "v", "x", "f", "t")
"""Coordinates, velocities, accelerations or joint forces, external forces on all bodies, and time."""


@dataclass(frozen=True, eq=False)
class RecordedTree:
    """A tree, a state of it, and the results there. driven : how its prescribed joints move, by the joint's name."""

    model: rbd.Model
    state: dict[str, NDArray]
    results: dict[str, NDArray]


def recorded_trees() -> Iterator[RecordedTree]:
    """Yield the trees of the file."""
    for entry in json.loads(lzma.decompress(FILE.read_bytes())):
        model = prescribed(from_json(json.dumps(entry["model"])), entry["driven"])
        state, results = ({k: np.array(x) for k, x in entry[part].items()} for part in ("state", "results"))
        results["H"] = results["H"].reshape(model.nv, model.nv)  # lists of no numbers have no shape
        yield RecordedTree(model, state, results)


def results_of(tree: RecordedTree, functions: Any) -> dict[str, NDArray]:
    """Compute what is recorded: by ``rbdkit.algorithms``, or by the public functions of ``rbdkit``."""
    q, v, x, f, t = (tree.state[name] for name in STATE)
    model, t = tree.model, float(t)
    H = functions.crba(model, q, t=t)
    energy = functions.energy(model, q, v, t=t)
    moved = functions.forward_kinematics(model, q, v, t=t)
    tau, qdd = functions.rnea(model, q, v, x, f_ext=f, t=t), functions.forward_dynamics(model, q, v, x, f_ext=f, t=t)
    return {
        "H": np.asarray(getattr(H, "H", H)),
        "tau": np.asarray(getattr(tau, "tau", tau)),
        "qdd": np.asarray(getattr(qdd, "qdd", qdd)),
        "poses": moved.poses[1:, :3],
        "velocities": moved.velocities[1:],
        "energy": np.array([energy.kinetic, energy.gravitational, energy.spring]),
        "momentum": np.asarray(functions.momentum(model, q, v, t=t)),
    }


def joints_of_the_notes(rng: np.random.Generator) -> list[JointType]:
    """Return a joint of each type that the library's galleries leave out."""
    turns, places = 0.4 * rng.normal(size=(2, 4, 3))
    along = [rbd.pose(Rotation.from_rotvec(turn).as_matrix(), place) for turn, place in zip(turns, places, strict=True)]
    net = np.zeros((6, 4, 4))
    net[0], net[1] = np.meshgrid(0.3 * np.arange(4.0), 0.3 * np.arange(4.0), indexing="ij")
    net[2:] = 0.1 * rng.normal(size=(4, 4, 4))
    return [
        rbd.PlanarTranslation("y"),
        rbd.FreeInPlane("z"),
        rbd.Translational(),
        rbd.EulerAngles("ZXZ"),
        rbd.ExponentialSpherical(),
        rbd.Composite(rbd.Prismatic("x"), rbd.Revolute("z")),
        rbd.SplineCurve(along),
        rbd.SplineSurface(net),
    ]


def to_and_fro(joint: JointType, start: NDArray, direction: NDArray, rate: float, phase: float) -> Motion:
    """Swing about a place along a constant direction of velocity."""

    def motion(t: float) -> tuple[NDArray, NDArray, NDArray]:
        angle = rate * t + phase
        way, speed, growth = np.sin(angle), rate * np.cos(angle), -(rate**2) * np.sin(angle)
        return joint.integrate(start, way * direction), speed * direction, growth * direction

    return motion


def prescribed(model: rbd.Model, driven: dict[str, dict[str, Any]]) -> rbd.Model:
    """Return the model with some of its joints prescribed; files cannot hold those."""
    if not driven:
        return model
    new = rbd.Model(model.name, gravity=model.gravity)
    for body in model.bodies[1:]:
        joint, type, numbers = body.joint, body.joint.type, {}
        if joint.name in driven:
            how = driven[joint.name]
            given = (np.array(how["start"]), np.array(how["direction"]), how["rate"], how["phase"])
            type = rbd.Prescribed(type, to_and_fro(type, *given))
        else:
            numbers = {key: getattr(joint, key) for key in ("armature", "stiffness", "damping", "rest")}
        new.add_body(
            body.name,
            model.bodies[body.parent].name,
            type,
            joint.placement,
            body.inertia,
            mimic=joint.mimic,
            **numbers,
        )
    return new


def _record() -> None:
    sys.path.insert(0, str(FILE.parent))
    import conftest

    entries = []
    for seed in range(200):
        rng = np.random.default_rng((7, seed))
        few = list(conftest.deck(1)[:2]) if seed % 3 == 1 else []  # a master joint and one that mimics it
        every = [card for number in range(24) for card in conftest.deck(number) if not card.follows]
        every += [conftest.Card(joint, True, True, True, False, False) for joint in joints_of_the_notes(rng)]
        kinds = {f"{card.joint.kind} {type(getattr(card.joint, 'joint', None)).__name__}": card for card in every}
        first = list(kinds.values())[seed % len(kinds)]  # so that no type is left to chance
        others = [first, *(every[i] for i in rng.integers(len(every), size=rng.integers(0, 3)))]
        plain = [replace(card, driven=False) for card in (*few, *others)]
        model = conftest.tree_of(tuple(plain), rng, f"recorded tree {seed}")
        driven = {}
        for joint in model.joints[1:]:
            rack = isinstance(getattr(joint.type, "joint", joint.type), rbd.RackAndPinion)
            alone = joint.mimic is None and joint.name not in {j.mimic.leader for j in model.joints if j.mimic}
            if seed % 4 == 3 and joint.nv and alone and not rack and rng.random() < 0.4:
                start, direction = joint.type.random(rng), rng.normal(size=joint.nv)
                driven[joint.name] = {
                    "start": start.tolist(), "direction": direction.tolist(),
                    "rate": rng.uniform(0.5, 2.0), "phase": rng.normal(),
                }  # fmt: skip
        text = json.loads(to_json(model))
        case = conftest.with_state(prescribed(from_json(to_json(model)), driven), rng)
        state = {name: np.asarray(getattr(case, name)) for name in STATE}
        tree = RecordedTree(case.model, state, {})
        results = results_of(tree, algorithms)
        lists = {"state": state, "results": results}
        entries.append(
            {"model": text, "driven": driven}
            | {part: {k: x.tolist() for k, x in numbers.items()} for part, numbers in lists.items()}
        )
    FILE.write_bytes(lzma.compress(json.dumps(entries).encode(), preset=9))


if __name__ == "__main__":
    _record()
