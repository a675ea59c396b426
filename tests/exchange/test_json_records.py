"""Files of records: what they may be written in, and what is no record."""

import json
from zipfile import ZipFile

import pytest
from tests.exchange.exports import doccano_members, lines

import corral
from corral.errors import StorageError

ROWS = [{"text": "schön", "label": ["a"]}, {"text": "é", "label": ["b"]}]


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_any_form_of_unicode(tmp_path, code):
    path = tmp_path / "all.json"
    path.write_text(json.dumps(ROWS, ensure_ascii=False), code)
    assert corral.read_annotations(path).texts == ["schön", "é"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no records"),
        (" \n", "holds no records"),
        ("[]", "holds no records"),
        ("null", "expected an object per example, found None"),
        ("[null]", "expected an object per example, found None"),
        ("[{}]", "its first record has no keys"),
        ('{"a": 1}', "its first record has the keys 'a'. Say"),
    ],
)
def test_what_is_no_record(tmp_path, text, said):
    path = tmp_path / "export.json"
    path.write_text(text)
    with pytest.raises(StorageError, match=said):
        corral.read_annotations(path)


def test_a_message_stays_short(tmp_path):
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"k" * 1000 + str(i): 0 for i in range(1000)}))
    with pytest.raises(StorageError, match="Of WRENCH, give the folder") as refused:
        corral.read_annotations(path)
    assert len(str(refused.value)) < 1000


def test_notes_of_an_operating_system_are_no_records(tmp_path):
    path, folder = tmp_path / "export.zip", tmp_path / "export"
    folder.mkdir()
    with ZipFile(path, "w") as archive:
        for name, rows in doccano_members().items():
            for member in (f"{name}.jsonl", f"__MACOSX/._{name}.jsonl"):
                hidden = member.startswith("__")
                archive.writestr(member, b"\0\xff" if hidden else lines(rows))
        archive.extractall(folder)
    (folder / "._alice.jsonl").write_bytes(b"\0\xff")
    names = tuple(sorted(doccano_members()))
    for place in (path, folder):
        assert tuple(sorted(corral.read_annotations(place).signals.names)) == names
