"""Formulas in HTML pages as MathML, which browsers typeset without a script or network access."""

from __future__ import annotations

import re
from html import unescape

ASIDE = re.compile(r"(<pre\b.*?</pre>|<code\b.*?</code>|<[^>]*>)", re.DOTALL)
"""Parts of HTML that contain no formulas: code, and tags."""
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
OPENED = re.compile(r"(\\begin\{[a-zA-Z]*matrix\}\s*)\[")
"""A bracket as the first entry of a matrix, which the converter would take for an optional argument."""


def with_mathml(html: str) -> str:
    """Replace LaTeX between dollars by MathML in a piece of HTML that was made from Markdown.

    Raises
    ------
    ValueError
        If a formula cannot be converted; the message quotes it.

    Examples
    --------
    >>> from rbdkit_course.mathml import with_mathml
    >>> with_mathml("<p>$x$, not <code>$x$</code></p>")
    '<p><math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mi>x</mi></mrow></math>, not <code>$x$</code></p>'
    """  # noqa: E501
    if "$" not in html:
        return html
    parts = ASIDE.split(html)
    # Where Markdown took signs of a formula for emphasis, tags split the formula; it is left as it is, for all to see.
    parts[::2] = [FORMULA.sub(_formula, text) for text in parts[::2]]
    return "".join(parts)


def _formula(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert  # installed by the extra `lab`

    block = found[1] is not None
    text = unescape(found[1] if block else found[2])
    text = OPENED.sub(r"\1{}[", text).replace(r"\tag{", r"\qquad \tag{")
    try:
        return str(convert(text, display="block" if block else "inline"))
    except Exception as fault:  # latex2mathml's errors have no common base class
        raise ValueError(f"formula {text!r} is not understood: {type(fault).__name__} {fault}") from fault
