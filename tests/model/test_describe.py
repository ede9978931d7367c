import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from rbdkit.joints import (
    Cylindrical,
    Free,
    Helical,
    Planar,
    Prescribed,
    Prismatic,
    Reversed,
    Revolute,
    Spherical,
    Universal,
)
from rbdkit.library import double_pendulum, random_tree
from rbdkit.model import Limits, Mimic, Model
from rbdkit.model.describe import FOLDED_BEYOND
from rbdkit.spatial.inertia import Inertia

BALL = Inertia.sphere(0.1, mass=1.0)


def test_the_double_pendulum_in_words():
    assert (
        double_pendulum().describe()
        == """\
double pendulum: 2 bodies, nq = 2, nv = 2, total mass 2 kg, gravity 0 0 -9.81 m/s²

#  body  parent  joint   type        q  v  mass (kg)  centre of mass (m)  principal moments (kg m²)
-  ----  ------  ------  ----------  -  -  ---------  ------------------  -------------------------
1  rod1  world   hinge1  revolute y  0  0  1          0 0 -0.5            0.00045 0.0836 0.0836
2  rod2  rod1    hinge2  revolute y  1  1  1          0 0 -0.5            0.00045 0.0836 0.0836"""
    )


def cells(model, body):
    line = next(row for row in model.describe().splitlines() if re.match(rf"\d+ +{body} ", row))
    return re.split(r"  +", line)


def test_every_number_of_a_joint_is_shown(arm):
    assert cells(arm, "base")[4:7] == ["free", "0..6", "0..5"]
    assert cells(arm, "upper")[-1] == "damping 0.2, stiffness 3, -2 to 1 rad, |v| up to 3, |tau| up to 40"
    assert cells(arm, "slider")[-1] == "armature 0.05, friction 0.1"
    assert cells(arm, "hand")[-1] == "damping 0.1 0.2 0.3"
    assert cells(arm, "spindle")[4] == "helical z pitch 0.01"
    assert "frames: tool (on hand)" in arm.describe()


@pytest.mark.parametrize("joint, words", [
    (Revolute([0.6, 0.0, 0.8]), "revolute (0.6 0 0.8)"),
    (Helical("-x", -0.2), "helical -x pitch -0.2"),
    (Universal("x", "z"), "universal x z"),
    (Planar("y"), "planar y"),
    (Planar("y", "successor"), "planar y successor"),
    (Free("successor"), "free successor"),
    (Reversed(Universal()), "reversed universal x y"),
    (Prescribed(Revolute("z"), lambda t: (t, 1.0, 0.0)), "prescribed revolute z"),
])  # fmt: skip
def test_joint_types_in_words(joint, words):
    model = Model()
    model.add_body("link", joint=joint, inertia=BALL)
    assert cells(model, "link")[4] == words


@pytest.mark.parametrize("joint, more, words", [
    (Prismatic(), dict(limits=Limits(lower=-1)), "-1 to inf m"),
    (Prismatic(), dict(limits=Limits(velocity=2.175)), "|v| up to 2.175"),
    (Spherical(), dict(limits=Limits(velocity=3, effort=[1, 2, 3])), "|v| up to 3, |tau| up to 1 2 3"),
    (Cylindrical(), dict(limits=Limits([-1, -np.inf], [1, 0.5])), "angle -1 to 1 rad, distance -inf to 0.5 m"),
    (Prismatic(), dict(mimic=Mimic("lead")), "follows lead: 1 q"),
    (Prismatic(), dict(mimic=Mimic("lead", -0.5, -0.1)), "follows lead: -0.5 q - 0.1"),
    (Prismatic(), dict(mimic=Mimic("lead", 2, 0.1)), "follows lead: 2 q + 0.1"),
])  # fmt: skip
def test_springs_and_limits_in_words(joint, more, words):
    model = Model()
    model.add_body("first", joint=Prismatic(), inertia=BALL, joint_name="lead")
    model.add_body("link", joint=joint, inertia=BALL, **more)
    assert cells(model, "link")[-1] == words


