"""``python docs/report_picture.py``: the picture of a report in docs/images.

Messages to a shop, made up from the phrases below, and nine keyword rules that vote on what
they are about. Needs playwright and the system's Chromium.
"""

import sys
from itertools import chain
from pathlib import Path

import numpy as np

import corral

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))
WIDTH, HEIGHT = 1180, 1180

GREETINGS = ["Hi,", "Hello there,", "Dear team,", "Good morning.", "", "", "Hey!"]
ENDINGS = ["Thanks!", "Please help.", "Kind regards", "Can you look into it?", "", ""]
PHRASES = {
    "delivery": [
        "my parcel has not arrived yet",
        "the courier left the box at the wrong address",
        "tracking has said 'in transit' for nine days",
        "when will order {n} be shipped?",
        "half of my order is missing from the box",
        "nobody rang the bell and the parcel went back",
    ],
    "refund": [
        "I would like my money back for order {n}",
        "the jacket does not fit, how do I return it?",
        "you charged my card twice",
        "the lamp came broken, I want a refund",
        "I sent the shoes back weeks ago and got no money",
        "please cancel order {n} before it is shipped",
    ],
    "account": [
        "I cannot log in since yesterday",
        "how do I change the address in my account?",
        "the password link does not work",
        "please delete my account and all data",
        "my card is not accepted in the settings",
        "I get your mails twice, remove one address",
    ],
}
RULES = {
    "says_parcel": (("parcel", "courier"), "delivery"),
    "says_order": (("order",), "delivery"),
    "says_shipped": (("shipped", "transit", "tracking"), "delivery"),
    "says_box": (("box", "missing"), "delivery"),
    "says_money": (("money", "refund", "charged"), "refund"),
    "says_back": (("back", "return"), "refund"),
    "says_card": (("card",), "refund"),
    "says_address": (("address",), "account"),
    "says_login": (("log in", "password", "account", "settings"), "account"),
}


def make_messages(n: int = 1800) -> tuple[list[str], list[str]]:
    """Messages, and what they are about; one sentence in four is about anything."""
    rng = np.random.default_rng(0)
    everything = list(chain(*PHRASES.values()))
    texts, truth = [], []
    for about in rng.choice(list(PHRASES), n, p=[0.5, 0.3, 0.2]).tolist():
        parts = [
            rng.choice(everything if rng.random() < 1 / 4 else PHRASES[about])
            for _ in range(rng.integers(1, 4))
        ]
        said = ". ".join(part[0].upper() + part[1:] for part in parts) + "."
        text = f"{rng.choice(GREETINGS)} {said} {rng.choice(ENDINGS)}".strip()
        texts.append(text.replace("{n}", str(rng.integers(1000, 3999))))
        truth.append(about)
    return texts, truth


def make_report() -> corral.LabelReport:
    """The report on these messages."""
    texts, truth = make_messages()
    votes = [
        [
            says if any(word in text.lower() for word in words) else None
            for words, says in RULES.values()
        ]
        for text in texts
    ]
    signals = corral.WeakSignals.from_votes(votes, names=list(RULES))
    return corral.report(signals, gold=truth, text=texts, title="Messages to a shop")


def main() -> None:
    """Write the picture."""
    from playwright.sync_api import sync_playwright
    from tests.browser import FLAGS, find_chromium

    page_file = DOCS / "_build" / "report.html"
    page_file.parent.mkdir(exist_ok=True)
    make_report().write(page_file, overwrite=True)
    picture = DOCS / "images" / "report.png"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(page_file.resolve().as_uri())
        page.screenshot(path=picture)
        browser.close()
    print(f"wrote {picture}, {picture.stat().st_size / 1000:.0f} KB")  # noqa: T201


if __name__ == "__main__":
    main()
