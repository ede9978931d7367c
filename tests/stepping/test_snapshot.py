"""Frozen variables: nothing done later reaches them, and what did not change is shared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rbdkit.stepping.snapshot import changes, freeze, freeze_all

VALUES = st.recursive(
    st.one_of(st.integers(), st.floats(allow_nan=True), st.text(max_size=3), arrays(float, (2, 3))),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_that_did_not_change_is_not_copied_again(value):
    frozen = freeze(value)
    assert freeze(value, frozen) is frozen or not isinstance(value, np.ndarray | list | dict)
    assert changes({"x": frozen}, {"x": freeze(value, frozen)}) == []


def test_later_changes_in_place_do_not_reach_a_snapshot():
    variables = {"v": np.zeros((3, 6)), "S": [np.zeros(2), np.zeros(2)], "table": {"a": np.zeros(1)}}
    before = freeze_all(variables, {})
    variables["v"][1] = 7.0
    variables["S"][0][1] = 5.0
    variables["table"]["a"][0] = 3.0
    after = freeze_all(variables, before)
    assert not before["v"].any() and not before["S"][0].any() and not before["table"]["a"].any()
    assert after["S"][1] is before["S"][1]
    assert [change.label for change in changes(before, after)] == ["v[1]", "S[0]", "table"]
    with pytest.raises(ValueError, match="read-only"):
        after["v"][0] = 1.0


def test_a_number_that_is_none_stays_equal_to_itself():
    x = np.array([np.nan, 1.0])
    before = freeze_all({"x": x}, {})
    assert freeze_all({"x": x}, before)["x"] is before["x"]


def test_vectors_are_told_whole_and_rows_one_by_one():
    before = freeze_all({"qdd": np.zeros(3), "X": np.zeros((2, 6, 6))}, {})
    after = freeze_all({"qdd": np.array([0.0, 1.0, 0.0]), "X": np.stack([np.zeros((6, 6)), np.eye(6)])}, before)
    labels = [change.label for change in changes(before, after)]
    assert labels == ["qdd", "X[1]"]


def test_lists_are_compared_entry_by_entry_and_are_no_tuples():
    """Of a list within a list: what is new and equal is no change."""
    row, other = [np.zeros(2), 1.0], [np.zeros(2), 2.0]
    before = {"S": [row, (1, 2)]}
    assert changes(before, {"S": [[np.zeros(2), 1.0], (1, 2)]}) == []
    assert [change.label for change in changes(before, {"S": [other, (1, 2)]})] == ["S[0]"]
    assert [change.label for change in changes(before, {"S": [row, [1, 2]]})] == ["S[1]"]
