"""Compiled constraint residuals of joints at many states: `JointConstraints.position` as a program.

A run with loops is checked at each recorded state: how far are the joints open? The readable form makes several arrays
for each joint and state; this program goes through the states, and for each through the joints, by the same formulas
(`rbdkit.engine.rows.joint_program`). It pays from `MANY` states on, and covers joints whose coordinates have a closed
form.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rbdkit.engine.rows.joint_program import FORMS, JOINT_NUMBERS, form_of, gap, joint_numbers
from rbdkit.formulations.constrained.joint_constraints import JointConstraints
from rbdkit.spatial import se3
from rbdkit.spatial.compact import Pose
from rbdkit.spatial.vector3 import Matrix, Vector, dot
from rbdkit.trace import Backend, Executable, Index, Program, available, compiling, executable

MANY = 16
"""Number of states from which on a call of compiled code is worth it."""

KNOWN = tuple(type for types in FORMS.values() for type in types)


class Residuals:
    """Compiled residuals of all joints. constraints : constraints of joints that are `covered`."""

    @staticmethod
    def covered(constraints: JointConstraints) -> bool:
        """Whether there are formulas for all joints."""
        return all(isinstance(place.type, KNOWN) and not place.type.is_users_own for place in constraints.joints)

    def __init__(self, constraints: JointConstraints) -> None:
        joints = constraints.joints
        forms = [form_of(place.type) for place in joints]
        self._forms = tuple(dict.fromkeys(forms))
        self._numbers = np.concatenate([np.zeros(0), *(joint_numbers(place) for place in joints)])
        T = [place.type.constraint_subspace(place.type.neutral()) for place in joints]  # in successor coordinates
        X_S = [se3.adjoint(se3.inverse(place.successor_placement)) for place in joints]
        self._rows = np.concatenate([np.zeros((0, 6)), *(part.T @ X for part, X in zip(T, X_S, strict=True))])
        tables = {
            "forms": [self._forms.index(form) for form in forms],
            "predecessors": constraints.predecessor,
            "successors": constraints.successor,
            "joint_of_row": np.repeat(np.arange(len(joints)), [part.shape[1] for part in T]),
        }
        self._tables = {name: np.array(table, dtype=np.int64) for name, table in tables.items()}

    def at(self, C: NDArray) -> NDArray:
        """Return g (n, rows) at states; C : poses (n, bodies, 4, 4) of the reference frames, the world first."""
        n, bodies = C.shape[:2]
        g, m = np.zeros((n, len(self._rows))), len(self._tables["forms"])
        arrays = {
            "poses": np.ascontiguousarray(C, dtype=float),
            "numbers": self._numbers,
            "rows": self._rows,
            "twists": np.zeros((m, 6)),
            "residuals": g,
        }
        counts = {"states": n, "bodies": bodies, "joints": m, "m": len(self._rows)}
        _code(self._forms, available()[0]).bind({**arrays, **self._tables}, counts)()
        return g


@lru_cache(maxsize=64)
@compiling
def _code(forms: tuple[str, ...], backend: Backend) -> Executable:
    program = Program("residuals")
    with program.loop(0, program.count("states")) as state:
        with program.loop(0, program.count("joints")) as joint:
            first = state * program.count("bodies")
            predecessor, successor = (
                first + program.entry(f"{which}s", joint) for which in ("predecessor", "successor")
            )
            for case in program.switch(program.entry("forms", joint), range(len(forms))):
                T_P, T_S = _pose(program, predecessor), _pose(program, successor)
                numbers = [program.load("numbers", joint * JOINT_NUMBERS, k) for k in range(JOINT_NUMBERS)]
                for k, x in enumerate(gap(forms[case], numbers, T_P.to(T_S))):
                    program.store("twists", joint * 6, k, x)
        with program.loop(0, program.count("m")) as row:
            twist = program.entry("joint_of_row", row) * 6
            across, missing = (
                [program.load(*at, k) for k in range(6)] for at in (("rows", row * 6), ("twists", twist))
            )
            g = dot(across, missing)
            program.store("residuals", state * program.count("m") + row, 0, g)
    return executable(program, backend)


def _pose(program: Program, frame: Index) -> Pose:
    """Load the pose of a frame from its matrix (4, 4)."""
    place = frame * 16
    R = Matrix.of([program.load("poses", place, 4 * i + j) for i, j in product(range(3), range(3))])
    return Pose(R, Vector([program.load("poses", place, 4 * i + 3) for i in range(3)]))
