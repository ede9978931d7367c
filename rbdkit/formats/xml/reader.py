"""A small XML reader that keeps line numbers and rejects document types and custom entities, for safety."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from rbdkit.errors import FormatError

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 200
_EARLY_TEXT = re.compile(r"\ufeff?([ \t\r\n]+)(<\?xml[^>]{0,200}\?>)")
_EARLY_BYTES = re.compile(rb"(?:\xef\xbb\xbf)?([ \t\r\n]+)(<\?xml[^>]{0,200}\?>)")


@dataclass(slots=True)
class Element:
    """An XML element. Text between tags is not kept: robot files carry their data in attributes.

    Attributes
    ----------
    tag, attributes, children
        As in the file.
    source : str
        Name of the file, for messages.
    line : int
        Where the tag begins.
    """

    tag: str
    attributes: dict[str, str]
    source: str
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def place(self) -> str:
        """File and line of the element, as the beginning of an error message."""
        return f"{self.source}, line {self.line}"

    def all(self, tag: str) -> Iterator[Element]:
        """The children with that tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with that tag, or None."""
        return next(self.all(tag), None)


def declaration_first(data: bytes | str) -> tuple[bytes | str, bool]:
    """The document with blanks before its XML declaration put behind it, and whether there were any.

    XML does not allow them, but hand-edited files have them. Lines keep their numbers.
    """
    if isinstance(data, bytes):
        early = _EARLY_BYTES.match(data)
        return (data, False) if early is None else (early[2] + early[1] + data[early.end() :], True)
    found = _EARLY_TEXT.match(data)
    return (data, False) if found is None else (found[2] + found[1] + data[found.end() :], True)


def parse_xml(data: bytes | str, source: str) -> Element:
    """The root element of an XML document.

    Parameters
    ----------
    data : bytes or str
        The document; bytes are decoded as its declaration says.
    source : str
        Name for error messages.

    Raises
    ------
    FormatError
        If it is not well-formed XML, declares a document type or entities (which can read files or grow without bound),
        is nested deeper than `MAX_DEPTH`, or is larger than `MAX_BYTES`.
    """
    if isinstance(data, str):
        data = data.removeprefix("\ufeff").encode("utf-8", errors="surrogatepass")
        parser = expat.ParserCreate("utf-8")  # whatever encoding the declaration names: the text is decoded already
    else:
        parser = expat.ParserCreate()
    if len(data) > MAX_BYTES:
        raise FormatError(f"{source}: {len(data)} bytes are more than this reader takes ({MAX_BYTES})")
    top: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, source, parser.CurrentLineNumber)
        if len(open_elements) == MAX_DEPTH:
            raise FormatError(f"{element.place}: elements are nested more than {MAX_DEPTH} deep")
        (open_elements[-1].children if open_elements else top).append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def refuse_doctype(*_: object) -> None:
        raise FormatError(
            f"{source}, line {parser.CurrentLineNumber}: DOCTYPE and entity declarations are refused; "
            "no robot file needs them, delete the declaration"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.EntityDeclHandler = refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as fault:
        raise FormatError(
            f"{source}, line {fault.lineno}, column {fault.offset + 1}: not well-formed XML: "
            f"{expat.ErrorString(fault.code)}"
        ) from None
    except FormatError:
        raise
    except (LookupError, ValueError) as fault:
        raise FormatError(f"{source}: its encoding cannot be read ({fault}); save it as UTF-8") from None
    return top[0]
