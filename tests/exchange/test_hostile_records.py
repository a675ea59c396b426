"""Records in which anything may stand anywhere: read, or refused in one line."""

import json
import random

import pytest
from tests.exchange.exports import (
    argilla_records,
    doccano_members,
    flat_argilla_records,
    label_studio_tasks,
    prodigy_answers,
    wrench_entries,
)

import corral
from corral.errors import CorralError

RECORDS = {
    "label-studio": label_studio_tasks(),
    "argilla": argilla_records(),
    "argilla, flat": flat_argilla_records(),
    "doccano": doccano_members()["alice"],
    "prodigy": prodigy_answers(),
    "wrench": wrench_entries(),
}
ODD = [
    *("null", "true", "0", "-1", "1e300", "1" + "0" * 30, '""', '"pos"', '"a\\nb"'),
    *('"\\ud800"', "[]", "{}", "[[]]", "[null]", '["neg"]', '["neg", "pos"]'),
    *('{"id": 1}', '{"value": {}}', "[{}]", '[[0, 1, "x"]]'),
]


def places(value, path=()):
    """The paths to all that a value holds."""
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value) if isinstance(value, list) else inner:
        yield from places(each, (*path, key))


def put(value, path, new):
    if not path:
        return new
    key, *rest = path
    value[key] = put(value[key], rest, new)
    return value


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("seed", range(30))
def test_any_record_is_read_or_refused(tmp_path, name, seed):
    draw = random.Random(seed)
    records = json.loads(json.dumps(RECORDS[name]))
    for _ in range(draw.randint(1, 3)):
        path = draw.choice(list(places(records)))
        records = put(records, path, json.loads(draw.choice(ODD)))
    tool = name.split(",")[0]
    source = target = tmp_path / "export.json"
    if tool == "wrench":
        source, target = tmp_path, tmp_path / "train.json"
        (tmp_path / "label.json").write_text('{"0": "neg", "1": "pos"}')
    target.write_text(json.dumps(records))
    refused = None
    try:
        found = corral.read_annotations(source, tool)
        if tool != "wrench":
            labeler = corral.MajorityVote().fit(found.signals)
            out = corral.write_annotations(tmp_path / "out.json", found, labeler)
            assert len(json.loads(out.read_text())) == len(found)
    except CorralError as error:
        refused = error
    assert "\n" not in str(refused)
