"""Steppers without a browser: what they step through is what public functions compute, of lists as of arrays."""

import numpy as np
import pytest

import rbdkit as rbd

Q, V, LAST = [1.2, 0.4], [0.1, 0.2], [0.3, -0.7]


@pytest.mark.parametrize("readable", [rbd.algorithms.aba, rbd.rnea])
def test_numbers_in_lists_are_arrays_to_the_algorithms(readable):
    model = rbd.library.double_pendulum()
    stepper = rbd.step_algorithm(readable, model, Q, V, LAST)
    assert stepper.recording.fault is None
    if readable is rbd.rnea:
        np.testing.assert_allclose(stepper.result.tau, rbd.rnea(model, Q, V, LAST), rtol=1e-14)
    else:
        np.testing.assert_allclose(stepper.result.qdd, rbd.forward_dynamics(model, Q, V, LAST), rtol=1e-13)
    stepper.close()


def test_functions_of_ones_own_get_what_is_given():
    def kind_of(model, q):
        kind = type(q)
        return kind

    stepper = rbd.step_algorithm(kind_of, rbd.library.double_pendulum(), Q)
    assert stepper.result is list
    stepper.close()
