"""``corral datasets``: what there is, what it needs, and where that is."""

import json

from corral import datasets


def test_all_are_listed(run, tmp_path):
    shown = run("datasets", "--folder", tmp_path).stdout
    assert f"folder: {tmp_path}" in shown
    for name in datasets.names():
        assert f"\n{name} " in shown
    found = json.loads(run("datasets", "--folder", tmp_path, "--json").stdout)
    status = {line["name"]: line["status"] for line in found["datasets"]}
    assert status["digits"] == "built in"
    assert status["imdb"] == "to download"
    assert status["crowd/dogs"] == "by hand"


def test_one_with_its_files(run, refused, tmp_path):
    place = tmp_path / "crowd" / "dogs"
    place.mkdir(parents=True)
    (place / "answers.csv").write_text("task,worker,label\n")
    shown = run("datasets", "crowd/dogs", "--folder", tmp_path).stdout
    assert f"there    {place / 'answers.csv'}" in shown
    assert f"missing  {place / 'truth.csv'}" in shown
    (place / "truth.csv").write_text("task,label\n")
    assert (
        "crowd/dogs: there"
        in run("datasets", "crowd/dogs", "--folder", tmp_path).stdout
    )
    line = refused("datasets", "crowd/dogs", "--fetch", "--folder", tmp_path)
    assert "is not the file that was expected" in line


def test_what_is_refused(refused):
    assert "Did you mean 'imdb'?" in refused("datasets", "imbd")
    assert "--fetch goes with the NAME" in refused("datasets", "--fetch")


def test_what_needs_no_file(run):
    assert "digits: built in" in run("datasets", "digits", "--fetch").stdout
