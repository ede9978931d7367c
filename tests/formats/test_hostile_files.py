"""Files and arguments from strangers: what is impossible is named, what is absurd refused, nothing takes for ever."""

from __future__ import annotations

import io
import json
import os
import warnings
from itertools import pairwise

import numpy as np
import pytest

from rbdkit.errors import FormatError, ModelError
from rbdkit.formats import (
    DHRow,
    FormatWarning,
    from_dh,
    from_dict,
    from_json,
    from_urdf,
    load,
    save,
    to_dh,
    to_dict,
    to_json,
    to_urdf,
)
from rbdkit.joints import Revolute
from rbdkit.library.robots import robot_files
from rbdkit.model import Limits, Model
from rbdkit.spatial.inertia import Inertia

GOOD = ("1", "0.4", "0.4", "0.4")
IMPOSSIBLE = {
    "negative mass": ("-1", "0.4", "0.4", "0.4"),
    "no mass": ("0", "0.4", "0.4", "0.4"),
    "triangle": ("1", "0.1", "0.1", "0.3"),
    "indefinite": ("1", "0.4", "-0.1", "0.4"),
}


def link(name: str, numbers: tuple[str, ...] | None) -> str:
    if numbers is None:
        return f'<link name="{name}"><visual><geometry><sphere radius="1"/></geometry></visual></link>'
    mass, xx, yy, zz = numbers
    inertia = f'<mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}"/>'
    return f'<link name="{name}"><inertial>{inertia}</inertial></link>'


