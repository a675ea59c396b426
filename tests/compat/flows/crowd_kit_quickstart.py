"""The steps of Crowd-Kit's quickstart: read answers, aggregate them."""


def run(path, n_iter=100):
    import pandas as pd
    from crowdkit.aggregation import DawidSkene, MajorityVote, OneCoinDawidSkene

    df = pd.read_csv(path)  # should contain columns: task, worker, label
    aggregators = {
        "majority vote": MajorityVote(),
        "Dawid-Skene": DawidSkene(n_iter=n_iter),
        "one coin": OneCoinDawidSkene(n_iter=n_iter),
    }
    return {
        name: (aggregator.fit_predict(df), aggregator)
        for name, aggregator in aggregators.items()
    }
