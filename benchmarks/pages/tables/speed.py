"""Tables of speed, with the accuracy of the labels in the same row."""

from __future__ import annotations

from benchmarks.pages.markdown import lay_out
from benchmarks.pages.stored import stored

PEERS = {
    "MeTaL": "Snorkel LabelModel",
    "DawidSkene": "Crowd-Kit DawidSkene",
    "OneCoinDawidSkene": "Crowd-Kit OneCoinDawidSkene",
}


def labelers() -> str:
    """Labelers of corral beside the same of other libraries."""
    found = stored("labelers")
    rows = []
    for name, seconds in found["seconds"].items():
        equal = found["labels equal"].get(name)
        rows.append(
            [
                name,
                f"{seconds:.2f}",
                f"{found['accuracy'][name]:.4f}",
                f"{found.get('settings', {}).get(name, '')}",
                f"{found['times as fast'][name]:.0f} ({PEERS[name]})"
                if name in found["times as fast"]
                else "",
                "" if equal is None else f"{100 * equal:.4g}%",
            ]
        )
    headings = ["", "seconds", "accuracy", "settings", "times as fast as"]
    return lay_out([*headings, "labels equal"], rows)


def starts() -> str:
    """Accuracy of Adagrad's starts as examples grow."""
    columns = ("one random start", "expected", "expected, scale_free")
    rows = [
        [f"{row['n']:,}", *(f"{row[c]:.3f}" for c in columns)]
        for row in stored("foundation")["accuracy"]
    ]
    headings = ["examples", "one random start", "expected starts"]
    return lay_out([*headings, "expected, `scale_free`"], rows)


def reports() -> str:
    """Reports on few rows, on many signals and on a long file."""
    rows = [
        [
            f"{case['rows']:,}",
            f"{case['signals']:,}",
            "a Parquet file" if name == "long" else "memory",
            f"{case['seconds']:.0f} s",
            f"{case['load']:.1f}",
            f"{case['page_bytes'] / 1000:.0f} KB",
            f"{case['rows_fetched'] if name == 'long' else case['rows_shown']:,}",
            f"{case['peak_bytes'] / 1e6:,.0f} MB",
        ]
        for name, case in stored("report")["cases"].items()
    ]
    headings = ["rows", "signals", "in", "report", "load of the machine", "page"]
    return lay_out([*headings, "rows shown", "peak memory"], rows)


TABLES = {"labelers": labelers, "adagrad starts": starts, "reports": reports}
