"""``corral datasets``: what there is."""

import json

from corral import datasets


def test_all_are_listed(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CORRAL_DATA", str(tmp_path))
    place = tmp_path / "wrench" / "youtube"
    place.mkdir(parents=True)
    (place / "label.json").write_text("{}")
    shown = run("datasets").stdout
    assert f"folder: {tmp_path}" in shown
    for name in datasets.names(tmp_path):
        assert f"\n{name} " in shown
    found = json.loads(run("datasets", "--json").stdout)
    assert found["datasets"] == {
        "breast_cancer": "built in",
        "trec": "to download",
        "wrench/youtube": "there",
    }
