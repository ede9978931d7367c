import pytest

from rbdkit.library import robot_file, robot_files, robots

pytestmark = pytest.mark.robots


@pytest.mark.parametrize("name", ["ur5_robot", "panda", "talos_reduced", "anymal"])
def test_robots_are_found_by_the_name_of_their_file(name):
    file = robot_file(name)
    assert file.name == f"{name}.urdf"
    assert "<robot" in file.read_text(encoding="utf-8")


def test_there_are_dozens_by_name():
    files = robot_files()
    assert len(files) > 50
    assert all(path.stem == name.split("/")[-1] for name, path in files.items())
    assert len(set(files.values())) == len(files)
    assert files["anymal"] != files["anymal_c_simple_description/anymal"]  # two files of one name are both to be had


def test_an_unknown_robot_suggests_one():
    with pytest.raises(LookupError, match=r"no robot 'pandas' among the \d+ of example-robot-data; did you mean"):
        robot_file("pandas")


def test_without_the_package_it_says_what_to_install(monkeypatch):
    def missing(name):
        raise robots.PackageNotFoundError(name)

    monkeypatch.setattr(robots, "distribution", missing)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "rbdkit\[robots\]", or load a URDF of your own'):
        robot_file("panda")
