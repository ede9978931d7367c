import numpy as np
import pytest

import rbdkit as rbd
from rbdkit.algorithms import external_forces
from rbdkit.errors import ModelError, StateError
from rbdkit.library import random_tree


@pytest.fixture
def model():
    return random_tree(0, 3)


def test_wrench_has_the_moment_of_its_force():
    np.testing.assert_array_equal(rbd.wrench([0, 0, 5.0], [2.0, 0, 0], [0, 0, 1.0]), [0, -10.0, 1.0, 0, 0, 5.0])
    np.testing.assert_array_equal(rbd.wrench(couple=[1, 2, 3]), [1, 2, 3, 0, 0, 0])


@pytest.mark.parametrize("name", ["force", "point", "couple"])
@pytest.mark.parametrize("value", [[1.0, 2.0], [1.0, np.nan, 0.0], 3.0, np.array(3.0), np.array(None)])
def test_wrench_refuses_what_is_no_vector(name, value):
    with pytest.raises(StateError, match=f"{name} of a wrench must be three finite numbers"):
        rbd.wrench(**{name: value})


def test_forms_are_equivalent(model):
    rows = np.zeros((4, 6))
    rows[2] = np.arange(6.0)
    np.testing.assert_array_equal(external_forces(model, {"b2": np.arange(6.0)}), rows)
    np.testing.assert_array_equal(external_forces(model, rows.tolist()), rows)
    assert external_forces(model, None) is None


def test_errors_say_what_is_wrong(model):
    with pytest.raises(StateError, match=r"body 'b1' has shape \(3,\).*moment about the world origin"):
        external_forces(model, {"b1": [0, 0, 1.0]})
    with pytest.raises(ModelError, match="body 'b9' is not in model"):
        external_forces(model, {"b9": np.zeros(6)})
    with pytest.raises(StateError, match=r"shape \(3, 6\).*needs \(4, 6\)"):
        external_forces(model, np.zeros((3, 6)))
    with pytest.raises(StateError, match="body 'b3' is not finite"):
        external_forces(model, {"b3": [0, 0, np.nan, 0, 0, 0]})
