"""What `validate` says of loops."""

import pytest

import rbdkit as rbd
from rbdkit.joints import SphereInCylinder
from rbdkit.library import n_four_bar, planar_four_bar, stewart_platform, three_bar_linkage, variable_mobility


def test_redundant_constraints_are_a_note():
    (finding,) = planar_four_bar().validate()
    assert (finding.severity, finding.where, finding.what) == ("note", "pin", "redundant constraints")
    assert "5, and 3 of them say what others say" in finding.message
    (finding,) = n_four_bar(3).model.validate()
    assert "15, and 9 of them" in finding.message
    assert not planar_four_bar(SphereInCylinder("y")).validate()
    assert not stewart_platform().validate() and not three_bar_linkage().model.validate()


def test_a_singular_pose_at_neutral_is_no_redundancy():
    """Bars in a line hold in fewer directions there, and only there."""
    model = planar_four_bar(SphereInCylinder("y"), crank=0.3, coupler=0.5, base=0.5, rocker=0.3, angle=0.0)
    assert rbd.mobility(model, model.neutral()).redundant == 1
    assert model.validate() == []


@pytest.mark.source("F8.15")
def test_what_is_redundant_on_one_branch_alone_is_not_noted():
    """Neutral is where branches of ranks 3 and 4 meet, of 4 constraints; `mobility` finds the same around it."""
    model, q, _ = variable_mobility("between")
    assert rbd.mobility(model, q).always_redundant == 0
    assert model.validate() == []


def test_a_loop_that_cannot_close_is_a_warning_with_its_gap():
    """Crank, coupler and rocker, 0.2, 0.5 and 0.313 m, do not bridge two metres."""
    model = planar_four_bar().with_parameters({"rocker_joint.placement": [2.0, 0.0, 0.0]})
    (finding,) = model.validate()
    assert (finding.severity, finding.where, finding.what) == ("warning", "pin", "loop that cannot close")
    assert "at best it stays open by 0.987 m" in finding.message
    with pytest.raises(rbd.StateError, match=r"q0 leaves loop joint 'pin' open by .*rbdkit\.assemble"):
        rbd.simulate(model, duration=0.01, formulation="se3")


def test_notes_are_not_counted_as_doubts_of_a_run():
    model = planar_four_bar()
    assert "finding" not in repr(rbd.simulate(model, duration=0.01, formulation="se3"))
