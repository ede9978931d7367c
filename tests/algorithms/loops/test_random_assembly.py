"""Loops of all joint types in random trees close from anywhere."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.model.closing import require_closed


@pytest.mark.parametrize("seed", range(8))
def test_random_loops_close_from_random_starts(looped, seed):
    """Up to four loops, with joints that follow and that are driven, and loop joints of all types."""
    x = looped(seed, seed % 2 == 1)
    rng = np.random.default_rng(seed)
    for start in (x.model.integrate(x.q, 0.3 * rng.normal(size=x.model.nv)), x.model.random_q(rng)):
        q = rbd.assemble(x.model, start, t=x.t)
        assert np.abs(x.gaps(q, x.t)).max() < 1e-13
        x.model.check_q(q)
        v = rbd.project_velocity(x.model, q, x.v, t=x.t)
        require_closed(x.model, q, v, x.t)
