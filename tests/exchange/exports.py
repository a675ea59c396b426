"""The same answers as every tool exports them.

The shapes are those of the tools' documentation and sources: Label Studio's task format,
Argilla's ``Record.to_dict``, doccano's formatters.
"""

import json
from zipfile import ZipFile

TEXTS = ["great fun", "so dull", "not bad", "a waste\u2028of time", "see it 🎬", "hm"]
VOTES = {
    "alice": ["pos", "neg", "pos", "neg", "pos", None],
    "bob": ["pos", "neg", "neg", None, "pos", None],
    "carol": [None, "neg", "pos", "neg", "neg", None],
}
CLASSES = ["neg", "pos"]


def said_of(i):
    return [(who, said[i]) for who, said in VOTES.items() if said[i] is not None]


def choice(value, name="sentiment"):
    return {
        "id": "Dx_aB91ISN",
        "from_name": name,
        "to_name": "text",
        "type": "choices",
        "origin": "manual",
        "value": {"choices": [value]},
    }


def annotation(who, *results, **other):
    return {
        "id": 1001,
        "completed_by": who,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.288,
        "task": 1,
        **other,
    }


def label_studio_tasks():
    return [
        {
            "id": 10 + i,
            "data": {"text": text, "source": 3},
            "annotations": [annotation(who, choice(said)) for who, said in said_of(i)],
            "predictions": [],
            "meta": {},
            "project": 83,
        }
        for i, text in enumerate(TEXTS)
    ]


def argilla_records():
    return [
        {
            "id": f"r{i}",
            "fields": {"text": text},
            "metadata": {},
            "suggestions": {},
            "responses": {
                "sentiment": [{"value": v, "user_id": who} for who, v in said_of(i)]
            },
            "vectors": {},
            "_server_id": f"server-{i}",
        }
        for i, text in enumerate(TEXTS)
    ]


def doccano_members():
    return {
        who: [
            {"id": 500 + i, "text": text, "label": [said[i]] if said[i] else []}
            for i, text in enumerate(TEXTS)
        ]
        for who, said in VOTES.items()
    }


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def writer(name, rows):
    """A function that writes records into a folder: JSON lines, or one list."""

    def write(folder):
        path = folder / name
        path.write_text(json.dumps(rows) if path.suffix == ".json" else lines(rows))
        return path

    return write


def write_doccano(folder):
    path = folder / "export.zip"
    with ZipFile(path, "w") as archive:
        for who, rows in doccano_members().items():
            archive.writestr(f"{who}.jsonl", lines(rows))
    return path


def write_doccano_folder(folder):
    path = folder / "export"
    with ZipFile(write_doccano(folder)) as archive:
        archive.extractall(path)
    return path


EXPORTS = {
    "label-studio": writer("project-1-at-2021-03-09.json", label_studio_tasks()),
    "argilla": writer("records.json", argilla_records()),
    "doccano": write_doccano,
    "doccano folder": write_doccano_folder,
}
