"""Misprints of the five sources, each with a check that computes the printed form and the right one.

`finding` says what an entry is, `page` shows them; the other files hold the entries, those of long sources in several.
"""

from rbdkit_course.errata import (
    featherstone,
    featherstone_assembly,
    featherstone_contact,
    featherstone_loops,
    featherstone_modelling,
    featherstone_motion,
    gebhardt_romero,
    holzinger,
    holzinger_steps,
    mueller_terze,
    sueda,
    sueda_constraints,
    sueda_contact,
    sueda_muscles,
    sueda_reduced,
)
from rbdkit_course.errata.finding import Errors, Finding
from rbdkit_course.errata.page import Details, Summary

BY_SOURCE = {
    featherstone.SOURCE: (
        *featherstone_modelling.FINDINGS,
        *featherstone_motion.FINDINGS,
        *featherstone_assembly.FINDINGS,
        *featherstone_loops.FINDINGS,
        *featherstone.FINDINGS,
        *featherstone_contact.FINDINGS,
    ),
    sueda.SOURCE: (
        *sueda.FINDINGS,
        *sueda_muscles.FINDINGS,
        *sueda_contact.FINDINGS,
        *sueda_reduced.FINDINGS,
        *sueda_constraints.FINDINGS,
    ),
    holzinger.SOURCE: (*holzinger.FINDINGS, *holzinger_steps.FINDINGS),
    gebhardt_romero.SOURCE: gebhardt_romero.FINDINGS,
    mueller_terze.SOURCE: mueller_terze.FINDINGS,
}
"""The entries of each source, by the names that head them on the page."""

FINDINGS = tuple(finding for findings in BY_SOURCE.values() for finding in findings)
"""All entries, in the order of the page."""


def summary() -> Summary:
    """Show all entries as one table."""
    return Summary(FINDINGS)


def details(source: str) -> Details:
    """Show the entries of one source with their checks.

    Raises KeyError with the names there are if the source is not among them.
    """
    if source not in BY_SOURCE:
        raise KeyError(f"no source {source!r}; there are {', '.join(BY_SOURCE)}")
    return Details(BY_SOURCE[source])


__all__ = ["BY_SOURCE", "FINDINGS", "Details", "Errors", "Finding", "Summary", "details", "summary"]
