"""The steps of Snorkel's tutorial on crowds: a function per worker, and some of text."""

POSITIVE = {"sunny", "warm", "lovely", "finally", "enjoy"}
NEGATIVE = {"storm", "cold", "flood", "hate", "snow"}


def run(crowd_labels, train, dev, **options):
    from snorkel.analysis import metric_score
    from snorkel.labeling import (
        LabelingFunction,
        LFAnalysis,
        PandasLFApplier,
        labeling_function,
    )
    from snorkel.labeling.model import LabelModel
    from snorkel.preprocess import preprocessor

    def worker_lf(x, worker_dict):
        return worker_dict.get(x.tweet_id, -1)

    lfs = []
    for worker, answers in crowd_labels.groupby("worker_id"):
        worker_dict = dict(zip(answers.index, answers.label, strict=True))
        resources = {"worker_dict": worker_dict}
        lfs.append(LabelingFunction(f"worker_{worker}", worker_lf, resources=resources))

    @preprocessor(memoize=True)
    def polarity(x):
        words = x.tweet_text.split()
        good, bad = (sum(w in of for w in words) for of in (POSITIVE, NEGATIVE))
        x.polarity = (good - bad) / len(words)
        return x

    @labeling_function(pre=[polarity])
    def polarity_positive(x):
        return 1 if x.polarity > 0.1 else -1

    @labeling_function(pre=[polarity])
    def polarity_negative(x):
        return 0 if x.polarity < -0.1 else -1

    @labeling_function(pre=[polarity])
    def polarity_negative_2(x):
        return 0 if x.polarity <= 0.1 else -1

    lfs = [polarity_positive, polarity_negative, polarity_negative_2, *lfs]
    applier = PandasLFApplier(lfs)
    L_train = applier.apply(train, progress_bar=False)
    L_dev = applier.apply(dev, progress_bar=False)
    Y_dev = dev.sentiment.values

    model = LabelModel(cardinality=2, verbose=False, **options)
    model.fit(L_train, n_epochs=100, seed=123, log_freq=20, l2=0.1, lr=0.01)
    preds_dev = model.predict(L_dev)
    return {
        "votes": L_train,
        "summary": LFAnalysis(L_dev, lfs).lf_summary(Y_dev),
        "coverage": LFAnalysis(L_train).label_coverage(),
        "labels": model.predict_proba(L_train),
        "predictions": model.predict(L_train),
        "weights": model.get_weights(),
        "label_accuracy": metric_score(Y_dev, preds_dev, probs=None, metric="accuracy"),
    }
