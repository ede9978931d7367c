"""In every notebook on the notes there is something to write, and what stands there at first is not yet right."""

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "notebooks" / "sueda"
NOTEBOOKS = sorted(path.name for path in FOLDER.glob("*.ipynb"))
MARK = "# your answer here"


def sources(name: str) -> list[str]:
    cells = json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_stands_there_at_first_is_not_yet_right(name):
    """Cells that ask for an answer run with nothing but the imports of the notebook, and explain what is missing."""
    cells, space, asked = sources(name), {}, 0
    for source in cells:
        imports = [node for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        exec(compile(ast.Module(imports, []), name, "exec"), space)
    for source, following in zip(cells, [*cells[1:], ""], strict=True):
        if MARK not in source:
            continue
        asked += 1
        tree = ast.parse(source)
        if not isinstance(tree.body[-1], ast.Expr):  # the check has a cell of its own
            tree.body += ast.parse(following).body
        last = tree.body.pop()
        exec(compile(tree, name, "exec"), space)
        verdict = eval(compile(ast.Expression(last.value), name, "eval"), space)
        assert not verdict, f"{source}\npasses as it stands"
        assert len(verdict.why) > 15
    assert asked >= 3
