"""Bodies that move as one: kinetic energy and momentum of the parts, and a solid cut in two."""

from __future__ import annotations

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms.composite_body import composite_body
from rbdkit.spatial import se3


@pytest.mark.source("S1.09")
def test_energy_is_that_of_the_parts():
    rng = np.random.default_rng(2)
    parts = [rbd.Inertia.box(rng.uniform(0.2, 1.0, 3), mass=m) for m in (1.0, 2.0, 0.5)]
    poses = se3.random(rng, (3,))
    whole = composite_body(parts, poses)
    assert np.linalg.det(whole.E[:3, :3]) == pytest.approx(1.0)
    assert pytest.approx(np.diag(whole.M.diagonal()), abs=1e-13) == whole.M
    phi = rng.normal(size=6)  # of the whole, in the common frame in which all poses are given

    def twist(E):
        return np.concatenate([E[:3, :3].T @ phi[:3], E[:3, :3].T @ (phi[3:] + np.cross(phi[:3], E[:3, 3]))])

    energy = sum(0.5 * twist(E) @ p.matrix @ twist(E) for p, E in zip(parts, poses, strict=True))
    assert 0.5 * twist(whole.E) @ whole.M @ twist(whole.E) == pytest.approx(energy, rel=1e-13)
    assert 0.5 * phi @ whole.inertia.matrix @ phi == pytest.approx(energy, rel=1e-13)
    summed = sum(p.transformed(E) for p, E in zip(parts, poses, strict=True))
    assert whole.inertia.matrix == pytest.approx(summed.matrix, rel=1e-13, abs=1e-13)


@pytest.mark.source("S1.09")
def test_halves_of_a_box():
    halves = [rbd.Inertia.box([0.5, 0.3, 0.2], density=1000.0)] * 2
    whole = composite_body(halves, [rbd.pose(position=[x, 0.1, 0.0]) for x in (0.25, 0.75)])
    box = rbd.Inertia.box([1.0, 0.3, 0.2], density=1000.0)
    assert np.sort(whole.M.diagonal()[:3]) == pytest.approx(np.sort(box.matrix.diagonal()[:3]), rel=1e-14)
    assert whole.E[:3, 3] == pytest.approx([0.5, 0.1, 0.0], abs=1e-15)
    with pytest.raises(rbd.ModelError, match=r"need \(2, 4, 4\)"):
        composite_body(halves, np.eye(4))
    with pytest.raises(rbd.ModelError, match="more than zero"):
        composite_body([rbd.Inertia.zero()], [np.eye(4)])
