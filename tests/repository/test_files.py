"""What is stored, and what is not: no outputs in notebooks, no path of somebody's machine."""

from __future__ import annotations

import json
import re

# The home, work or user folder of a machine at the start of a path, not in the middle of another one or of an address.
MACHINE_PATH = re.compile(r"(?<![\w./:~-])/(?:home|root|work|Users)/\w", re.ASCII)


def test_notebooks_are_stored_without_outputs(stored_files):
    notebooks = [file for file in stored_files if file.suffix == ".ipynb"]
    assert notebooks
    for file in notebooks:
        content = json.loads(file.read_text(encoding="utf-8"))
        assert "widgets" not in content["metadata"], f"{file.name} holds the state of its widgets"
        for number, cell in enumerate(content["cells"]):
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [], f"{file.name}, cell {number} is stored with its output"
                assert cell["execution_count"] is None, f"{file.name}, cell {number} is stored with its number"


def test_notebooks_ask_for_the_plain_python_kernel(stored_files):
    for file in stored_files:
        if file.suffix == ".ipynb":
            kernel = json.loads(file.read_text(encoding="utf-8"))["metadata"].get("kernelspec", {})
            assert kernel.get("name") == "python3", f"{file.name} asks for the kernel {kernel}"


def test_no_file_names_a_folder_of_a_machine(stored_files):
    found = []
    for file in stored_files:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        found += [
            f"{file}:{number}: {line.strip()[:100]}"
            for number, line in enumerate(text.splitlines(), 1)
            if MACHINE_PATH.search(line)
        ]
    assert not found, "\n".join(found)


def test_a_folder_of_a_machine_would_be_seen():
    paths = ["/".join(["", folder, "someone", "robots"]) for folder in ("home", "root", "work", "Users")]
    assert all(MACHINE_PATH.search(f"open('{path}')") for path in paths)
    assert not MACHINE_PATH.search("https://example.org/home/page and ./work/robots and package://root/link")
