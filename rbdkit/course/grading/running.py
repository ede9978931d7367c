"""A notebook that was handed in, run in a kernel of its own, with a limit of time for every cell."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rbdkit.course.grading.assembling import Step

SESSION = '__import__("rbdkit.course.grading.session", fromlist=["session"])'


@dataclass(frozen=True)
class Grade:
    """Points of one exercise, and why."""

    exercise: str
    points: int
    possible: int
    why: str


def grade_notebook(
    steps: Sequence[Step],
    seconds: float = 60.0,
    strict: bool = False,
    numbers: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Grade]:
    """Run the steps of a notebook in a fresh kernel and judge its answers.

    Parameters
    ----------
    seconds
        Time for each cell. What takes longer is interrupted; a kernel that does not react to that is given up.
    strict
        Whether the functions that a student is to write raise when they are taken from the library.
    numbers
        By exercise, what the student was given in place of the usual numbers.
    """
    from nbclient import NotebookClient
    from nbformat.v4 import new_notebook

    grades: list[Grade] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            new_notebook(),
            timeout=seconds,
            interrupt_on_timeout=True,
            allow_errors=True,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
        )
        kernel = _Kernel(client, seconds)
        with client.setup_kernel(env={**os.environ, "RBDKIT_COURSE_DIR": str(Path(folder, "progress"))}):
            trouble = ""
            for step in steps:
                if step.kind == "course":
                    kernel.run(step.code)
                elif step.kind == "student":
                    trouble = _answered(kernel, step, strict)
                elif step.exercise is not None:
                    grades.append(_judged(kernel, step, trouble, strict, (numbers or {}).get(step.exercise.name, {})))
    return grades


class _Kernel:
    """Runs code and returns what it printed, and what stopped it."""

    def __init__(self, client: Any, seconds: float) -> None:
        self.client, self.seconds, self.given_up = client, seconds, False

    def run(self, code: str) -> tuple[str, str]:
        from nbformat.v4 import new_code_cell

        if self.given_up or not code.strip():
            return "", "the kernel was given up" if self.given_up else ""
        cell = new_code_cell(code)
        self.client.nb.cells.append(cell)
        try:
            done = self.client.execute_cell(cell, len(self.client.nb.cells) - 1, store_history=False)
        except Exception as fault:  # the kernel died, or nothing can be heard of it
            self.given_up = True
            return "", f"the kernel stopped: {type(fault).__name__}"
        printed = "".join(o.get("text", "") for o in done.outputs if o.output_type == "stream" and o.name == "stdout")
        errors = [o for o in done.outputs if o.output_type == "error"]
        if errors and errors[0].ename == "KeyboardInterrupt":
            return printed, f"it took longer than {self.seconds:g} s"
        return printed, f"{errors[0].ename}: {errors[0].evalue}" if errors else ""


def _answered(kernel: _Kernel, step: Step, strict: bool) -> str:
    """Run an answer, and say what is the matter with it, if anything is."""
    forbidden = list(step.exercise.forbidden) if strict and step.exercise else []
    kernel.run(f"{SESSION}.begin(globals(), {list(step.given)!r}, {forbidden!r})")
    _, stopped = kernel.run(step.code)
    token = secrets.token_hex(16)
    printed, ended = kernel.run(f'print({token!r}, __import__("json").dumps({SESSION}.end(globals())))')
    if ended:
        kernel.given_up = True
        return stopped or f"the answer leaves a kernel that cannot go on ({ended})"
    changed = json.loads(printed.rpartition(token)[2])
    if changed:
        return f"the answer changes rbdkit itself: {', '.join(changed[:3])}"
    return f"the answer's cell stopped: {stopped}" if stopped else ""


def _judged(kernel: _Kernel, step: Step, trouble: str, strict: bool, numbers: Mapping[str, float]) -> Grade:
    exercise = step.exercise
    assert exercise is not None
    if trouble:
        return Grade(exercise.name, 0, exercise.stars, trouble)
    token, forbidden = secrets.token_hex(16), list(exercise.forbidden) if strict else []
    rest = f"{token!r}, {forbidden!r}, {dict(numbers)!r}"
    printed, stopped = kernel.run(f"{SESSION}.judge({exercise.name!r}, {step.code}, {rest})")
    if token not in printed:
        return Grade(exercise.name, 0, exercise.stars, f"there is no answer: {stopped}")
    said = json.loads(printed.rpartition(token)[2])
    return Grade(exercise.name, said["points"], exercise.stars, said["why"])
