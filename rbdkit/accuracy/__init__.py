"""Accuracy of computed dynamics (Featherstone 2008, chapter 10): error studies as functions that return arrays.

Round-off: `planar_body` (a distant frame, a large velocity), `exact` (forward dynamics in multiple precision),
`round_off` (errors of two algorithms on chains, at speed, and with unlike inertias). `sensitivity` and `conditioning`:
effect of small errors of the forces. `step_size`: errors of the integration. `selfcheck`: one model by routes that
share no code.
"""

from rbdkit.accuracy.conditioning import (
    chain_conditions,
    condition_number,
    configuration_conditions,
    depth,
    growth,
    ring_conditions,
    tree_conditions,
)
from rbdkit.accuracy.exact import exact_acceleration
from rbdkit.accuracy.planar_body import PlanarBody, far_frame_errors, planar_acceleration, speed_errors
from rbdkit.accuracy.round_off import RoundOff, boost_errors, chain_errors, forward_dynamics_error, unlike_errors
from rbdkit.accuracy.selfcheck import Check, SelfCheck, selfcheck
from rbdkit.accuracy.sensitivity import Response, noise_fan, response, rounded
from rbdkit.accuracy.step_size import Run, adaptive_run, fixed_run, step_lengths

__all__ = [
    "Check",
    "PlanarBody",
    "Response",
    "RoundOff",
    "Run",
    "SelfCheck",
    "adaptive_run",
    "boost_errors",
    "chain_conditions",
    "chain_errors",
    "condition_number",
    "configuration_conditions",
    "depth",
    "exact_acceleration",
    "far_frame_errors",
    "fixed_run",
    "forward_dynamics_error",
    "growth",
    "noise_fan",
    "planar_acceleration",
    "response",
    "ring_conditions",
    "rounded",
    "selfcheck",
    "speed_errors",
    "step_lengths",
    "tree_conditions",
    "unlike_errors",
]
