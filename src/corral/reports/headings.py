"""What the sections of a report are called, in their order."""

HEADINGS = {
    "summary": "Summary",
    "signals": "Signals",
    "agreement": "Agreement and conflict",
    "labels": "Labels",
    "constraints": "Constraints",
    "advice": "What to do next",
    "rows": "Rows worth reading",
    "methods": "Methods compared",
    "provenance": "Provenance",
}
