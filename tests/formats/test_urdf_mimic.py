"""Mimic joints: chains, followers before their leaders, leaders that do not exist."""

from __future__ import annotations

import numpy as np
import pytest

from rbdkit.errors import FormatError
from rbdkit.formats import from_urdf
from rbdkit.joints import Fixed
from rbdkit.model import Mimic


def joint(name: str, parent: str, child: str, mimic: str = "", kind: str = "continuous") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{mimic}</joint>'


def mimic(leader: str, multiplier: float | None = None, offset: float | None = None) -> str:
    numbers = {"multiplier": multiplier, "offset": offset}
    return f'<mimic joint="{leader}"' + "".join(f' {k}="{v}"' for k, v in numbers.items() if v is not None) + "/>"


def test_a_follower_has_the_coordinate_of_its_leader(urdf):
    elements = [joint("j", "a", "b"), joint("k", "a", "c", mimic("j", 2, 0.5)), joint("l", "a", "d", mimic("j"))]
    model = from_urdf(urdf(*elements, links="a b c d"))
    assert (model.nq, model.nv) == (1, 1)
    assert model.joint("k").mimic == Mimic("j", 2, 0.5)
    assert model.joint("l").mimic == Mimic("j", 1, 0)
    assert model.joint("k").coordinates(np.array([3.0])) == 6.5


def test_mimics_can_be_set_free(urdf):
    elements = [joint("j", "a", "b"), joint("k", "a", "c", mimic("j", 2, 0.5)), joint("l", "a", "d", mimic("l"))]
    model = from_urdf(urdf(*elements, links="a b c d"), mimic=False)
    assert model.nv == 3
    assert not model.mimics


def test_chains_are_composed(urdf):
    elements = [
        joint("l", "a", "d", mimic("k", 3, 1)),
        joint("k", "a", "c", mimic("j", 2, 0.5)),
        joint("j", "a", "b"),
    ]
    model = from_urdf(urdf(*elements, links="a b c d"))
    assert model.joint("l").mimic == Mimic("j", 6, 2.5)  # 3 (2 q + 0.5) + 1
    assert [body.name for body in model.bodies[2:]] == ["b", "d", "c"]  # the leader first, then those who waited for it


def test_a_follower_that_carries_its_leader_changes_roles_with_it(urdf, told, link_poses):
    elements = [
        joint("f", "a", "b", mimic("l", 2, 0.5)),
        joint("l", "b", "c"),
        joint("g", "c", "d", mimic("l", -4, 1)),
    ]
    with told() as texts:
        model = from_urdf(urdf(*elements, links="a b c d"))
    assert len(texts) == 1
    assert all(word in texts[0] for word in ("line 6", "'f'", "'l'", "change roles"))
    assert model.nq == 1
    free = from_urdf(urdf(*elements, links="a b c d"), mimic=False)
    leader = 0.3
    follower = 2 * leader + 0.5
    places = link_poses(model, np.array([follower]))
    others = link_poses(free, np.array([follower, leader, -4 * leader + 1]))
    for name in "abcd":
        np.testing.assert_allclose(places[name], others[name], atol=1e-15, err_msg=name)


def test_groups_that_block_each_other_find_an_order(urdf, told):
    # j carries the leader of k2's group and the other way round: whichever comes first leads
    elements = [
        joint("j1", "a", "b", mimic("j2")),
        joint("k2", "b", "c"),
        joint("k1", "a", "d", mimic("k2", 2)),
        joint("j2", "d", "e"),
    ]
    with told():
        model = from_urdf(urdf(*elements, links="a b c d e"))
    assert model.nq == 2
    for body in model.bodies[1:]:
        if body.joint.mimic is not None:
            assert model.joints.index(model.joint(body.joint.mimic.leader)) < body.index


@pytest.mark.parametrize(("kind", "numbers"), [("continuous", (0, 0.25)), ("fixed", (3, 0.25))])
def test_a_follower_that_cannot_move_is_fixed_where_it_is(urdf, told, link_poses, kind, numbers):
    elements = [joint("j", "a", "b", kind=kind), joint("k", "a", "c", mimic("j", *numbers))]
    with told() as texts:
        model = from_urdf(urdf(*elements, links="a b c"), merge_fixed=False)
    assert "'k' mimics but cannot move" in texts[0]
    assert model.joint("k").type == Fixed()
    placement = link_poses(model, model.neutral())["c"]
    np.testing.assert_allclose(placement[:2, 0], [np.cos(0.25), np.sin(0.25)], atol=1e-16)
    assert placement[0, 3] == 1


def test_a_leader_that_does_not_exist_is_told(urdf, told):
    with told() as texts:
        model = from_urdf(urdf(joint("left_j", "a", "b"), joint("k", "a", "c", mimic("eft_j")), links="a b c"))
    assert model.nv == 2
    assert all(word in texts[0] for word in ("line 6", "'k' moves by itself", "'eft_j'", "did you mean 'left_j'"))


def test_a_long_chain_of_mimics(urdf):
    count = 200
    elements = [joint(f"j{i}", "a", f"l{i}", mimic(f"j{i + 1}", 1, 1)) for i in range(count)]
    model = from_urdf(
        urdf(*elements, joint(f"j{count}", "a", "b"), links="a b " + " ".join(f"l{i}" for i in range(count)))
    )
    assert model.nq == 1
    assert model.joint("j0").mimic == Mimic(f"j{count}", 1, count)


def test_multipliers_beyond_all_reason_are_refused(urdf):
    elements = [joint(f"j{i}", "a", f"l{i}", mimic(f"j{i + 1}", 1e12)) for i in range(30)]
    document = urdf(*elements, joint("j30", "a", "l30"), links="a " + " ".join(f"l{i}" for i in range(31)))
    with pytest.raises(FormatError, match=r"line 34: joint 'j0'.*beyond 1e\+30"):
        from_urdf(document)
    too_small = [joint("f", "a", "b", mimic("l", 1e-320)), joint("l", "b", "c")]
    with pytest.raises(FormatError, match=r"joint 'l'.*too small to be inverted"):
        from_urdf(urdf(*too_small, links="a b c"))


def test_a_long_cycle_of_mimics_is_found_quickly(urdf, calls):
    def read(count):
        elements = [joint(f"j{i}", "a", f"l{i}", mimic(f"j{(i + 1) % count}")) for i in range(count)]
        with pytest.raises(FormatError, match="mimics itself") as caught:
            from_urdf(urdf(*elements, links="a " + " ".join(f"l{i}" for i in range(count))))
        assert len(str(caught.value)) < 300

    assert calls(lambda: read(600)) < 2.1 * calls(lambda: read(300))
    read(5_000)
