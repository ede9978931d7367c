"""Every way in which a URDF can be wrong is told with the line and the name of the link or joint."""

from __future__ import annotations

import re

import pytest

from rbdkit.errors import FormatError
from rbdkit.formats import from_urdf

PARENT = '<parent link="a"/><child link="b"/>'


def joint(inner: str = PARENT, name: str = "j", kind: str = "revolute", more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"{more}>{inner}</joint>'


def inertial(mass: str = "1", ixx: str = "1") -> str:
    return f'<inertial><mass value="{mass}"/><inertia ixx="{ixx}" iyy="1" izz="1"/></inertial>'


# What is wrong; empty links (each on a line of its own, from line 2); the elements after them; the line of the error;
# what the message says.
CASES = [
    ("no links", "", [], 1, ["no <link>"]),
    ("link without a name", "a", ["<link/>"], 3, ["a link", "'name'"]),
    ("link with an empty name", "a", ['<link name=""/>'], 3, ["empty attribute 'name'"]),
    ("two links of one name", "a a", [], 3, ["link 'a'", "taken", "line 2"]),
    ("two joints of one name", "a b", [joint(), joint()], 5, ["joint 'j'", "taken", "line 4"]),
    ("two roots", "a b", [], 3, ["2 roots", "'a'", "'b'"]),
    ("joint without a name", "a b", [f'<joint type="fixed">{PARENT}</joint>'], 4, ["a joint", "'name'"]),
    ("joint without a type", "a b", [f'<joint name="j">{PARENT}</joint>'], 4, ["joint 'j'", "'type'"]),
    ("unknown joint type", "a b", [joint(kind="revolut")], 4, ["joint 'j'", "'revolut'", "did you mean 'revolute'"]),
    ("joint without a parent", "a b", [joint('<child link="b"/>')], 4, ["joint 'j'", "<parent"]),
    ("joint without a child", "a b", [joint('<parent link="a"/>')], 4, ["joint 'j'", "<child"]),
    ("parent without a link", "a b", [joint('<parent/><child link="b"/>')], 4, ["joint 'j'", "'link'"]),
    ("unknown parent", "a b", [joint('<parent link="aa"/><child link="b"/>')], 4, ["'j'", "parent link 'aa'"]),
    ("unknown child", "a b", [joint('<parent link="a"/><child link="c"/>')], 4, ["'j'", "child link 'c'"]),
    ("a link as child twice", "a b", [joint(), joint(name="k")], 5, ["joint 'k'", "link 'b'", "joint 'j'", "line 4"]),
    ("a link that is its own parent", "a", [joint('<parent link="a"/><child link="a"/>')], 3, ["'j'", "cycle", "'a'"]),
    (
        "a cycle beside the root",
        "a b c",
        [joint('<parent link="c"/><child link="b"/>'), joint('<parent link="b"/><child link="c"/>', "k")],
        5,
        ["joint 'j'", "cycle", "'b'", "'c'"],
    ),
    ("zero axis", "a b", [joint(PARENT + '<axis xyz="0 0 0"/>')], 4, ["joint 'j'", "no direction"]),
    ("two numbers", "a b", [joint(PARENT + '<axis xyz="0 1"/>')], 4, ["joint 'j'", "3 numbers, got 2", 'xyz="0 1"']),
    ("four numbers", "a b", [joint(PARENT + '<origin rpy="0 0 0 1"/>')], 4, ["joint 'j'", "3 numbers, got 4"]),
    ("not a number", "a b", [joint(PARENT + '<origin xyz="0 0 1o"/>')], 4, ["joint 'j'", "'1o' is not a number"]),
    ("underscores", "a b", [joint(PARENT + '<origin xyz="0 0 1_0"/>')], 4, ["joint 'j'", "'1_0' is not a number"]),
    ("commas", "a b", [joint(PARENT + '<origin xyz="0,0,1"/>')], 4, ["joint 'j'", "got 1"]),
    ("NaN", "a b", [joint(PARENT + '<origin xyz="0 nan 1"/>')], 4, ["joint 'j'", "'nan' is not a finite"]),
    ("infinity", "a b", [joint(PARENT + '<origin xyz="0 -inf 1"/>')], 4, ["joint 'j'", "'-inf' is not a finite"]),
    ("absurd length", "a b", [joint(PARENT + '<origin xyz="0 1e31 1"/>')], 4, ["joint 'j'", "1e31 is absurd"]),
    ("overflow", "a b", [joint(PARENT + '<origin xyz="0 1e999 1"/>')], 4, ["joint 'j'", "1e999 is absurd"]),
    ("NaN limit", "a b", [joint(PARENT + '<limit lower="nan" upper="1"/>')], 4, ["joint 'j'", "'nan'", 'lower="nan"']),
    ("bad limit", "a b", [joint(PARENT + '<limit effort="--inf"/>')], 4, ["joint 'j'", "'--inf' is not a number"]),
    ("bad damping", "a b", [joint(PARENT + '<dynamics damping="much"/>')], 4, ["joint 'j'", "'much'"]),
    ("xacro expression", "a b", [joint(PARENT + '<origin xyz="0 0 ${h}"/>')], 4, ["joint 'j'", "xacro"]),
    ("mass missing", "", ['<link name="a"><inertial/></link>'], 2, ["link 'a'", "<mass>"]),
    ("mass empty", "", ['<link name="a"><inertial><mass/><inertia/></inertial></link>'], 2, ["link 'a'", "'value'"]),
    ("inertia missing", "", ['<link name="a"><inertial><mass value="1"/></inertial></link>'], 2, ["'a'", "<inertia>"]),
    ("moment missing", "", [f'<link name="a">{inertial(ixx="")}</link>'], 2, ["link 'a'", "'ixx'"]),
    ("NaN mass", "", [f'<link name="a">{inertial("nan")}</link>'], 2, ["link 'a'", "'nan'"]),
    ("absurd mass", "", [f'<link name="a">{inertial("1e31")}</link>'], 2, ["link 'a'", "absurd"]),
    (
        "bad box",
        "",
        ['<link name="a">', '<visual><geometry><box size="1 1"/></geometry></visual></link>'],
        3,
        ["link 'a'", "<box>", "got 2"],
    ),
    (
        "bad colour",
        "",
        ['<material name="red">', '<color rgba="1 0"/></material>', '<link name="a"/>'],
        3,
        ["material 'red'", "3 or 4 numbers"],
    ),
    ("mimic without a leader", "a b", [joint(PARENT + "<mimic/>")], 4, ["joint 'j'", "<mimic>", "'joint'"]),
    ("mimic of itself", "a b", [joint(PARENT + '<mimic joint="j"/>')], 4, ["joint 'j'", "mimics itself"]),
    (
        "mimics in a cycle",
        "a b c",
        [
            joint(PARENT + '<mimic joint="k"/>'),
            joint('<parent link="a"/><child link="c"/><mimic joint="j"/>', "k"),
        ],
        5,
        ["joint 'j'", "mimics itself", "'k'"],
    ),
    (
        "mimic of a floating joint",
        "a b c",
        [joint(kind="floating"), joint('<parent link="a"/><child link="c"/><mimic joint="j"/>', "k")],
        6,
        ["joint 'k'", "'j'", "one coordinate"],
    ),
    (
        "mimicking planar joint",
        "a b c",
        [joint(), joint('<parent link="a"/><child link="c"/><mimic joint="j"/>', "k", "planar")],
        6,
        ["joint 'k'", "'j'", "planar"],
    ),
    ("xacro file", "a", ['<xacro:macro name="leg"/>'], 3, ["xacro", "expand"]),
]


@pytest.mark.parametrize(("links", "elements", "line", "words"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_error_has_line_and_name(urdf, links, elements, line, words):
    with pytest.raises(FormatError) as caught:
        from_urdf(urdf(*elements, links=links), source="bad.urdf")
    message = str(caught.value)
    assert message.startswith(f"bad.urdf, line {line}: "), message
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"


@pytest.mark.parametrize(("links", "cut"), [("a b c d e", False), ("a b c d e f", True)])
def test_five_roots_are_listed(urdf, links, cut):
    with pytest.raises(FormatError, match=f"has {len(links.split())} roots") as caught:
        from_urdf(urdf(links=links))
    assert "'e'" in str(caught.value) and "'f'" not in str(caught.value)
    assert (", ..." in str(caught.value)) == cut


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("<mujoco/>", ["<mujoco>", "MJCF", "rbdkit.load reads it"]),
        ("<mujocoinclude/>", ["<mujocoinclude>", "load the file that includes it"]),
        ("<sdf/>", ["<sdf>", "SDF"]),
        ("<html><body/></html>", ["<html>", "<robot>"]),
        ("<robot", ["not well-formed"]),
        ('<robot xmlns:xacro="x"><xacro:include filename="a"/></robot>', ["xacro"]),
    ],
)
def test_other_documents_are_named(document, words):
    with pytest.raises(FormatError) as caught:
        from_urdf(document)
    assert all(word in str(caught.value) for word in words), caught.value


def test_too_many_links_are_refused_quickly(urdf, calls):
    def read(count):
        with pytest.raises(FormatError, match=f"{count} links are more than"):
            from_urdf(urdf(links=" ".join(f"l{i}" for i in range(count))))

    assert calls(lambda: read(60_000)) < 2.1 * calls(lambda: read(30_000))


def test_a_cycle_of_thousands_is_found_quickly(urdf, calls):
    def read(count):
        joints = [joint(f'<parent link="l{i}"/><child link="l{(i + 1) % count}"/>', f"j{i}") for i in range(count)]
        with pytest.raises(FormatError, match="cycle") as caught:
            from_urdf(urdf(*joints, links=" ".join(f"l{i}" for i in range(count))))
        assert len(str(caught.value)) < 500

    assert calls(lambda: read(600)) < 2.1 * calls(lambda: read(300))
    read(5_000)


def test_long_values_are_shortened_in_messages(urdf):
    with pytest.raises(FormatError) as caught:
        from_urdf(urdf(joint(PARENT + f'<origin xyz="{"1 " * 4_000}"/>'), links="a b"))
    assert len(str(caught.value)) < 300
    assert re.search(r"got 4000", str(caught.value))


def test_a_file_of_a_motion_planner_is_called_by_its_name():
    text = '<robot name="arm"><group name="hand"/><disable_collisions link1="a" link2="b" reason="Never"/></robot>'
    with pytest.raises(FormatError, match=r"this is an SRDF.*; load the URDF"):
        from_urdf(text)
