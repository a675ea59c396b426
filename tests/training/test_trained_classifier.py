"""`corral.train`: predictions, honest accuracy, files."""

import csv

import duckdb
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import corral
from corral.errors import ParameterError, SignalsError, SignalsWarning, StorageError

WORDS = {"pos": ["great", "lovely", "fine"], "neg": ["awful", "boring", "dull"]}


@pytest.fixture(scope="module")
def reviews():
    """Texts, their votes by three keyword rules, and their true classes."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["neg", "pos"], 400)
    texts = [
        " ".join([*rng.choice(WORDS[t], 2), *rng.choice(["film", "plot", "cast"], 3)])
        for t in truth
    ]
    votes = [
        ["pos" if "great" in x else None, "neg" if "awful" in x else None,
         "neg" if x.endswith("plot") else None]
        for x in texts
    ]  # fmt: skip
    signals = corral.WeakSignals.from_votes(votes, names=["great", "awful", "plot"])
    return texts, signals, truth


@pytest.fixture(scope="module")
def trained(reviews):
    texts, signals, truth = reviews
    gold = [t if j < 60 else None for j, t in enumerate(truth)]
    labeler = corral.ConstrainedLabeler().fit(signals, gold=gold)
    return corral.train(labeler, texts, gold=gold, votes=signals)


def test_predicts_rows_without_any_vote(reviews, trained):
    texts, signals, truth = reviews
    silent = ~signals.covered
    assert silent.sum() > 20
    found = trained.predict([x for x, one in zip(texts, silent, strict=True) if one])
    assert np.mean(found == truth[silent]) > 0.9


def test_what_true_labels_do_not_measure_is_said(reviews, trained):
    texts, signals, truth = reviews
    assert not trained.unmeasured
    gold = np.where(signals.covered, truth, None)
    labeler = corral.ConstrainedLabeler().fit(signals, gold=gold)
    found = corral.train(labeler, texts, gold=gold, votes=signals)
    assert found.unmeasured == np.mean(~signals.covered)
    assert "of the rows with a vote" in str(found)


def test_true_labels_are_predicted_before_they_are_trained_on(reviews):
    texts, _, _ = reviews
    rng = np.random.default_rng(1)
    coin = rng.choice(["neg", "pos"], len(texts)).tolist()  # texts say nothing of it
    soft = np.full((len(texts), 2), np.nan)
    found = corral.train(soft, texts, gold=coin, classes=["neg", "pos"])
    assert abs(found.accuracy - 0.5) < 0.1
    assert found.interval[0] < 0.5 < found.interval[1]


def test_says_which_signal_is_contradicted_and_which_rows_to_read(trained):
    assert trained.contradicted["signal"][0] == "plot"
    assert trained.contradicted["contradicted"][0] > 0.25
    pairs = zip(trained.to_read["label"], trained.to_read["predicted"], strict=True)
    assert all(label != predicted for label, predicted in pairs)
    known = [row <= 60 for row in trained.to_read["row"]]
    assert trained.to_read["true"] == known


def test_without_true_labels_claims_nothing(reviews):
    texts, signals, _ = reviews
    found = corral.train(corral.ConstrainedLabeler().fit(signals), texts)
    assert (found.accuracy, found.interval) == (None, None)
    assert found.rows == signals.covered.sum()


def test_a_saved_classifier_predicts_the_same(reviews, trained, tmp_path):
    texts, _, _ = reviews
    trained.save(tmp_path / "a.corral")
    loaded = corral.TrainedClassifier.load(tmp_path / "a.corral")
    np.testing.assert_array_equal(
        loaded.predict_proba(texts), trained.predict_proba(texts)
    )
    assert loaded.predict(texts).tolist() == trained.predict(texts).tolist()
    assert str(loaded) == str(trained)


def test_numbers_and_any_classifier(reviews, tmp_path):
    texts, signals, _ = reviews
    labeler = corral.ConstrainedLabeler().fit(signals)
    counts = CountVectorizer().fit_transform(texts)
    by_numbers = corral.train(labeler, counts, classifier=MultinomialNB())
    pipe = make_pipeline(CountVectorizer(), MultinomialNB())
    by_texts = corral.train(labeler, texts, classifier=pipe)
    assert by_numbers.predict(counts).tolist() == by_texts.predict(texts).tolist()
    with pytest.raises(StorageError, match="joblib"):
        by_texts.save(tmp_path / "a.corral")


@pytest.fixture(scope="module", params=["words", "numbers"])
def table(request, reviews, tmp_path_factory):
    """A file of labels, classes by name or by number, and what `train` says of it."""
    texts, _, truth = reviews
    number = {"neg": 0, "pos": 1}
    said = str if request.param == "words" else lambda name: number.get(name, "")
    folder = tmp_path_factory.mktemp("labels")
    with (folder / "votes.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(
            ["id", "text", "great", "awful", "plot", "human", "hand_label_row"]
        )
        for j, (x, t) in enumerate(zip(texts, truth, strict=True)):
            votes = ["pos" * ("great" in x), "neg" * ("awful" in x)]
            votes += ["neg" * x.endswith("plot"), t if j < 60 else ""]
            rows.writerow([f"n{j}", x, *map(said, votes), "random" * (j < 60)])
    labels = folder / "labels.csv"
    aside = "id,text,hand_label_row"
    corral.label(folder / "votes.csv", id=aside, gold="human", output=labels)
    return labels, corral.train(labels, gold="human"), said


def test_a_file_is_trained_on_as_its_parts_are(table, trained, tmp_path):
    labels, found, said = table
    assert (found.text, found.true_labels) == ("text", 60)
    assert found.interval == trained.interval
    assert found.contradicted == trained.contradicted
    assert found.to_read["row"] == trained.to_read["row"]
    output = tmp_path / "predicted.parquet"
    counts = found.predict_file(labels, output, prefix="c_")
    rows = duckdb.sql(f"SELECT c_label, c_confidence FROM '{output}'").fetchall()
    assert len(rows) == sum(counts.values()) == 400
    assert {label for label, _ in rows} == {said("neg"), said("pos")}
    with pytest.raises(ParameterError, match="prefix"):
        found.predict_file(labels, tmp_path / "other.csv")


def test_a_file_with_nothing_but_texts_and_labels(table, tmp_path):
    labels, _, _ = table
    bare = tmp_path / "bare.csv"
    duckdb.sql(f"SELECT id, text AS body, COLUMNS('p_.*') FROM '{labels}'").write_csv(
        str(bare)
    )
    with pytest.warns(SignalsWarning, match="signals="):
        found = corral.train(bare, text="body")
    assert (found.contradicted, found.rows, found.text) == ({}, 400, "body")
    for wrong in ({"text": "none"}, {"text": "body", "signals": "none"}):
        with pytest.raises((ParameterError, SignalsError), match="no column"):
            corral.train(bare, **wrong)
    with pytest.raises(ParameterError, match="p_CLASS"):
        corral.train(labels.with_name("votes.csv"))


def test_labels_know_their_classes(reviews):
    """Labelers and frames: 0 and 1 were predicted where classes have names."""
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    texts, signals, _ = reviews
    labeler = corral.ConstrainedLabeler().fit(signals)
    columns = {f"p_{c}": p for c, p in zip("ab", labeler.labels_.T, strict=True)}
    frame = pandas.DataFrame({"x": texts, **columns, "covered": labeler.covered_})
    counts = CountVectorizer().fit_transform(texts)
    of_labeler = corral.SoftLabelClassifier().fit(counts, labeler)
    of_frame = corral.SoftLabelClassifier().fit(counts, frame)
    assert of_labeler.classes_.tolist() == ["neg", "pos"]
    assert of_frame.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(
        of_frame.predict_proba(counts), of_labeler.predict_proba(counts)
    )
    written = frame.assign(covered=frame["covered"].map({True: "true", False: "false"}))
    for table in (frame, written):
        found = corral.train(table, texts)
        assert set(found.predict(texts)) == {"a", "b"}
        assert found.rows == labeler.covered_.sum()
    with pytest.raises(ParameterError, match="only column"):
        corral.SoftLabelClassifier().fit(counts, frame[["p_b"]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"labels": [0.2, 0.8]},
        {"labels": [[0.2, 0.8]] * 3},
        {"examples": [""] * 20},
        {"gold": ["maybe"] * 20},
        {"votes": [["x"], ["y"]] * 10},
        {"examples": None},
    ],
    ids=str,
)
def test_refusals(wrong):
    given = {
        "labels": [[0.9, 0.1], [0.2, 0.8]] * 10,
        "examples": ["good one", "bad one"] * 10,
        "classes": ["a", "b"],
    }
    with pytest.raises(ParameterError):
        corral.train(**{**given, **wrong})
