"""The table of all formulations by all integrators, and what is said of answers to its exercises."""

import numpy as np
import pytest

from rbdkit_course import one_table


def test_a_table_has_what_exists_and_nothing_else():
    table = one_table.one_table("double pendulum", "gap")
    assert table.headings[1:] == ("joint", "se3", "so3xr3", "bodywise", "maximal", "redmax")
    assert "moser_veselov" not in table.rows  # it steps free bodies
    assert table.rows["variational"][1:5] == (None,) * 4 and table.rows["variational"][0] == "0e+00"
    refused = one_table.measured("double pendulum", "se3", "variational")
    assert "'variational' does not step formulation 'se3'" in refused.refused and np.isnan(refused.error)


def test_the_truth_is_that_of_another_formulation():
    for machine, chosen in one_table.MACHINES.items():
        other = one_table.run(machine, "so3xr3", "crouch_grossman4", 0.1 * chosen.step)
        # fourth-order errors of steps a tenth of the table's, of poses in metres
        assert other.poses()[-1] == pytest.approx(one_table.truth(machine).poses()[-1], abs=1e-6)


@pytest.mark.parametrize(
    "answer, said",
    [
        ({"joint"}, "there are 5 more"),
        ("joint, se3", "4 more"),
        (["joint", "quaternion"], "does not stand above"),
        ({"so3xr3"}, "so3xr3 comes open"),
        (3, "does not stand above"),
        ([], "names no formulation"),
    ],
)
def test_names_of_formulations(answer, said):
    verdict = one_table.always_closed(answer)
    assert not verdict and said in verdict.why


@pytest.mark.parametrize(
    "answer, said",
    [
        (("se3", "rk4"), "is not a formulation, an integrator and a step"),
        (("se3", "rk17", 0.01), "does not stand in the table"),
        (("joint", "rk4", 0.0), "is not a step"),
        (("joint", "rk4", "0.004"), ""),
        (("joint", "rk5", 5e-3), ""),
    ],
)
def test_a_choice_for_the_loop(answer, said):
    verdict = one_table.closed_and_bold(answer)
    assert bool(verdict) == (not said) and said in verdict.why
