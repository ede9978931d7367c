"""Input and output arrays of the algorithms, and the work arrays that they need.

Programs know arrays by name. `INPUTS` and `OUTPUTS` list those with a part for each state, in the order in which
`StateComputer` passes them; `room` lists the work arrays, whose sizes depend on the model and on the program's work
space per link.
"""

from __future__ import annotations

from rbdkit.engine.links.layout import Layout
from rbdkit.engine.steps.sizes import (
    CARRIED,
    FACTORS,
    FREEDOM,
    LINK,
    OWN_TIME,
    REFERENCES,
    SHARED,
    TWIST,
    row_length,
    stiffness_arrays,
)

INPUTS = {
    "rnea": ("q", "v", "qdd"), "motors": ("q", "v", "qdd"),
    "aba": ("q", "v", "tau"), "forward_dynamics": ("q", "v", "tau"),
    "reactions": ("q", "v", "tau"), "stabilised_dynamics": ("q", "v", "tau"),
    "constraint_rows": ("q", "v"), "openness": ("q",), "residuals": ("q",),
    "crba": ("q",), "poses": ("q",), "kinematics": ("q", "v"), "energy": ("q", "v"), "own_forces": ("q", "v"),
    "own_gradient": ("q", "v", "weights"),
    "rnea_jacobian": ("q", "v", "qdd"), "aba_jacobian": ("q", "v", "tau"),
    "forward_dynamics_jacobian": ("q", "v", "tau"),
    "rnea_gradient": ("q", "v", "qdd", "weights"), "passive_gradient": ("q", "v", "weights"),
    "inverse_inertia": ("q", "weights"),
    **{f"jacobian_{reference}": ("q",) for reference in REFERENCES},
    **{f"bias_acceleration_{reference}": ("q", "v") for reference in REFERENCES},
    "center_of_mass": ("q",), "momentum_world": ("q", "v"), "momentum_com": ("q", "v"),
}  # fmt: skip
OUTPUTS = {
    "rnea": ("tau",), "motors": ("motors", "tau"), "aba": ("qdd",), "forward_dynamics": ("qdd",),
    "reactions": ("qdd", "lambda"), "stabilised_dynamics": ("qdd",),
    "constraint_rows": ("rows_K", "rows_k", "rows_gap", "rows_slip", "rows_open"), "openness": ("rows_open",),
    "residuals": ("residuals",),
    "crba": ("H",), "poses": ("poses",), "kinematics": ("poses", "velocities"), "energy": ("energies",),
    "own_forces": ("powers", "tau"), "own_gradient": ("by_q", "by_v", "by_link", "by_numbers"),
    "rnea_jacobian": ("derivatives",), "aba_jacobian": ("derivatives", "qdd"),
    "forward_dynamics_jacobian": ("derivatives", "qdd"),
    "rnea_gradient": ("by_q", "by_v", "by_qdd", "by_link", "by_gravity", "by_f_ext"),
    "passive_gradient": ("by_q", "by_v", "by_damping", "by_stiffness", "by_rest"),
    "inverse_inertia": ("by_tau",),
    **{f"jacobian_{reference}": ("jacobians",) for reference in REFERENCES},
    **{f"bias_acceleration_{reference}": ("bias",) for reference in REFERENCES},
    "center_of_mass": ("centers",), "momentum_world": ("momenta",), "momentum_com": ("momenta",),
}  # fmt: skip


def room(layout: Layout, width: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return the sizes of the work arrays of programs, and the counts that belong to them.

    width : numbers of "work" per link.
    """
    nv = layout.nv
    # one list for all algorithms: a program gets those of these arrays that it mentions
    sizes = {
        "work": (len(layout.links) + 1) * width,
        "columns": 12 * sum(link.kind.motion.nv for link in layout.links),
        "freedoms": row_length(nv) * FREEDOM,
        "H": nv * row_length(nv),
        "L": nv * nv,
        "D_inv": nv,
        "shared": nv * SHARED,
        "factors": nv * FACTORS,
        **dict.fromkeys(("p_columns", "a_columns"), (len(layout.links) + 1) * TWIST),
        "carried": CARRIED,
        "bias_force": nv,
        "q_here": layout.nq,
        "v_here": nv,
        "tau_here": nv,
        "own_tau": nv,
        OWN_TIME: 1,
        "own_force": 6 * (len(layout.links) + 1),
        "own_push": 12 * len(layout.link_of_body),
        "own_powers": 2,
        **stiffness_arrays(layout.nq, nv, sum(link.kind.motion.nv for link in layout.links), len(layout.links)),
    }
    return sizes, {"width": width, "row": row_length(3 * nv), "H_row": row_length(nv)}


def outputs_of(algorithm: str, states: bool) -> tuple[str, ...]:
    """Return the names of an algorithm's outputs. states : whether force elements have states of their own."""
    return OUTPUTS[algorithm] + ("z_rate",) * (states and algorithm == "own_forces")


def output_shapes(
    algorithm: str,
    nv: int,
    bodies: int,
    links: int = 0,
    driven: int = 0,
    own: int = 0,
    nz: int = 0,
    rows: int = 0,
    loop_rows: int = 0,
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of an algorithm's outputs for one state, by array name.

    own : numbers of force elements. nz : their states. rows : constraint rows. loop_rows : those of loop joints.
    """
    shapes = {"H": (nv, nv), "poses": (bodies, 4, 4), "velocities": (bodies, 6), "energies": (3,)}
    shapes |= {
        "derivatives": (nv, row_length(3 * nv)),
        "by_link": (links + 1, LINK),
        "by_gravity": (3,),
        "by_f_ext": (links + 1, 6),
        "jacobians": (6, nv),
        "bias": (6,),
        "momenta": (6,),
        "centers": (3,),
        "motors": (driven,),
        "powers": (2,),
        "by_numbers": (own,),
        "lambda": (rows,),
        "rows_K": (rows, nv),
        **dict.fromkeys(("rows_k", "rows_gap", "rows_slip"), (rows,)),
        "rows_open": (1,),
        "residuals": (loop_rows,),
        "z_rate": (nz,),
    }
    return {name: shapes.get(name, (nv,)) for name in outputs_of(algorithm, nz > 0)}
