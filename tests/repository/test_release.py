"""What a release needs: one version, a dated changelog, links that hold on PyPI, and forms that can be read."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import rbdkit

ADDRESS = "https://forge.example/somebody/rbdkit"


@pytest.fixture(scope="module")
def release(root) -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", root / ".ci" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def test_the_citation_is_that_of_this_version(root):
    about = read(root / "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(about)  # what the format demands
    assert about["version"] == rbdkit.__version__
    assert about["license"] == ["BSD-3-Clause", "MIT"]


def test_the_changelog_begins_with_this_version(root):
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    (newest, *_) = re.findall(r"^## \[(.+?)\] - (unreleased|\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert newest[0] == rbdkit.__version__


def prepared(folder: Path, version: str, heading: str) -> Path:
    (folder / "rbdkit").mkdir()
    (folder / "rbdkit" / "__init__.py").write_text(f'"""Doc."""\n\n__version__ = "{version}"\n')
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    return folder


def test_a_dated_version_is_released_under_its_tag(release, tmp_path):
    release.check("v1.2.3", prepared(tmp_path, "1.2.3", "## [1.2.3] - 2027-01-31"))


@pytest.mark.parametrize(
    ("tag", "heading", "said"),
    [
        ("v1.2.4", "## [1.2.3] - 2027-01-31", r"the tag is 'v1\.2\.4', but rbdkit.__version__ is '1\.2\.3'"),
        ("1.2.3", "## [1.2.3] - 2027-01-31", "tag it 'v1.2.3'"),
        ("v1.2.3", "## [1.2.3] - unreleased", "has no date for 1.2.3"),
        ("v1.2.3", "## [1x2.3] - 2027-01-31", "has no date for 1.2.3"),
    ],
)
def test_another_tag_or_an_unreleased_version_is_refused(release, tmp_path, tag, heading, said):
    with pytest.raises(SystemExit, match=said):
        release.check(tag, prepared(tmp_path, "1.2.3", heading))


def test_links_of_the_readme_hold_without_the_repository_beside_it(release, root):
    before = (root / "README.md").read_text(encoding="utf-8")
    after = release.absolute(before, ADDRESS, "v1.2.3")
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", after)
    assert len(targets) == len(re.findall(r"\]\(", before))
    for picture, target in targets:
        assert target.startswith("https://")
        if target.startswith(ADDRESS):
            kind, tag, path = target.removeprefix(f"{ADDRESS}/").split("/", 2)
            assert (kind, tag) == ("raw" if picture else "blob", "v1.2.3")
            assert (root / path).exists()
    assert re.sub(rf"{ADDRESS}/(raw|blob)/v1\.2\.3/", "", after) == before, "nothing but links changes"


def test_links_to_elsewhere_and_within_the_page_stay(release):
    text = "[a](https://a.example/b) [c](#d) [e](mailto:f@g.example)"
    assert release.absolute(text, ADDRESS, "v1") == text


def test_nobody_can_publish_but_the_job_that_does(root):
    """Only that one gets a token, after the tests, and it runs nothing from the repository."""
    flow = read(root / ".github" / "workflows" / "release.yml")
    assert flow[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as true
    assert flow["permissions"] == {"contents": "read"}
    jobs = flow["jobs"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert jobs["tests"]["uses"] == "./.github/workflows/tests.yml"
    assert "workflow_call" in read(root / jobs["tests"]["uses"])[True]
    assert set(jobs["publish"]["needs"]) == {"tests", "build"}
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert "python -m twine check --strict dist/*/*" in commands
    places = [step["with"]["packages-dir"] for step in jobs["publish"]["steps"] if "packages-dir" in step["with"]]
    assert places == [re.search(r"--outdir (\S+)", command)[1] for command in commands if "-m build" in command]


def test_forms_of_issues_can_be_read(root):
    forms = {file.stem: read(file) for file in (root / ".github" / "ISSUE_TEMPLATE").glob("*.yml")}
    assert set(forms) == {"config", "bug", "wrong_number", "teaching"}
    del forms["config"]
    for form in forms.values():
        assert {"name", "description", "body"} <= set(form)
        fields = form["body"]
        assert len({field["id"] for field in fields}) == len(fields)
        assert all(field["type"] in {"input", "textarea", "dropdown"} for field in fields)
        assert all(field["attributes"]["label"] for field in fields)


def test_the_line_that_forms_ask_for_prints_version_and_back_end(root):
    lines = set()
    for form in ("bug", "wrong_number"):
        (field,) = (
            each for each in read(root / f".github/ISSUE_TEMPLATE/{form}.yml")["body"] if each["id"] == "versions"
        )
        lines.add(re.search(r'`python -c "(.+?)"`', field["attributes"]["description"])[1])
    (line,) = lines
    printed = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.split()
    assert printed[0] == rbdkit.__version__
    assert printed[1] in {"llvm", "python", "checked"}


def test_actions_are_kept_new(root):
    (update,) = read(root / ".github" / "dependabot.yml")["updates"]
    assert (update["package-ecosystem"], update["directory"]) == ("github-actions", "/")
