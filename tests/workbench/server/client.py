"""Made-up reviews, and a client that sends what it is told to."""

from __future__ import annotations

import csv
import http.client
import json
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

GOOD = ["great", "wonderful", "moving", "a delight", "well acted"]
BAD = ["awful", "boring", "a waste", "badly written", "dull"]
PLAIN = [
    "the film",
    "it runs for two hours",
    "we saw it on Friday",
    "the cast",
    "music",
]
HOSTILE = [
    "<script>document.title = 'taken'</script> great",
    "<img src=x onerror=\"document.title='taken'\"> awful",
    "gre\u200fat \u202ereversed\u202c great",
    "👨‍👩‍👧 great 🎬 emoji",
    "nul \x01 and bell \x07 great",
]


def write_reviews(path: Path, n: int = 400, extra: list[str] | None = None) -> Path:
    """Made-up reviews, with stars; `extra` comes first."""
    rng = Random(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "stars"])
        for text in extra or []:
            writer.writerow([text, 3])
        for _ in range(n):
            good = rng.random() < 0.5
            said = rng.sample(GOOD if good else BAD, 2) + rng.sample(PLAIN, 2)
            if rng.random() < 0.2:
                said.append(rng.choice(BAD if good else GOOD))
            rng.shuffle(said)
            stars = rng.randint(3, 5) if good else rng.randint(1, 3)
            writer.writerow([", ".join(said).capitalize() + ".", stars])
    return path


class Client:
    """Sends requests as they are given; by itself it adds nothing but the Host."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname, parts.port
        self.token = parts.query.partition("=")[2]
        self.origin = f"http://{self.host}:{self.port}"
        self.cookie = ""

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer."""
        connection = http.client.HTTPConnection(self.host or "", self.port, timeout=20)
        try:
            content = body if isinstance(body, bytes | type(None)) else json.dumps(body)
            chunked = (headers or {}).get("Transfer-Encoding") == "chunked"
            given = iter([content]) if chunked else content
            connection.request(
                method, path, given, headers or {}, encode_chunked=chunked
            )
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def enter(self) -> Client:
        """Turn the token into a cookie, as a browser does."""
        status, headers, _ = self.send("GET", f"/?token={self.token}")
        assert status == 303
        assert headers["location"] == "/"
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    @property
    def trusted(self) -> dict[str, str]:
        """The headers of the page's own requests."""
        return {
            "Cookie": self.cookie,
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
            "X-Corral": "workbench",
            "Content-Type": "application/json",
        }

    def get(self, path: str) -> Any:
        """What the page gets."""
        status, _, body = self.send("GET", path, None, {"Cookie": self.cookie})
        assert status == 200, body
        return json.loads(body)
