"""Downloads from a server on this machine: whole, cut off, wrong, interrupted, offline."""

import hashlib
import signal
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from corral import datasets
from corral.datasets.catalogue import CATALOGUE, Source, registry
from corral.datasets.data_files import File, download, sha256_of
from corral.datasets.readers import read_sst2
from corral.datasets.readers.reader_tools import POLARITY
from corral.errors import StorageError

CONTENT = b"label,sentence\n" + b"1,fine\n0,dull\n" * 100_000
HASH = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves /whole; half as /cut; half, and then nothing for long, as /slow."""

    def do_GET(self):
        self.server.asked += 1
        known = self.path in ("/whole.csv", "/cut.csv", "/slow.csv")
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(CONTENT) if known else 0))
        self.end_headers()
        if known:
            whole = self.path == "/whole.csv"
            self.wfile.write(CONTENT if whole else CONTENT[: len(CONTENT) // 2])
            self.wfile.flush()
        if self.path == "/slow.csv":
            self.server.halfway.set()
            self.server.over.wait(60)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked = 0
    server.halfway, server.over = threading.Event(), threading.Event()
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def offer(monkeypatch, tmp_path):
    """Publish a file under a URL as the data set "small"."""
    monkeypatch.setenv("CORRAL_DATA", str(tmp_path))

    def publish(url, sha256=HASH):
        monkeypatch.setitem(registry(), "small/a.csv", File("small/a.csv", sha256, url))
        monkeypatch.setitem(
            CATALOGUE,
            "small",
            (Source("small", "home", ("small/a.csv",), read_sst2, POLARITY),),
        )
        return tmp_path / "small" / "a.csv"

    return publish


def leftovers(path):
    return sorted(p.name for p in path.parent.glob("*"))


def test_what_is_not_there_is_downloaded_once(server, offer):
    path = offer(f"{server.address}/whole.csv")
    assert len(datasets.load("small").train) == 200_000
    assert datasets.fetch("small") == (path,)
    assert sha256_of(path) == HASH
    assert leftovers(path) == ["a.csv"]
    assert server.asked == 1


def test_a_download_that_is_cut_off_leaves_nothing_and_starts_again(server, offer):
    path = offer(f"{server.address}/cut.csv")
    with pytest.raises(StorageError, match=r"(?s)cannot download .*cut.csv.*a\.csv"):
        datasets.load("small")
    assert leftovers(path) == []
    offer(f"{server.address}/whole.csv")
    assert len(datasets.load("small").train) == 200_000


def test_another_content_gives_both_hashes_and_is_not_kept(server, offer):
    path = offer(f"{server.address}/whole.csv", sha256="0" * 64)
    with pytest.raises(StorageError) as error:
        datasets.load("small")
    assert f"expected sha256:{'0' * 64} but got {HASH}" in str(error.value)
    assert leftovers(path) == []


def test_a_file_that_is_there_is_never_replaced(server, offer):
    path = offer(f"{server.address}/whole.csv")
    path.parent.mkdir()
    path.write_bytes(CONTENT[:1000])
    with pytest.raises(StorageError, match=f"(?s)expected sha256 {HASH}.*Remove it"):
        datasets.load("small")
    assert path.stat().st_size == 1000
    assert server.asked == 0


def test_an_address_that_is_gone(server, offer):
    path = offer(f"{server.address}/moved.csv")
    with pytest.raises(StorageError, match="404"):
        datasets.load("small")
    assert leftovers(path) == []


def test_offline_says_what_to_put_where(offer, server):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/a.csv"
        path = offer(url)
        with pytest.raises(StorageError) as error:
            datasets.load("small")
    assert url in str(error.value)
    assert f"by hand: {path}" in str(error.value)


def test_a_folder_that_cannot_be_written(server, offer):
    path = offer(f"{server.address}/whole.csv")
    path.parent.write_text("a file where the folder should be")
    with pytest.raises(StorageError, match="cannot download"):
        datasets.load("small")


INTERRUPTED = """
import sys
from pathlib import Path
from corral.datasets.data_files import File, download
download(File("a.csv", sys.argv[1], sys.argv[2]), Path(sys.argv[3]))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_program_that_ends_halfway_leaves_no_file(how, server, tmp_path):
    path = tmp_path / "a.csv"
    url = f"{server.address}/slow.csv"
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, HASH, url, str(path)],
        stderr=subprocess.DEVNULL,
    )
    assert server.halfway.wait(60)
    program.send_signal(how)
    assert program.wait(60) != 0
    assert not path.exists()
    if how == signal.SIGINT:
        assert leftovers(path) == []
    download(File("a.csv", HASH, f"{server.address}/whole.csv"), path)
    assert sha256_of(path) == HASH


def test_progress_is_shown_on_a_terminal(server, tmp_path):
    pytest.importorskip("pty", reason="terminals as on Unix")
    from tests.test_progress import on_a_terminal

    file = f"File('a.csv', {HASH!r}, '{server.address}/whole.csv')"
    shown = on_a_terminal(f"""
from pathlib import Path
from corral.datasets.data_files import File, download
download({file}, Path({str(tmp_path / "a.csv")!r}))
""")
    assert "downloading a.csv" in shown
    assert f"of {len(CONTENT):,} bytes" in shown
