import re

import numpy as np
import pytest

from rbdkit.errors import ModelError
from rbdkit.spatial import Inertia, so3

WRONG = [
    (dict(mass=np.nan), "not finite: mass nan"),
    (dict(mass=1.0, com=(0, np.inf, 0)), r"com \[0.0, inf, 0.0\]"),
    (dict(mass=-2.0), "mass is negative: -2 kg"),
    (dict(mass=0.0, inertia_com=np.eye(3)), r"mass is zero but .* \(largest element 1 kg"),
    (dict(mass=1.0, inertia_com=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric: elements differ by 0.1 kg"),
    (dict(mass=1.0, inertia_com=np.diag([1, 1, -0.5])), "not positive semidefinite: .* -0.5, 1, 1 kg"),
    (dict(mass=1.0, inertia_com=np.diag([1.0, 2.0, 3.5])), r"triangle inequality: 1 \+ 2 = 3 is less than 3.5"),
    (dict(mass=1.0, inertia_com=np.diag([1.0, 2.0, 3.0001])), "3 is less than 3.0001"),
    (dict(mass=1.0, inertia_com=np.diag([1.0, 1.0, -1e-4])), "positive semidefinite"),
    (dict(mass=1.0, inertia_com=np.eye(3) + np.diag([1e-4, 0], 1)), "not symmetric"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_each_impossible_inertia_is_refused_with_its_numbers_or_listed(arguments, message):
    with pytest.raises(ModelError, match=message):
        Inertia(**arguments)
    (finding,) = Inertia(**arguments, check=False).findings()
    assert re.search(message, finding)


def test_triangle_inequality_holds_for_principal_moments_not_for_the_diagonal():
    """Turned by 45 degrees, diag(1, 2, 3.5) has an innocent diagonal."""
    R = so3.exp([np.pi / 4, np.pi / 4, 0.0])
    turned = R @ np.diag([1.0, 2.0, 3.5]) @ R.T
    a, b, c = sorted(np.diag(turned))
    assert a + b > c
    with pytest.raises(ModelError, match="triangle"):
        Inertia(1.0, inertia_com=0.5 * (turned + turned.T))


@pytest.mark.parametrize(
    "body",
    [
        Inertia.zero(),
        Inertia(1.0, (1, 2, 3)),  # a point
        Inertia(1.0, inertia_com=np.diag([1.0, 1.0, 0.0])),  # a thin rod
        Inertia(1.0, inertia_com=np.diag([1.0, 2.0, 3.0])),  # a flat plate, exactly on the boundary
        Inertia(1.0, inertia_com=np.diag([0.333333, 0.333333, 0.666667])),  # a plate printed with six digits
    ],
)
def test_limiting_bodies_are_possible(body):
    assert body.findings() == []


def test_unchecked_inertias_keep_their_numbers():
    bad = Inertia(-1.0, (np.nan, 0, 0), np.diag([1.0, 1.0, 5.0]), check=False)
    assert bad.mass == -1.0 and np.isnan(bad.com[0]) and bad.inertia_com[2, 2] == 5.0
    assert bad == Inertia(-1.0, (np.nan, 0, 0), np.diag([1.0, 1.0, 5.0]), check=False)
    several = Inertia(-1.0, inertia_com=np.diag([1.0, 1.0, 5.0]), check=False).findings()
    assert len(several) == 2


def test_a_first_moment_without_mass_is_found():
    (finding,) = Inertia.from_ten_parameters([0, 1, 0, 0, 1, 0, 0, 1, 0, 1], check=False).findings()
    assert "not finite" in finding
