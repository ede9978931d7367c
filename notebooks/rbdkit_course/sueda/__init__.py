"""Checks of the exercises in the notebooks on Sueda's notes, one module per notebook, loaded when first used.

A notebook imports all that it uses from here, in one line: its checks, and parts of the library under their own names.
"""

from __future__ import annotations

from typing import Any

from rbdkit_course.parts import part

NOTEBOOKS = ("bodies", "joints", "reduced", "implicit", "recursive", "contact", "hybrid")
PARTS = {
    "LinearlyImplicitEuler": "rbdkit.integrators:LinearlyImplicitEuler",
    "VelocityEuler": "rbdkit.integrators:VelocityEuler",
    "algorithms": "rbdkit.algorithms",
    "elastic": "rbdkit.algorithms.elastic",
    "maximal": "rbdkit.algorithms.maximal",
    "maximal_euler_step": "rbdkit.algorithms.maximal:maximal_euler_step",
    "muscle_curves": "rbdkit.forces.muscle_curves",
    "redmax": "rbdkit.algorithms.redmax",
    "se3": "rbdkit.spatial.se3",
    "skew": "rbdkit.spatial.so3:skew",
    "solve_ivp": "scipy.integrate:solve_ivp",
    "source": "rbdkit.widgets:source",
    "stiffness_at": "rbdkit.derivatives:stiffness_at",
    "time": "time",
    "warnings": "warnings",
}
"""Names from the library that notebooks import from this package, and where each is defined."""


def __getattr__(name: str) -> Any:
    return part(name, __name__, {file: f"{__name__}.{file}" for file in NOTEBOOKS} | PARTS)
