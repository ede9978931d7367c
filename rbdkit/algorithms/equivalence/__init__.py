"""Different inertias, the same equation of motion (Featherstone 2008, section 9.7).

`two_body` is the system of Fig 9.3 and Eq 9.29; `exchange` finds inertia that can be moved across a joint without
effect, by Table 9.7 and by computation; `simplify` hands on as much as makes numbers zero, `ten_numbers` holds what is
left, which need not be a body, and `rbdkit.costs.operations_with` counts what it saves. `augmented_bodies` is the older
way to collect inertia; `base_parameters` finds the identifiable combinations.
"""

from rbdkit.algorithms.equivalence.augmented_bodies import AugmentedBody, augmented_bodies
from rbdkit.algorithms.equivalence.base_parameters import BaseParameters, base_parameters
from rbdkit.algorithms.equivalence.exchange import conditions, exchange_space, table_9_7
from rbdkit.algorithms.equivalence.simplify import Simplified, best_match, exchanged, simplified
from rbdkit.algorithms.equivalence.ten_numbers import PARAMETER_NAMES, TenNumbers, ten_of
from rbdkit.algorithms.equivalence.two_body import TwoBody, two_body_equation

__all__ = [
    "PARAMETER_NAMES",
    "AugmentedBody",
    "BaseParameters",
    "Simplified",
    "TenNumbers",
    "TwoBody",
    "augmented_bodies",
    "base_parameters",
    "best_match",
    "conditions",
    "exchange_space",
    "exchanged",
    "simplified",
    "table_9_7",
    "ten_of",
    "two_body_equation",
]