def joint(name: str, parent: str, child: str, kind: str = "fixed", more: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<origin xyz="0 0.5 0"/>{more}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def said(model: Model) -> set[tuple[str, str]]:
    return {(finding.where, finding.message) for finding in model.validate() if finding.what == "inertia"}


@pytest.mark.parametrize("wrong", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
@pytest.mark.parametrize("place", ["first", "last", "between", "both"])
@pytest.mark.parametrize("empty", [False, True], ids=["", "frames between"])
def test_merging_hides_no_impossible_inertia(wrong, place, empty):
    """A chain of welded links, heavy good ones beside an impossible one: the model says what the file says."""
    heavy = ("50", "40", "40", "40")
    one, two, three = {
        "first": (wrong, heavy, heavy), "last": (heavy, heavy, wrong), "between": (heavy, wrong, heavy),
        "both": (wrong, heavy, wrong),
    }[place]  # fmt: skip
    names = ["base", "a", *(["frame"] if empty else []), "b", "c"]
    links = [link("base", GOOD), link("a", one), *([link("frame", None)] if empty else []), link("b", two)]
    joints = [joint(f"j{k}", p, c, "fixed" if k else "continuous") for k, (p, c) in enumerate(pairwise(names))]
    text = robot(*links, link("c", three), *joints)
    whole, merged = from_urdf(text, merge_fixed=False), from_urdf(text)
    assert said(merged) == said(whole) and said(whole)
    assert said(from_json(to_json(merged))) == said(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        assert said(from_urdf(to_urdf(merged))) == said(whole)
    assert merged.mass == pytest.approx(whole.mass)


def test_good_links_are_merged_as_before():
    text = robot(link("a", GOOD), link("b", GOOD), link("c", None), link("d", GOOD), joint("j", "a", "b"),
                 joint("k", "b", "c"), joint("l", "c", "d"))  # fmt: skip
    assert [body.name for body in from_urdf(text).bodies] == ["world", "a"]


@pytest.mark.robots
@pytest.mark.parametrize("name", ["allegro_left_hand", "anymal", "b1", "go1", "pr2"])
def test_robots_say_what_their_files_say(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        merged, whole = load(robot_files()[name]), load(robot_files()[name], merge_fixed=False)
    assert said(merged) == said(whole) and said(whole)


@pytest.mark.parametrize("place", ['<mass value="{}"/>', '<origin xyz="0 {} 0"/>', '<limit lower="{}" upper="1"/>'])
@pytest.mark.parametrize("word", ["1" * 60_000 + "x", "1" * 60_000, "0." + "1" * 60_000, "1." + "1" * 900 + "x"])
def test_long_numbers_are_refused_in_short(place, word):
    part = place.format(word)
    inertial = f"<inertial>{part}<inertia ixx='1' iyy='1' izz='1'/></inertial>" if "mass" in part else ""
    more = "" if inertial else part
    text = robot(f'<link name="a">{inertial}</link>', link("b", GOOD), joint("j", "a", "b", "revolute", more))
    if "origin" in part:
        text = text.replace('<origin xyz="0 0.5 0"/>', "")
    with pytest.raises(FormatError) as caught:
        from_urdf(text)
    assert len(str(caught.value)) < 400


def test_numbers_are_read_in_linear_time():
    """A pattern that tries one text in several ways takes the square of its length; ours has one way only."""
    from rbdkit.formats.xml.numbers import _NUMBER

    assert all(_NUMBER.fullmatch(good) for good in ("1", "1.", "1.5", ".5", "-1e5", "+1.5E-3"))
    assert not any(_NUMBER.fullmatch(bad) for bad in ("", ".", "1x", "1.2.3", "e5", "1e", "--1", "0x1"))
    assert _NUMBER.fullmatch("1" * 3_000_000 + "x") is None  # hours, if it tried them all


def test_blanks_before_the_declaration_are_a_warning(tmp_path):
    text = '\n \n<?xml version="1.0" encoding="utf-8"?>\n<robot name="r"><link name="a"/>\n<oddity></robot>'
    good = text.replace("<oddity>", "")
    path = tmp_path / "r.urdf"
    path.write_text(good)
    for source in (good, good.encode(), b"\xef\xbb\xbf" + good.encode(), "\ufeff" + good, path):
        with pytest.warns(FormatWarning, match=r"line 1: blanks before the declaration <\?xml ...\?> were ignored"):
            assert load(source).name == "r"
    with pytest.raises(FormatError, match="line 5"):  # lines are still those of the file
        from_urdf(text)


def test_a_scale_of_four_numbers_costs_the_shape_only():
    visual = '<visual><geometry><mesh filename="m.stl" scale="{}"/></geometry></visual>'
    with pytest.warns(FormatWarning, match=r'link \'a\': <visual> is left out: scale="1 1 1 1" of the mesh is not'):
        model = from_urdf(robot(f'<link name="a">{visual.format("1 1 1 1")}</link>'))
    assert model.body("a").geometry == ()


def test_devices_and_pipes_are_not_opened(tmp_path):
    fifo = tmp_path / "fifo.urdf"
    os.mkfifo(fifo)
    for path in (fifo, "/dev/zero", "/dev/null"):
        with pytest.raises(FormatError, match=r"is not a file but a device or a pipe"):
            load(path)


def test_strange_sources():
    closed = io.StringIO("<robot/>")
    closed.close()

    class Reads:
        def read(self, _):
            return 3

    for source, message in [
        ("a\0b", "holds the character NUL"), (None, "cannot load a model from NoneType None"), (closed, "closed"),
        (Reads(), "reading it gives 3, neither text nor bytes"), ({"a": 1}, "cannot load a model from dict"),
    ]:  # fmt: skip
        with pytest.raises(FormatError, match=message):
            load(source)
    for paths in (3, "abc", [None], np.array(None)):
        with pytest.raises(FormatError, match="mesh_paths"):
            load(robot(link("a", GOOD)), mesh_paths=paths)
        with pytest.raises(FormatError, match="mesh_paths"):
            from_urdf(robot(link("a", GOOD)), mesh_paths=paths)


@pytest.mark.parametrize("wrong", [None, 3, [], {}, np.zeros(3), object()], ids=lambda wrong: type(wrong).__name__)
def test_what_is_neither_text_nor_model(wrong, tmp_path):
    for read in (from_json, from_urdf):
        with pytest.raises(FormatError, match="is a text or bytes, not"):
            read(wrong)
    for write in (to_json, to_urdf, to_dict, to_dh, lambda model: save(model, tmp_path / "x.json")):
        with pytest.raises(FormatError, match=r"is not an rbdkit.Model"):
            write(wrong)
    with pytest.raises(FormatError, match="is not a path"):
        save(Model(), wrong)
    assert from_json(bytearray(to_json(Model("m")).encode())).name == "m"


def model() -> Model:
    made = Model("m")
    made.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0, (0, 0, 1)), placement=(1, 0, 0), damping=1.0)
    return made


@pytest.mark.parametrize("path", [
    "bodies.0.inertia.mass", "bodies.0.inertia.com.1", "bodies.0.inertia.inertia_com.1.1",
    "bodies.0.joint.placement.0.3", "bodies.0.joint.damping.0", "gravity.2",
])  # fmt: skip
@pytest.mark.parametrize("value", [1e308, -1e31, 10**400])
def test_absurd_numbers_in_json(path, value):
    data = json.loads(to_json(model()))
    node, (*keys, last) = data, (int(k) if k.isdigit() else k for k in path.split("."))
    for key in keys:
        node = node[key]
    node[last] = value
    with pytest.raises(FormatError) as caught:
        from_dict(data)
    assert path.split(".")[-2 if path[-1].isdigit() else -1] in str(caught.value)
    assert len(str(caught.value)) < 300


def test_what_cannot_be_read_back_is_not_written():
    made = Model("m")
    made.add_body("a", inertia=Inertia(1e31, check=False))
    with pytest.raises(FormatError, match=r"bodies\[0\].inertia.mass is 1e\+31: beyond 1e\+30"):
        to_json(made)
    limited = Model("m")
    limited.add_body("a", joint=Revolute(), limits=Limits(-np.inf, 1e15), inertia=Inertia(1.0))
    assert from_json(to_json(limited)).bodies[1].joint.limits.upper == 1e15


ODD = [
    None, "", "1", np.nan, np.inf, 1e308, [1], (1, 2, 3, np.nan), "abcd", {"a": 1}, 10**400, (10**400,) * 4, 1j,
    np.zeros((3, 3)), object(), DHRow(kind=None), DHRow(kind=[]), DHRow(a="x"), DHRow(a=None), DHRow(pitch=1.0),
    DHRow(kind="helical", pitch=np.nan), DHRow(a=1j), DHRow(a=10**400), DHRow(a=1e308),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd).split(" at 0x")[0][:30])
def test_odd_dh_parameters(odd):
    calls = [lambda: from_dh([odd]), lambda: from_dh([DHRow()], base=odd), lambda: to_dh(odd)]
    if odd is not None:
        calls += [lambda: from_dh([DHRow()], tool=odd), lambda: from_dh([DHRow()], inertias=[odd])]
        calls += [lambda: from_dh([DHRow()], inertias=odd), lambda: to_dh(from_dh([DHRow()]), tool=odd)]
    if not isinstance(odd, np.ndarray):
        calls += [lambda: from_dh(odd)]
    for call in calls:
        with pytest.raises((FormatError, ModelError)) as caught:
            call()
        assert len(str(caught.value)) < 500


def test_hints_do_not_compare_everything_with_everything(monkeypatch):
    import difflib

    from rbdkit.model.numbering import did_you_mean

    looked = []
    monkeypatch.setattr(difflib, "get_close_matches", lambda word, given, **_: looked.append(len(given)) or [])
    did_you_mean("a" * 40_000, ["b" * 40_000])
    did_you_mean("link_x", [f"link_{k}" for k in range(20_000)])
    assert looked == [0, 2000]


def test_names_far_from_alike_in_length_are_still_compared_if_they_can_be_close():
    """Against the search without a choice of lengths before: 2 M / T >= 0.6 is possible down to 3/7 of the length."""
    import difflib

    from rbdkit.model.numbering import did_you_mean

    for short in range(1, 13):
        for long in range(short, 40):
            name, other = "a" * short, "a" * long
            for word, known in ((name, other), (other, name)):
                a_part = len(word) > 3 and word in known  # which is hinted at, however long the whole is
                close = a_part or difflib.get_close_matches(word, [known])
                hint = f"; did you mean {known!r}?" if close else "; known: "
                assert did_you_mean(word, [known]).startswith(hint), (short, long)


def test_a_hint_is_still_given():
    with pytest.raises(FormatError, match="did you mean 'elbow'"):
        from_urdf(robot(link("elbow", GOOD), link("b", GOOD), joint("j", "elbwo", "b")))


LONG = "n" * 1001
PLACES = {
    "link": robot(link(LONG, GOOD)),
    "joint": robot(link("a", GOOD), link("b", GOOD), joint(LONG, "a", "b")),
    "parent": robot(link("a", GOOD), link("b", GOOD), joint("j", LONG, "b")),
    "child": robot(link("a", GOOD), link("b", GOOD), joint("j", "a", LONG)),
    "mimic": robot(
        link("a", GOOD), link("b", GOOD), joint("j", "a", "b", "continuous", f'<mimic joint="{LONG}"/>')
    ),
    "robot": f'<robot name="{LONG}">{link("a", GOOD)}</robot>',
}  # fmt: skip


@pytest.mark.parametrize("size", [1001, 3_000_000])
@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_names_of_absurd_length_in_urdf(text, size):
    with pytest.raises(
        FormatError, match=rf"{size} characters(; take one of 1000 at most| are more than any needs)"
    ) as caught:
        from_urdf(text.replace(LONG, "n" * size))
    assert len(str(caught.value)) < 400
    if size == 1001:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            try:
                from_urdf(text.replace(LONG, LONG[1:]))
            except FormatError as fault:  # only what the text is made to lack
                assert "does not exist" in str(fault)


def test_names_of_absurd_length_in_models_and_json():
    made = model()
    for call in (
        lambda: Model(LONG), lambda: made.add_body(LONG), lambda: made.add_body("b", joint_name=LONG + LONG),
        lambda: made.add_frame(LONG, "a"), lambda: made.add_loop(LONG + LONG, "a", "world", Revolute()),
    ):  # fmt: skip
        with pytest.raises(ModelError, match=r"has (1001|2002) characters; take one of 1000 at most") as caught:
            call()
        assert len(str(caught.value)) < 200
    assert len(made.bodies) == 2 and not made.frames and not made.loops
    made.add_frame("tip", "a")
    made.add_loop("closing", "a", "world", Revolute())
    made.add_body(LONG[1:], joint=Revolute())  # its joint is called a little longer
    assert from_json(to_json(made)).joint(f"{LONG[1:]}_joint").q_slice == slice(1, 2)
    for name in ('"m"', '"a"', '"a_joint"', '"tip"', '"closing"'):
        with pytest.raises(FormatError, match="2002 characters") as caught:
            from_json(to_json(made).replace(f'"name": {name}', f'"name": "{LONG}{LONG}"'))
        assert len(str(caught.value)) < 300


def test_names_that_could_not_be_read_again_are_not_written():
    """A frame becomes a link on a joint, which is called after it."""
    short, long = Model(), Model()
    for made, size in ((short, 994), (long, 995)):
        made.add_body("a", joint=Revolute("z"), inertia=Inertia(1.0, (0, 0, 1)))
        made.add_frame("f" * size, "a")
    assert from_urdf(to_urdf(short)).frame("f" * 994).body == 1
    with pytest.raises(FormatError, match="a name of 1001 characters cannot be read back; shorten it"):
        to_urdf(long)


def test_other_attributes_of_absurd_length():
    kind = joint("j", "a", "b").replace('"fixed"', f'"{"fixed" * 2001}"')
    with pytest.raises(FormatError, match="10005 characters are more than any needs"):
        from_urdf(robot(link("a", GOOD), link("b", GOOD), kind))
    with pytest.raises(FormatError, match=r"joint type 'fixedf.*fixed' is unknown") as caught:
        from_urdf(robot(link("a", GOOD), link("b", GOOD), joint("j", "a", "b").replace('"fixed"', f'"{"fixed" * 99}"')))
    assert len(str(caught.value)) < 400
    shape = f'<visual><geometry><mesh filename="{"a/" * 5001}m.stl"/></geometry></visual>'
    with pytest.warns(FormatWarning, match="file name of the mesh has 10007 characters") as warned:
        assert from_urdf(robot(f'<link name="a">{shape}</link>')).body("a").geometry == ()
    assert len(str(warned[0].message)) < 400


def test_an_axis_has_no_signed_zeros():
    axis = '<axis xyz="-0 0 -2"/>'
    with pytest.warns(FormatWarning, match="length 2"):
        model = from_urdf(robot(link("a", GOOD), link("b", GOOD), joint("j", "a", "b", "continuous", axis)))
    found = model.joint("j").type.axis
    assert found.tolist() == [0.0, 0.0, -1.0] and np.signbit(found).tolist() == [False, False, True]
