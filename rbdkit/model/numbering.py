"""Regular numbering: every parent comes before its children (Featherstone 2008, section 4.1.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from rbdkit.model.finding import Finding
from rbdkit.spatial.read_numbers import shown

WORLD = "world"


def regular_order(links: Sequence[tuple[str, str]]) -> list[int]:
    """Positions of the links in a regular order, depth first, children in the order given.

    Parameters
    ----------
    links : sequence
        (body, parent) name pairs in any order; the root parent is 'world'. Links that `structure_findings` objects to
        (duplicates, unknown parents, cycles) are left out.

    Returns
    -------
    list of int
        Positions in `links`.

    Examples
    --------
    >>> from rbdkit.model import regular_order
    >>> regular_order([("hand", "arm"), ("arm", "world")])
    [1, 0]
    """
    children: dict[str, list[int]] = {}
    for position, (_, parent) in enumerate(links):
        children.setdefault(parent, []).append(position)
    order: list[int] = []
    seen = {WORLD}
    waiting = children.get(WORLD, [])[::-1]
    while waiting:
        position = waiting.pop()
        name = links[position][0]
        if name not in seen:
            seen.add(name)
            order.append(position)
            waiting.extend(children.get(name, [])[::-1])
    return order


def structure_findings(links: Sequence[tuple[str, str]]) -> list[Finding]:
    """Return findings about links that do not form a tree: duplicate names, unknown parents, unreachable bodies.

    Parameters
    ----------
    links : sequence
        (body, parent) name pairs in any order.

    Returns
    -------
    list of Finding
        Empty if the links form a tree.

    Examples
    --------
    >>> from rbdkit.model import structure_findings
    >>> print(*structure_findings([("hand", "arm")]))
    error: hand: ...
    """
    findings = []
    names = [name for name, _ in links]
    counts = Counter([WORLD, *names])
    for name in sorted(name for name, count in counts.items() if count > 1):
        message = f"{counts[name]} bodies are called {name!r}; give every body its own name"
        findings.append(Finding("error", name, "duplicate name", message))
    reached = {names[position] for position in regular_order(links)}
    for name, parent in links:
        if parent not in counts:
            message = f"its parent {parent!r} does not exist{did_you_mean(parent, counts)}"
            findings.append(Finding("error", name, "unreachable body", message))
        elif name not in reached:
            message = f"no chain of joints leads from {WORLD!r} to it (parent {parent!r})"
            message += "; it hangs in a cycle, or on a body that is unreachable itself"
            findings.append(Finding("error", name, "unreachable body", message))
    return findings


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the closest known ones, or all of them if there are few."""
    from difflib import get_close_matches  # only where something went wrong

    known = sorted(known)
    # the search takes the product of the lengths; 0.6 is reached by 3/7 of the length, all of them alike, or more
    fits = (k for k in known if 3 * len(k) <= 7 * len(name) and 3 * len(name) <= 7 * len(k))
    alike = list(islice(fits, 2000)) if len(name) <= 200 else []
    close = [k for k in alike if k.lower() == name.lower()] or get_close_matches(name, alike, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    longer = [k for k in islice(known, 2000) if 3 < len(name) < 200 and name.lower() in k.lower()]
    if 0 < len(longer) <= 4:
        return f"; did you mean {' or '.join(map(repr, longer))}?"
    listed = ", ".join(shown(k) for k in known[:8]) + (", ..." if len(known) > 8 else "")
    return f"; known: {listed}" if known else ""
