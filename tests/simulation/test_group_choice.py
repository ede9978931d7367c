"""Which group suits which joint and which body, found by runs."""

import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.library import floating_pair, heavy_top, spherical_double_pendulum, three_bar_linkage
from rbdkit.simulation import choose_groups, lower_pair_table
from rbdkit.simulation.group_choice import drift


@pytest.mark.source("M.11")
def test_the_table_of_lower_pairs_says_what_the_paper_concludes():
    """SE(3) is exact for every lower pair to the ground; otherwise both groups are alike.

    The direct product is exact too where nothing turns, or turns in a plane: prismatic and planar joints. A universal
    joint is no lower pair: its motions are no subgroup, and SE(3) drifts as well.
    """
    rows = lower_pair_table(0.1)
    grounded = {row.joint: row.verdict for row in rows if row.grounded}
    assert grounded == {
        "revolute": "SE(3) exact",
        "prismatic": "both exact",
        "helical": "SE(3) exact",
        "cylindrical": "SE(3) exact",
        "planar": "both exact",
        "spherical": "SE(3) exact",
        "universal": "alike",
    }
    assert {row.verdict for row in rows if not row.grounded} == {"alike"}


@pytest.mark.source("M.11")
def test_what_is_exact_is_exact_for_any_explicit_method():
    """Also for Euler's, whose steps are far off in everything else."""
    rows = lower_pair_table(0.05, integrator="explicit_euler")
    assert {row.joint for row in rows if row.se3.constraint < 1e-13} == {
        "revolute", "prismatic", "helical", "cylindrical", "planar", "spherical",
    }  # fmt: skip


@pytest.mark.source("M.12")
@pytest.mark.parametrize("example", [heavy_top, spherical_double_pendulum, floating_pair, three_bar_linkage])
def test_groups_chosen_body_by_body_are_never_worse_than_the_better_group(example):
    start = example()
    choice = choose_groups(*start, 0.1, 2e-3)
    own = drift(*start, 0.1, 2e-3, tuple(choice.groups.values()))
    pure = [drift(*start, 0.1, 2e-3, group) for group in ("se3", "so3xr3")]
    assert own == choice.drift
    assert own.rank <= min(d.rank for d in pure)
    assert set(choice.trials) >= {("se3",) * len(choice.groups), ("so3xr3",) * len(choice.groups)}


@pytest.mark.source("M.12")
def test_a_mixture_can_be_better_than_both_groups():
    """A pendulum of three links, the outer ones spinning: found by trial, confirmed by a run four times as long."""
    model = rbd.Model("pendulum of three boxes")
    half = rbd.pose(position=[0.1, 0.0, 0.0])
    inertia = rbd.Inertia.box([0.2, 0.1, 0.05], density=2700.0).transformed(half)
    for name, parent, at in (("a", "world", 0.0), ("b", "a", 0.2), ("c", "b", 0.2)):
        model.add_body(name, parent, rbd.Spherical(), [at, 0.0, 0.0], inertia)
    v = np.array([0.0, 20.0, 5.0, 0.0, -20.0, 5.0, 0.0, 0.0, -10.0])
    choice = choose_groups(model, model.neutral(), v, 0.15, 2e-3)
    assert set(choice.groups.values()) == {"se3", "so3xr3"}
    mixed, *pure = (
        drift(model, model.neutral(), v, 0.6, 1e-3, groups)
        for groups in (tuple(choice.groups.values()), "se3", "so3xr3")
    )
    assert all(mixed.constraint < d.constraint and mixed.energy < d.energy for d in pure)
