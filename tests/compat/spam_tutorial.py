"""The steps of Snorkel's tutorial on spam: functions, label model, classifier.

spaCy and TextBlob, which it also uses, are replaced by a list of words.
"""

import re

ABSTAIN, HAM, SPAM = -1, 0, 1
KIND = {"love", "best", "great", "amazing", "beautiful", "nice", "awesome", "good"}


def run(train, dev, test, **options):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from snorkel.analysis import get_label_buckets, metric_score
    from snorkel.labeling import (
        LabelingFunction,
        LFAnalysis,
        PandasLFApplier,
        filter_unlabeled_dataframe,
        labeling_function,
    )
    from snorkel.labeling.model import LabelModel, MajorityLabelVoter
    from snorkel.preprocess import preprocessor
    from snorkel.utils import preds_to_probs, probs_to_preds

    @labeling_function()
    def check_out(x):
        return SPAM if re.search(r"check.*out", x.text, flags=re.I) else ABSTAIN

    @labeling_function()
    def short_comment(x):
        return HAM if len(x.text.split()) < 5 else ABSTAIN

    @preprocessor(memoize=True)
    def mood(x):
        words = re.findall(r"[a-z]+", x.text.lower())
        x.kindness = sum(word in KIND for word in words) / (len(words) or 1)
        return x

    @labeling_function(pre=[mood])
    def very_kind(x):
        return HAM if x.kindness > 0.2 else ABSTAIN

    @labeling_function(name="kind", pre=[mood])
    def is_kind(x):
        return HAM if x.kindness > 0 else ABSTAIN

    def has_word(x, words, label):
        return label if any(w in x.text.lower() for w in words) else ABSTAIN

    def keyword_lf(words, label=SPAM):
        resources = {"words": words, "label": label}
        return LabelingFunction(f"keyword_{words[0]}", f=has_word, resources=resources)

    lfs = [
        keyword_lf(["my"]),
        keyword_lf(["subscribe"]),
        keyword_lf(["http"]),
        keyword_lf(["please", "plz"]),
        keyword_lf(["song"], HAM),
        check_out,
        short_comment,
        very_kind,
        is_kind,
    ]
    applier = PandasLFApplier(lfs=lfs)
    L_train, L_dev, L_test = (
        applier.apply(df=df, progress_bar=False) for df in (train, dev, test)
    )
    Y_dev, Y_test = dev.label.values, test.label.values

    majority = MajorityLabelVoter()
    model = LabelModel(cardinality=2, verbose=False, **options)
    model.fit(L_train=L_train, n_epochs=500, log_freq=100, seed=123)
    probs_train = model.predict_proba(L=L_train)
    kept, probs_kept = filter_unlabeled_dataframe(X=train, y=probs_train, L=L_train)
    preds_kept = probs_to_preds(probs=probs_kept)

    vectorizer = CountVectorizer(ngram_range=(1, 5))
    X_train = vectorizer.fit_transform(kept.text.tolist())
    X_test = vectorizer.transform(test.text.tolist())
    classifier = LogisticRegression(C=1e3, solver="liblinear").fit(X_train, preds_kept)
    preds_test = classifier.predict(X_test)

    def accuracy(model):
        return model.score(L=L_test, Y=Y_test, tie_break_policy="random")["accuracy"]

    voted_dev = majority.predict_proba(L=L_dev) >= 0.5
    return {
        "votes": L_train,
        "summary": LFAnalysis(L=L_dev, lfs=lfs).lf_summary(Y=Y_dev),
        "coverage": LFAnalysis(L=L_train).label_coverage(),
        "buckets": get_label_buckets(Y_dev, voted_dev[:, 1]),
        "majority": majority.predict(L=L_train),
        "majority_accuracy": accuracy(majority),
        "labels": probs_train,
        "weights": model.get_weights(),
        "label_accuracy": accuracy(model),
        "kept": kept,
        "one_hot": preds_to_probs(Y_test, 2),
        "classifier_accuracy": metric_score(
            golds=Y_test, preds=preds_test, metric="accuracy"
        ),
    }
