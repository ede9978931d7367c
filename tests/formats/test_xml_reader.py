"""The XML reader: what it keeps, and what it refuses."""

from __future__ import annotations

import pytest

from rbdkit.errors import FormatError
from rbdkit.formats.xml.reader import MAX_BYTES, MAX_DEPTH, parse_xml

BILLION_LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="&c;"/>"""
EXTERNAL = """<?xml version="1.0"?>

<!DOCTYPE r SYSTEM "file:///etc/passwd">
<robot/>"""


def test_elements_keep_order_attributes_and_lines():
    root = parse_xml('<a x="1">\n  <b/>\n  text <c y="&lt;2"/><b z="3"/>\n</a>', "f")
    assert (root.tag, root.line, root.attributes) == ("a", 1, {"x": "1"})
    assert [(child.tag, child.line) for child in root.children] == [("b", 2), ("c", 3), ("b", 3)]
    assert [child.attributes for child in root.all("b")] == [{}, {"z": "3"}]
    assert root.first("c").attributes == {"y": "<2"}
    assert root.first("d") is None
    assert root.first("c").place == "f, line 3"


@pytest.mark.parametrize(("document", "line"), [(BILLION_LAUGHS, 2), (EXTERNAL, 3), ("<!DOCTYPE a><a/>", 1)])
def test_document_types_are_refused(document, line):
    with pytest.raises(FormatError, match=f"f, line {line}: DOCTYPE"):
        parse_xml(document, "f")


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ("<a>\n<b></a>", "f, line 2, column 6"),
        ("<a>", "f, line 1"),
        ("<a/><b/>", "line 1"),
        ("<a b='&nope;'/>", "line 1"),
    ],
)
def test_what_is_not_well_formed_is_refused_with_its_place(document, place):
    with pytest.raises(FormatError, match=f"{place}.*not well-formed XML"):
        parse_xml(document, "f")


def test_bytes_are_decoded_as_they_declare():
    name = "Gelenkträger"
    for encoding in ("utf-8", "iso-8859-1", "utf-16"):
        document = f'<?xml version="1.0" encoding="{encoding}"?><a n="{name}"/>'
        assert parse_xml(document.encode(encoding), "f").attributes["n"] == name
        assert parse_xml("\ufeff" + document, "f").attributes["n"] == name  # a text is decoded already
    with pytest.raises(FormatError, match="UTF-8"):
        parse_xml('<?xml version="1.0" encoding="shift_jis"?><a n="機"/>'.encode("shift_jis"), "f")
    with pytest.raises(FormatError, match="f"):
        parse_xml('<a n="\ud800"/>', "f")


def test_depth_and_size_are_bounded():
    inside = "<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH
    assert parse_xml(inside, "f").tag == "a"
    with pytest.raises(FormatError, match=f"more than {MAX_DEPTH} deep"):
        parse_xml("<a>" * 10**6, "f")
    with pytest.raises(FormatError, match="bytes are more than"):
        parse_xml(b" " * (MAX_BYTES + 1), "f")


def test_work_grows_with_length_only(calls):
    def read(count):
        root = parse_xml("<a>" + '<b c="1"/>' * count + "</a>", "f")
        assert len(root.children) == count

    assert calls(lambda: read(8_000)) < 2.1 * calls(lambda: read(4_000))
    read(200_000)
