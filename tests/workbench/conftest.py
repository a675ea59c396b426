"""Small data for the workbench, and a way to act on it."""

import csv

import pytest

from corral.workbench import Workbench

REVIEWS = [
    ("A great film, really great", 9),
    ("Great cast, bad plot", 4),
    ("bad. just bad", 1),
    ("Not greatness, but good", 7),
    ("awful and boring", 2),
    ("I loved it: a wonderful film", 10),
    ("boring", 3),
    ("nothing to say", None),
    ("wonderful but awful", 5),
    ("", 6),
]


class Hands:
    """A workbench, and acts on it without their versions."""

    def __init__(self, path, **options):
        self.path, self.options = path, options
        self.bench = Workbench.open(path, text="text", **options)

    def act(self, what, **action):
        version = self.bench._snapshot.project.version
        return self.bench.act({"what": what, **action}, version)

    def words(self, class_, *words, **more):
        rule = {"kind": "words", "class": class_, "words": list(words), **more}
        return self.act("add_rule", rule=rule)

    def reopen(self, **options):
        self.bench.close()
        self.bench = Workbench.open(self.path, text="text", **(self.options | options))
        return self.bench


@pytest.fixture
def reviews(tmp_path):
    """A CSV file of ten reviews with stars."""
    path = tmp_path / "reviews.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "stars"])
        writer.writerows(REVIEWS)
    return path


@pytest.fixture
def open_hands():
    """Opens workbenches, and closes them in the end."""
    made = []

    def open_(path, **options):
        made.append(Hands(path, **options))
        return made[-1]

    yield open_
    for hands in made:
        hands.bench.close()


@pytest.fixture
def hands(reviews, open_hands):
    """The workbench of `reviews`, with two classes and no rules."""
    return open_hands(reviews, classes=("neg", "pos"))
