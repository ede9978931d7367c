"""MJCF texts read by rbdkit and by MuJoCo, and both models in one state."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

import rbdkit as rbd
from rbdkit.formats import FormatWarning, from_mujoco_state


class Both(NamedTuple):
    """A model and MuJoCo's compiled one, with what was warned of."""

    model: rbd.Model
    compiled: Any
    told: str

    def state(self, seed: int = 0, size: float = 0.4) -> State:
        """A random state near MuJoCo's reference, evaluated by MuJoCo without contacts, limits and equalities."""
        m, rng = self.compiled, np.random.default_rng(seed)
        data, qpos = mujoco.MjData(m), m.qpos0.copy()
        mujoco.mj_integratePos(m, qpos, size * rng.normal(size=m.nv), 1.0)
        data.qpos[:], data.qvel[:] = qpos, size * rng.normal(size=m.nv)
        before = m.opt.disableflags
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        if self.model.nu == m.nactuator:  # all of them are known, so they act in both
            data.ctrl[:] = rng.normal(scale=2.0, size=m.nu)
        else:
            m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
        mujoco.mj_forward(m, data)
        m.opt.disableflags = before
        return State(self, data, *from_mujoco_state(m, data.qpos, data.qvel))


class State(NamedTuple):
    both: Both
    data: Any
    q: NDArray
    v: NDArray

    @property
    def T(self) -> NDArray:
        """dv by MuJoCo's velocities, which a velocity along one freedom at a time tells."""
        m = self.both.compiled
        return np.array([from_mujoco_state(m, self.data.qpos, unit)[1] for unit in np.eye(m.nv)]).T

    def mass_matrices(self) -> tuple[NDArray, NDArray]:
        """Ours and MuJoCo's, in MuJoCo's velocities."""
        m = self.both.compiled
        full = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, self.data, full)
        return self.T.T @ rbd.crba(self.both.model, self.q) @ self.T, full

    def accelerations(self) -> tuple[NDArray, NDArray]:
        """Ours, of the tree with everything that acts but friction, and MuJoCo's in our velocities."""
        m, model = self.both.compiled, frictionless(self.both.model)
        tau = rbd.passive_force(model, self.q, self.v) - rbd.bias_force(model, self.q, self.v)
        if model.nu:
            tau -= rbd.actuator_force(model, self.q, self.v)
        if model.nu == m.nactuator > 0:
            reach = [limits or (-np.inf, np.inf) for limits in model.u_ranges.values()]
            tau += rbd.actuator_force(model, self.q, self.v, np.clip(self.data.ctrl, *np.transpose(reach)))
        theirs = self.T @ self.data.qacc
        for d in m.jnt_dofadr[m.jnt_type == mujoco.mjtJoint.mjJNT_FREE].tolist():
            theirs[d + 3 : d + 6] -= np.cross(self.v[d : d + 3], self.v[d + 3 : d + 6])  # our axes turn
        return np.linalg.solve(rbd.crba(model, self.q), tau), theirs

    def check(self) -> None:
        """Assert that poses, mass matrices and accelerations are MuJoCo's."""
        m, model = self.both.compiled, self.both.model
        poses = rbd.forward_kinematics(model, self.q)
        for b in range(1, m.nbody):
            if name := m.body(b).name:
                origin = f"{name}_origin" if f"{name}_origin" in model._frame_index else name
                pose = poses.pose(origin)
                np.testing.assert_allclose(pose[:3, 3], self.data.xpos[b], atol=1e-12)
                np.testing.assert_allclose(pose[:3, :3].ravel(), self.data.xmat[b], atol=1e-12)
        ours, theirs = self.mass_matrices()
        assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max()
        ours, theirs = self.accelerations()
        assert np.abs(ours - theirs).max() <= 1e-9 * max(1.0, np.abs(theirs).max())


def frictionless(model: rbd.Model) -> rbd.Model:
    names = [f"{joint.name}.friction" for joint in model.joints if joint.friction.any()]
    return model.with_parameters({name: 0.0 * np.asarray(model.parameters[name]) for name in names})


@pytest.fixture(scope="session")
def read() -> Callable[[str], Both]:
    """Read the inside of <mujoco>."""

    def both(inside: str) -> Both:
        text = f'<mujoco model="m"><compiler angle="radian"/>{inside}</mujoco>'
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = rbd.load(text)
        assert all(issubclass(w.category, FormatWarning) for w in caught) and len(caught) <= 1
        return Both(model, mujoco.MjModel.from_xml_string(text), "\n".join(str(w.message) for w in caught))

    return both


@pytest.fixture(scope="session")
def tree(read) -> Callable[[str], Both]:
    """Read bodies; nothing may be left out."""

    def both(bodies: str, more: str = "") -> Both:
        found = read(f"<worldbody>{bodies}</worldbody>{more}")
        assert found.told == ""
        return found

    return both


@pytest.fixture(scope="session")
def both_of() -> type[Both]:
    """A model that was read, its compiled one, and what was told."""
    return Both
