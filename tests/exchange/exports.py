"""The same answers as every tool exports them.

The shapes are those of the tools' documentation and sources: Label Studio's task format,
Argilla's ``Record.to_dict``, doccano's formatters, Prodigy's ``db-out``, WRENCH's readme.
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
        "created_at": "2021-03-09T22:16:08.728353Z",
        "updated_at": "2021-03-09T22:16:08.728378Z",
        "lead_time": 4.288,
        "result_count": 1,
        "task": 1,
        **other,
    }


def label_studio_tasks():
    return [
        {
            "id": 10 + i,
            "data": {"text": text, "source": 3},
            "annotations": [
                annotation(who, choice(said[i]))
                for who, said in VOTES.items()
                if said[i] is not None
            ],
            "predictions": [],
            "drafts": [],
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
                "sentiment": [
                    {"value": said[i], "user_id": who}
                    for who, said in VOTES.items()
                    if said[i] is not None
                ]
            },
            "vectors": {},
            "_server_id": f"server-{i}",
        }
        for i, text in enumerate(TEXTS)
    ]


def flat_argilla_records():
    flat = []
    for record in argilla_records():
        answers = record["responses"]["sentiment"]
        key = "sentiment.responses"
        flat.append(
            {
                "id": record["id"],
                "status": "completed",
                "_server_id": record["_server_id"],
                "text": record["fields"]["text"],
                key: [a["value"] for a in answers] or None,
                f"{key}.users": [a["user_id"] for a in answers] or None,
                f"{key}.status": ["submitted"] * len(answers) or None,
            }
        )
    return flat


def doccano_members():
    return {
        who: [
            {
                "id": 500 + i,
                "text": text,
                "label": [] if said[i] is None else [said[i]],
                "Comments": [],
            }
            for i, text in enumerate(TEXTS)
        ]
        for who, said in VOTES.items()
    }


def prodigy_answers():
    return [
        {
            "text": text,
            "meta": {"source": "web"},
            "_input_hash": -1530009927 + i,
            "_task_hash": 2003036685 + i,
            "options": [{"id": c, "text": c} for c in CLASSES],
            "_view_id": "choice",
            "config": {"choice_style": "single"},
            "accept": [] if said[i] is None else [said[i]],
            "answer": "ignore" if said[i] is None else "accept",
            "_timestamp": 1700000000,
            "_annotator_id": who,
            "_session_id": who,
        }
        for who, said in VOTES.items()
        for i, text in enumerate(TEXTS)
    ]


def wrench_entries():
    code = {"neg": 0, "pos": 1, None: -1}
    return {
        str(i): {
            "label": -1,
            "weak_labels": [code[said[i]] for said in VOTES.values()],
            "data": {"text": text},
        }
        for i, text in enumerate(TEXTS)
    }


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_label_studio(folder):
    path = folder / "project-1-at-2021-03-09.json"
    path.write_text(json.dumps(label_studio_tasks()))
    return path


def write_argilla(folder):
    path = folder / "records.json"
    path.write_text(json.dumps(argilla_records()))
    return path


def write_flat_argilla(folder):
    path = folder / "flat.jsonl"
    path.write_text(lines(flat_argilla_records()))
    return path


def write_doccano(folder):
    path = folder / "export.zip"
    with ZipFile(path, "w") as archive:
        for who, rows in doccano_members().items():
            archive.writestr(f"{who}.jsonl", lines(rows))
    return path


def write_doccano_folder(folder):
    path = folder / "export"
    path.mkdir()
    for who, rows in doccano_members().items():
        (path / f"{who}.jsonl").write_text(lines(rows))
    return path


def write_prodigy(folder):
    path = folder / "annotations.jsonl"
    path.write_text(lines(prodigy_answers()))
    return path


def write_wrench(folder):
    path = folder / "task"
    path.mkdir()
    (path / "label.json").write_text(json.dumps({"0": "neg", "1": "pos"}))
    (path / "train.json").write_text(json.dumps(wrench_entries()))
    return path


EXPORTS = {
    "label-studio": write_label_studio,
    "argilla": write_argilla,
    "flat argilla": write_flat_argilla,
    "doccano": write_doccano,
    "doccano folder": write_doccano_folder,
    "prodigy": write_prodigy,
    "wrench": write_wrench,
}
