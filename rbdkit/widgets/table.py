"""A table of numbers that shows itself in a notebook, as text elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Cell = str | float | int | None


class Table:
    """Rows under headings.

    Parameters
    ----------
    headings : sequence of str
        Of the columns; the first is that of the names of the rows.
    rows
        Name of each row to its cells. Numbers are shown with `digits` significant digits, None as a dash.
    title : str, optional
        Above the table.
    """

    def __init__(
        self, headings: Sequence[str], rows: Mapping[str, Sequence[Cell]], title: str = "", digits: int = 10
    ) -> None:
        wrong = [name for name, cells in rows.items() if len(cells) != len(headings) - 1]
        if wrong:
            raise ValueError(f"row {wrong[0]!r} has {len(rows[wrong[0]])} cells for {len(headings) - 1} columns")
        self.headings = tuple(headings)
        self.rows = {name: tuple(cells) for name, cells in rows.items()}
        self.title = title
        self.digits = digits

    def _text(self, cell: Cell) -> str:
        if cell is None:
            return "–"
        return cell if isinstance(cell, str) else f"{cell:.{self.digits}g}"

    def _lines(self) -> list[list[str]]:
        return [[name, *map(self._text, cells)] for name, cells in self.rows.items()]

    def __repr__(self) -> str:
        lines = [list(self.headings), *self._lines()]
        wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
        body = ["  ".join([line[0].ljust(wide[0]), *map(str.rjust, line[1:], wide[1:])]) for line in lines]
        return "\n".join([*([self.title] if self.title else []), *body])

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            first, *others = map(escape, cells)
            left = f"<{tag} style='text-align:left'>{first}</{tag}>"
            right = (f"<{tag} style='text-align:right;font-variant-numeric:tabular-nums'>{c}</{tag}>" for c in others)
            return f"<tr>{left}{''.join(right)}</tr>"

        caption = f"<caption style='caption-side:top;text-align:left'>{escape(self.title)}</caption>" * bool(self.title)
        body = "".join(row(line, "td") for line in self._lines())
        return f"<table>{caption}<thead>{row(self.headings, 'th')}</thead><tbody>{body}</tbody></table>"
