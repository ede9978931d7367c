"""Every planted mistake is found by the first stage that can show it, and named; what is right passes, in any form."""

from functools import partial

import numpy as np
import pytest

from rbdkit_course.labs import aba, closed_loop, contact, crba, munthe_kaas, rnea
from rbdkit_course.labs.judging import NOTHING

STAGES = {
    rnea: ("chain", "tree", "several_freedoms", "external_forces"),
    crba: ("chain", "tree", "several_freedoms"),
    aba: ("chain", "tree", "several_freedoms", "external_forces"),
}
LATER = {"tree only": 1, "no c_J": 2, "f_ext unseen": 3, "f_ext added": 3, "f_ext in the world": 3, "f_ext by X": 3}
"""Mistakes that the first stages cannot show, with the stage that can."""
PARTS = [
    (closed_loop.gap, closed_loop.tip_on_wire, closed_loop.GAP_MISTAKES),
    (closed_loop.jacobian_row, closed_loop.row, closed_loop.ROW_MISTAKES),
    (closed_loop.velocity_terms, closed_loop.bias, closed_loop.BIAS_MISTAKES),
    (closed_loop.forward_dynamics, closed_loop.solved, closed_loop.SOLVE_MISTAKES),
    (contact.one_contact, contact.one, contact.ONE_MISTAKES),
    (contact.two_contacts, contact.many, contact.MANY_MISTAKES),
    (contact.many_contacts, contact.many, contact.MANY_MISTAKES),
    (contact.impact, contact.impulse, contact.IMPACT_MISTAKES),
    (contact.slip_or_stick, contact.friction, contact.FRICTION_MISTAKES),
]


def spoilt(algorithm, *mistakes):
    return partial(algorithm, frozenset(mistakes))


@pytest.mark.parametrize(
    ("lab", "mistake"),
    [(lab, mistake) for lab in STAGES for mistake in lab.MISTAKES],
    ids=lambda x: x if isinstance(x, str) else x.__name__.split(".")[-1],
)
def test_a_planted_mistake_is_named(lab, mistake):
    for stage in STAGES[lab][: LATER.get(mistake, 0)]:
        assert getattr(lab, stage)(spoilt(lab.algorithm, mistake))
    verdict = getattr(lab, STAGES[lab][LATER.get(mistake, 0)])(spoilt(lab.algorithm, mistake))
    assert not verdict and verdict.why.endswith(lab.MISTAKES[mistake])


def test_there_are_enough_of_them():
    """Of signs, frames, order, forgotten terms, transposed transforms."""
    assert sum(len(lab.MISTAKES) for lab in STAGES) >= 50


@pytest.mark.parametrize("lab", STAGES, ids=lambda lab: lab.__name__.split(".")[-1])
def test_what_is_right_passes_every_stage(lab):
    for stage in STAGES[lab]:
        assert getattr(lab, stage)(spoilt(lab.algorithm))
        assert getattr(lab, stage)(lambda *given: np.asarray(spoilt(lab.algorithm)(*given)).tolist())
        assert getattr(lab, stage)(lambda *given: (spoilt(lab.algorithm)(*given), "and what was found on the way"))
    assert "🥇" in lab.medal(lambda *given: lab.algorithm(NOTHING, *given)).why


def test_two_mistakes_are_named_together():
    verdict = aba.chain(spoilt(aba.algorithm, "no gravity", "no bias"))
    assert aba.MISTAKES["no gravity"] in verdict.why and aba.MISTAKES["no bias"] in verdict.why


@pytest.mark.parametrize(("check", "algorithm", "mistakes"), PARTS, ids=lambda x: getattr(x, "__name__", ""))
def test_small_parts(check, algorithm, mistakes):
    assert check(spoilt(algorithm))
    for mistake, said in mistakes.items():
        verdict = check(spoilt(algorithm, mistake))
        assert not verdict and verdict.why.endswith(said), mistake


@pytest.mark.parametrize("mistake", munthe_kaas.STEP_MISTAKES)
def test_a_step_of_the_wrong_order(mistake):
    verdict = munthe_kaas.munthe_kaas(spoilt(munthe_kaas.step, mistake))
    assert not verdict and verdict.why.endswith(munthe_kaas.STEP_MISTAKES[mistake])


@pytest.mark.parametrize("stage", ["one_body", "chain", "several_freedoms", "external_forces"])
@pytest.mark.parametrize(
    "odd", [None, 3, "tau", [], {}, lambda: 0, lambda *x: None, lambda *x: 1 / 0, lambda *x: "much"]
)
def test_odd_answers_get_a_sentence(stage, odd):
    verdict = getattr(rnea, stage)(odd)
    assert not verdict and verdict.why


def test_the_algorithms_without_mistakes_are_the_books():
    """By another text: the library's, whose compiled forms share nothing with the lab's."""
    import rbdkit as rbd

    model = rbd.library.random_tree(8, bodies=9)
    q, v, a = rbd.library.random_state(model, 8)
    tau = rnea.algorithm(NOTHING, model, q, v, a)
    np.testing.assert_allclose(tau, rbd.rnea(model, q, v, a), rtol=1e-9, atol=1e-9 * np.abs(tau).max())
    H = rbd.crba(model, q)
    np.testing.assert_allclose(crba.algorithm(NOTHING, model, q), H, rtol=1e-9, atol=1e-9 * np.abs(H).max())
    np.testing.assert_allclose(aba.algorithm(NOTHING, model, q, v, tau), a, rtol=1e-6, atol=1e-6)
