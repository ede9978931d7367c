"""What joint types take, and what they do not."""

import pytest

import rbdkit as rbd
from rbdkit.errors import ArgumentError


@pytest.mark.parametrize("kind", [rbd.Spherical, rbd.Fixed, rbd.Translational, rbd.EulerSpherical])
def test_types_without_numbers_take_none(kind):
    """It was taken and ignored."""
    with pytest.raises(TypeError, match="argument"):
        kind(1.0)


@pytest.mark.parametrize("kind", [rbd.Spherical, rbd.Revolute])
def test_what_belongs_to_a_joint_in_its_place_is_refused_with_the_place(kind):
    with pytest.raises(ArgumentError, match=r"no argument 'damping'.*model\.add_body"):
        kind(damping=1.0)
