"""The functions on (model, q, v, ...) that `import rbdkit` offers: input checked, one state or stacks of states.

Each takes coordinates of shape (..., nq) and joint vectors of shape (..., nv) with the same leading axes (or ones that
broadcast) and returns results with these leading axes. t, the time of the states in s, matters to models with
prescribed joints only. The algorithms behind them can be read in `rbdkit.algorithms`; where `rbdkit.engine` has
compiled kernels for the model, these compute the same. ``backend="book"`` asks for the readable form.
"""

from typing import TYPE_CHECKING

from rbdkit.loaded import loads_later

if TYPE_CHECKING:
    from rbdkit.functions.accelerations import StateDerivative, aba, forward_dynamics, state_derivative
    from rbdkit.functions.balances import energy, momentum, power_balance
    from rbdkit.functions.compiled import CompiledFunction, compile
    from rbdkit.functions.controls import actuator_force
    from rbdkit.functions.hybrid import HybridMotion, hybrid_dynamics
    from rbdkit.functions.kinematics import bias_acceleration, center_of_mass, forward_kinematics, jacobian
    from rbdkit.functions.terms import (
        bias_force,
        crba,
        element_state_rates,
        gravity_force,
        passive_force,
        rnea,
    )

__all__ = [
    "CompiledFunction",
    "HybridMotion",
    "StateDerivative",
    "aba",
    "actuator_force",
    "bias_acceleration",
    "bias_force",
    "center_of_mass",
    "compile",
    "crba",
    "element_state_rates",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "gravity_force",
    "hybrid_dynamics",
    "jacobian",
    "momentum",
    "passive_force",
    "power_balance",
    "rnea",
    "state_derivative",
]

# Who computes one thing needs no other.
__getattr__, __dir__ = loads_later(
    __name__,
    {
        "rbdkit.functions.accelerations": ["StateDerivative", "aba", "forward_dynamics", "state_derivative"],
        "rbdkit.functions.compiled": ["CompiledFunction", "compile"],
        "rbdkit.functions.controls": ["actuator_force"],
        "rbdkit.functions.balances": ["energy", "momentum", "power_balance"],
        "rbdkit.functions.hybrid": ["HybridMotion", "hybrid_dynamics"],
        "rbdkit.functions.kinematics": ["bias_acceleration", "center_of_mass", "forward_kinematics", "jacobian"],
        "rbdkit.functions.terms": [
            "bias_force",
            "crba",
            "element_state_rates",
            "gravity_force",
            "passive_force",
            "rnea",
        ],
    },
)
