"""`load` and `save`: paths, texts and files, and how the format is told."""

from __future__ import annotations

import io
import warnings

import pytest

from rbdkit.errors import FormatError
from rbdkit.formats import from_urdf, load, save, to_dict, to_json, to_urdf
from rbdkit.joints import Free, Revolute
from rbdkit.model import Model
from rbdkit.spatial.inertia import Inertia

URDF = """<?xml version="1.0"?>
<!-- an arm -->
<robot name="arm"><link name="a"/><link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


@pytest.fixture
def model() -> Model:
    model = Model("arm")
    model.add_body("a", inertia=Inertia(1.0))
    model.add_body("b", "a", Revolute("x"), inertia=Inertia(1.0, (0, 0, 1)), joint_name="j")
    return model


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xml", "arm.txt", "arm"])
def test_a_urdf_goes_by_its_content_not_its_name(tmp_path, name):
    path = tmp_path / name
    path.write_text(URDF)
    for source in (path, str(path)):
        assert load(source).joint("j").type == Revolute("x")


def test_json_goes_by_its_content(tmp_path, model):
    path = tmp_path / "arm.txt"
    path.write_text("\ufeff \n" + to_json(model))
    assert to_dict(load(path)) == to_dict(model)


@pytest.mark.parametrize("text", [URDF, "\n  " + URDF[22:], "\ufeff" + URDF])
def test_texts(text, model):
    for source in (text, text.encode(), io.StringIO(text), io.BytesIO(text.encode())):
        assert load(source).joint("j").nv == 1
    for source in (to_json(model), to_json(model).encode(), io.StringIO(to_json(model))):
        assert to_dict(load(source)) == to_dict(model)


def test_encodings_of_files(tmp_path):
    path = tmp_path / "arm.urdf"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1"):
        declared = encoding.removesuffix("-sig")
        text = URDF.replace('"1.0"', f'"1.0" encoding="{declared}"').replace('"arm"', '"Ärmchen"')
        path.write_bytes(text.encode(encoding))
        assert load(path).name == "Ärmchen"


def test_an_open_file_knows_its_folder(tmp_path):
    visual = '<visual><geometry><mesh filename="m.stl"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(URDF.replace('<link name="a"/>', f'<link name="a">{visual}</link>'))
    (tmp_path / "m.stl").write_text("solid")
    with (tmp_path / "arm.urdf").open("rb") as file:
        assert load(file).body("a").geometry[0].shape.found == str(tmp_path / "m.stl")


def test_options_reach_the_reader():
    assert load(URDF, floating=True).body("a").joint.type == Free()
    assert load(URDF, gravity=(1, 2, 3)).gravity.tolist() == [1, 2, 3]
    assert load(URDF).gravity.tolist() == [0, 0, -9.81]
    fixed = URDF.replace("continuous", "fixed")
    assert (len(load(fixed).bodies), len(load(fixed, merge_fixed=False).bodies)) == (2, 3)


@pytest.mark.parametrize("name", ["forces", "joints", "constraints"])
def test_classes_come_in_lists(name):
    with pytest.raises(FormatError, match=f"load: {name} = 3 must be a list of classes"):
        load(URDF, **{name: 3})


def test_options_for_json(model):
    assert load(to_json(model), gravity=(1, 2, 3)).gravity.tolist() == [1, 2, 3]
    with pytest.raises(FormatError, match="text is JSON, which knows no floating=True; URDF does"):
        load(to_json(model), floating=True)


@pytest.mark.parametrize("text", ["", " \n ", b""])
def test_nothing_is_refused(text, tmp_path):
    (tmp_path / "empty.urdf").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError, match=r"empty\.urdf is empty"):
        load(tmp_path / "empty.urdf")
    with pytest.raises(FormatError, match="file is empty"):
        load(io.StringIO("") if isinstance(text, str) else io.BytesIO(text))


@pytest.mark.parametrize("content", [b"solid cube\nfacet", b"\x00\x01\x02", b"links:\n - a"])
def test_other_content_is_refused(content, tmp_path):
    (tmp_path / "m.stl").write_bytes(content)
    with pytest.raises(FormatError, match=r"m\.stl is neither JSON nor URDF"):
        load(tmp_path / "m.stl")


def test_what_is_no_source_is_refused():
    with pytest.raises(FormatError, match="cannot load a model from int 3"):
        load(3)
    with pytest.raises(FormatError, match="neither JSON nor URDF"):
        load("name: arm\nlinks: 3")
    with pytest.raises(FileNotFoundError, match=r"no_such\.urdf"):
        load("no_such.urdf")


def test_mjcf_goes_by_its_root_element(tmp_path):
    text = "<?xml version='1.0'?>\n<!-- <robot> --><mujoco model='arm'>\n<worldbody/></mujoco>"
    (tmp_path / "arm.urdf").write_text(text)
    for source in (tmp_path / "arm.urdf", text, text.encode(), text.encode("utf-16"), io.StringIO(text)):
        assert load(source).name == "arm"
    with pytest.raises(
        FormatError, match=r"text, line 1: root element <mujocoinclude>: .* load the file that includes it"
    ):
        load("<mujocoinclude/>")
    with pytest.raises(FormatError, match="text is MJCF, which knows no floating=True; URDF does"):
        load(text, floating=True)


def test_save_tells_the_format_from_the_name(tmp_path, model):
    save(model, tmp_path / "arm.json")
    assert (tmp_path / "arm.json").read_text() == to_json(model)
    save(model, str(tmp_path / "arm.URDF"))
    assert (tmp_path / "arm.URDF").read_text() == to_urdf(model)
    for name in ("arm", "arm.stl"):
        with pytest.raises(FormatError, match=rf"'{name}'; it must end in \.json or \.urdf or \.xml"):
            save(model, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_warnings_point_to_the_caller():
    sloppy = URDF.replace("<child", '<axis xyz="2 0 0"/><child')
    for read in (load, from_urdf):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            read(sloppy)
        assert [warning.filename for warning in caught] == [__file__]
