"""xacro files, expanded by xacrodoc: arguments, includes, macros, and what is said when that fails."""

from __future__ import annotations

import sys

import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError

HEAD = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINKS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="rod" params="name mass"><link name="${name}"><inertial><mass value="${mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro></robot>"""
ARM = f"""{HEAD}
<xacro:arg name="load" default="2"/><xacro:arg name="free" default="false"/>
<xacro:include filename="links.xacro"/>
<xacro:rod name="base" mass="1"/><xacro:rod name="upper" mass="${{2 * $(arg load)}}"/>
<xacro:if value="$(arg free)"><xacro:property name="kind" value="continuous"/></xacro:if>
<xacro:unless value="$(arg free)"><xacro:property name="kind" value="fixed"/></xacro:unless>
<joint name="hinge" type="${{kind}}"><parent link="base"/><child link="upper"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "links.xacro").write_text(LINKS)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ARM)
    return path


def mass(model):
    return sum(body.inertia.mass for body in model.bodies[1:])


def test_macros_includes_and_arguments(arm):
    plain = rbd.load(arm)
    assert (plain.name, plain.nv, mass(plain)) == ("arm", 0, 5.0)
    other = rbd.load(str(arm), xacro_args={"load": 3.5, "free": True}, floating=True)
    assert other.nv == 7 and mass(other) == 8.0 and "hinge" in [joint.name for joint in other.joints]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HEAD}<xacro:rod/></robot>", r"a.xacro: xacro cannot expand it: .*rod"),
        (f'{HEAD}<link name="${{1 +}}"/></robot>', r"a.xacro: xacro cannot expand it"),
        ("<robot", r"a.xacro, line 1, .*not well-formed XML"),
        (f'{HEAD}<link name="a"/><joint name="j"/></robot>', r"a.xacro, expanded, line \d+: joint 'j'"),
    ],
)
def test_faults_are_named(tmp_path, text, says):
    (tmp_path / "a.xacro").write_text(text)
    with pytest.raises(FormatError, match=says):
        rbd.load(tmp_path / "a.xacro")


def test_what_xacro_warns_of(tmp_path):
    (tmp_path / "a.xacro").write_text(f'{HEAD}<xacro:property name="pi" value="3"/><link name="a"/></robot>')
    with pytest.warns(rbd.formats.FormatWarning, match="a.xacro: xacro: warning: redefining global symbol: pi"):
        assert len(rbd.load(tmp_path / "a.xacro").bodies) == 2


def test_without_the_package(arm, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "rbdkit\[xacro\]"'):
        rbd.load(arm)


def test_arguments_are_for_xacro_alone():
    robot = '<robot name="r"><link name="a"/></robot>'
    with pytest.raises(FormatError, match="is no xacro file, which alone takes xacro_args"):
        rbd.load(robot, xacro_args={"a": 1})


def test_arguments_have_names(arm):
    with pytest.raises(FormatError, match="must be a dict such as"):
        rbd.load(arm, xacro_args=["load"])