def test_odd_models():
    assert Model("void").describe().startswith("void: 0 bodies, nq = 0, nv = 0, total mass 0 kg")
    assert Model("void")._repr_html_()
    model = Model("odd")
    model.add_body("none")
    model.add_body("bad", joint=Revolute(), inertia=Inertia(np.nan, inertia_com=np.full((3, 3), np.nan), check=False))
    text = model.describe()
    assert text.startswith("odd: 2 bodies")
    assert cells(model, "none")[4:] == ["fixed", "-", "-", "-", "-", "-"]
    assert cells(model, "bad")[-1] == "not finite"
    assert "error: bad: inertia: not finite" in text


def test_loops_and_findings_stand_below(arm):
    arm.add_loop("ring", "base", "hand", Revolute("x"))
    arm.add_body("ghost", "hand", Revolute())
    below = arm.describe().split("\n\n")[-1].splitlines()
    assert below[:2] == ["loop joints: ring (revolute x: base - hand)", "frames: tool (on hand)"]
    assert below[2].startswith("error: ghost: missing inertia: joint 'ghost_joint' (revolute) moves only bodies")


def test_moments_that_are_zero_but_for_round_off_are_shown_as_zero():
    """Of thin rods in any direction, and of a body that only turns about one axis, as robot files know them."""
    rng, model = np.random.default_rng(0), Model("thin")
    for name, moments in (("rod", [0.0, 0.1, 0.1]), ("pin", [0.0, 0.0, 0.1])):
        for k in range(8):
            R = Rotation.random(rng=rng).as_matrix()
            inertia = Inertia(1.0, inertia_com=R @ np.diag(moments) @ R.T, check=False)
            model.add_body(f"{name}{k}", "world", Revolute("x"), inertia=inertia)
    for k in range(8):
        assert cells(model, f"rod{k}")[-1] == "0 0.1 0.1"
        assert cells(model, f"pin{k}")[-1] == "0 0 0.1"
    found = [str(finding) for finding in model.validate()]
    assert len(found) == 8 and all("0 + 0 = 0 is less than 0.1 kg" in text for text in found)


def test_long_lists_are_wrapped():
    model = Model()
    for k in range(60):
        model.add_frame(f"marker-{k}", "world")
    assert max(map(len, model.describe().splitlines())) <= 120
    assert "marker-59 (on world)" in model.describe().replace("\n  ", " ")


def test_html_escapes_names():
    model = Model("<b>bold</b>")
    model.add_body("<script>alert(1)</script>", joint=Revolute(), joint_name="'\"&<i>")
    model.add_frame("<img src=x>", "world")
    html = model._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert "<i>" not in html
    for shown in ("&lt;b&gt;bold", "&lt;script&gt;alert(1)", "&#x27;&quot;&amp;&lt;i&gt;", "&lt;img src=x&gt; (on"):
        assert shown in html
    assert "error: &lt;script&gt;" in html, "the finding names the body too"


def test_html_holds_the_same_cells(arm):
    html = arm._repr_html_()
    found = re.findall(r"<td[^>]*>(.*?)</td>", html)
    assert found[:7] == ["1", "base", "world", "float", "free", "0..6", "0..5"]
    assert len(found) == 5 * len(re.findall("<th ", html))


def test_long_models_are_folded_but_their_findings_are_not():
    short, long = random_tree(1, FOLDED_BEYOND), random_tree(1, FOLDED_BEYOND + 1)
    assert "<details open>" in short._repr_html_()
    assert "<details>" in long._repr_html_()
    long.add_body("ghost", joint=Revolute())
    table, after = long._repr_html_().split("</details>")
    assert "error: ghost: missing inertia" in after
    assert "ghost_joint" in table


def test_a_zero_has_no_sign():
    model = Model("signed", gravity=(-0.0, 0.0, -9.81))
    model.add_body("ball", joint=Prismatic((-0.0, 0.0, 1.0)), inertia=Inertia(1.0, (0.0, -0.0, 0.1), np.eye(3)))
    assert "gravity 0 0 -9.81" in model.describe() and " -0 " not in model.describe() and "(-0 " not in model.describe()
