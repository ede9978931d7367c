"""Mathematics in pages as MathML, which browsers typeset themselves: no script, no network."""

from __future__ import annotations

import re
from html import unescape

ASIDE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>|<[^>]*>)", re.DOTALL)
"""What has no mathematics in a piece of HTML: code, and tags."""
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
OPENED = re.compile(r"(\\begin\{[a-zA-Z]*matrix\}\s*)\[")
"""A bracket as the first sign of a matrix, which is not that of an option."""


def with_mathml(html: str) -> str:
    """A piece of HTML, made from Markdown, with MathML in place of the LaTeX between dollars.

    Raises
    ------
    ValueError
        If a formula is not understood; it is named.

    Examples
    --------
    >>> from rbdkit.course.mathml import with_mathml
    >>> with_mathml("<p>$x$, not <code>$x$</code></p>")
    '<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>x</mi></mrow></math>, not <code>$x$</code></p>'
    """  # noqa: E501
    if "$" not in html:
        return html
    parts = ASIDE.split(html)
    # A formula may have tags in it where Markdown took its signs for emphasis; such ones are left for a reader to see.
    parts[::2] = [FORMULA.sub(_formula, text) for text in parts[::2]]
    return "".join(parts)


def _formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert  # of the extra `lab`

    block = found[1] is not None
    text = unescape(found[1] if block else found[2])
    text = OPENED.sub(r"\1{}[", text).replace(r"\tag{", r"\qquad \tag{")
    try:
        return str(convert(text, display="block" if block else "inline"))
    except Exception as fault:  # those of latex2mathml have no common class
        raise ValueError(f"formula {text!r} is not understood: {type(fault).__name__} {fault}") from fault
