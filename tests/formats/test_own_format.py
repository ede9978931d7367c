"""A format of one's own, as CONTRIBUTING says: a description in `FORMATS`, and `load` and `save` know it."""

from __future__ import annotations

import io
import sys

import pytest

import rbdkit as rbd
from rbdkit.errors import FormatError
from rbdkit.formats import FormatWarning
from rbdkit.formats.format import FORMATS, Content, Format

TEXT = "[pendulums]\n2.0 1.5\n0.5 3.0\n"


def read(content: Content, options: dict) -> tuple[rbd.Model, list[str]]:
    """A bob a line, its length and mass, hung on the one before."""
    text = content.data if isinstance(content.data, str) else content.data.decode()
    model, parent = rbd.Model(content.name, gravity=options.get("gravity", (0.0, 0.0, -9.81))), "world"
    for k, line in enumerate(text.splitlines()[1:]):
        length, mass = map(float, line.split())
        bob = rbd.Inertia(mass, (0, 0, -length))
        parent = model.add_body(f"bob{k}", parent, rbd.Revolute("y"), inertia=bob)
    return model, ["the bobs are points"]


def write(model: rbd.Model) -> str:
    bobs = [body.inertia for body in model.bodies[1:]]
    return "\n".join(["[pendulums]", *(f"{-bob.com[2]} {bob.mass}" for bob in bobs), ""])


@pytest.fixture(autouse=True)
def known(monkeypatch):
    own = Format("a list of pendulums", ".bobs", "[", "a list of pendulums begins with '['", read, write, {})
    monkeypatch.setattr(sys.modules["rbdkit.formats.load"], "FORMATS", (*FORMATS, own))


def test_it_is_recognised_read_and_written(tmp_path):
    path = tmp_path / "two.bobs"
    path.write_text(TEXT)
    for source in (path, TEXT, TEXT.encode(), io.StringIO(TEXT)):
        with pytest.warns(FormatWarning, match="the bobs are points"):
            model = rbd.load(source, gravity=(0, 0, -10))
        assert [body.inertia.mass for body in model.bodies[1:]] == [1.5, 3.0] and model.gravity.tolist() == [0, 0, -10]
    rbd.save(model, tmp_path / "copy.bobs")
    assert (tmp_path / "copy.bobs").read_text() == TEXT


def test_arguments_of_other_formats_are_refused():
    with pytest.raises(FormatError, match="text is a list of pendulums, which knows no floating=True; URDF does"):
        rbd.load(TEXT, floating=True)
    with pytest.raises(FormatError, match="nor a list of pendulums"):
        rbd.load("solid cube\nfacet")
