"""Floating systems for the tests of chapter 9, next to their models with a six-freedom joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit import algorithms
from rbdkit.library import random_tree
from rbdkit.library.random_tree import joint_gallery, uncommon_joints
from rbdkit.spatial import plucker, se3


@dataclass
class Floater:
    """A model on a free joint, the floating system made of it, and one state with forces, in both descriptions."""

    model: rbd.Model
    system: algorithms.FloatingBase
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    a: np.ndarray
    f_world: np.ndarray

    def __post_init__(self) -> None:
        self.pose, self.joint_q, self.v_0, self.qd = algorithms.to_floating_state(self.model, self.q, self.v)
        self.a_g = self.system.gravity(self.pose)
        self.f_base = self.system.forces_in_base(self.f_world[1:], self.pose)
        self.state = (self.system, self.joint_q, self.qd, self.v_0)

    @property
    def X_0(self) -> np.ndarray:
        """From world to base coordinates."""
        return plucker.from_pose(self.pose)


@pytest.fixture(scope="session")
def floater():
    """Random floating tree number seed: all joint types, branches, rotors, gravity, external forces."""

    def make(seed: int, bodies: int = 24) -> Floater:
        rng = np.random.default_rng(seed)
        free = rbd.Free(translation=("predecessor", "successor")[seed % 2])
        deck = joint_gallery(rng) + uncommon_joints(rng)
        branches = random_tree(seed, bodies, [deck[k] for k in rng.permutation(len(deck))])
        model = rbd.Model(f"floating {seed}", branches.gravity)
        model.add_body("base", joint=free, placement=se3.random(rng), inertia=branches.bodies[1].inertia)
        for body in branches.bodies[1:]:
            parent = "base" if body.parent == 0 else branches.bodies[body.parent].name
            rotor = rng.uniform(0.0, 0.5, body.joint.nv)
            placement = body.joint.placement
            model.add_body(body.name, parent, body.joint.type, placement, body.inertia, armature=rotor)
        q = model.random_q(rng)
        v, tau, a = rng.normal(size=(3, model.nv))
        tau[:6] = 0.0
        f_world = rng.normal(size=(len(model.bodies), 6))
        f_world[0] = 0.0
        return Floater(model, algorithms.to_floating_base(model), q, v, tau, a, f_world)

    return make
