import importlib.metadata
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import understudy
from api import get
from understudy import process


def stopped(url: str) -> bool:
    try:
        understudy.connect(url)
    except understudy.ControlError as error:
        return error.status == 0
    return False


def test_start() -> None:
    with understudy.start(args=["--clock", "2026-07-01T00:00:00Z"]) as server, server.world() as world:
        assert world.now.isoformat() == "2026-07-01T00:00:00+00:00"
        assert get(world, "vr_completed")[0] == 200
    assert stopped(server.url)
    server.stop()


def test_start_without_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNDERSTUDY_BINARY", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(understudy.StartError, match=r"binary=.*UNDERSTUDY_BINARY.*PATH.*go build -o understudy ./cmd/understudy"):
        understudy.start()
    with pytest.raises(understudy.StartError, match="no program './absent'"):
        understudy.start(binary="./absent")


def test_start_refused() -> None:
    with pytest.raises(understudy.StartError, match=r"exit code 2:\n.*there is no flag --bogus"):
        understudy.start(args=["--bogus"])


def test_store_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_STORE", "file:/missing/folder/store.db")
    with understudy.start() as server, server.world() as world:
        assert get(world, "vr_completed")[0] == 200


def test_start_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    with understudy.start() as server:
        monkeypatch.setenv("UNDERSTUDY_URL", server.url + "/")
        with understudy.start() as connected:
            assert connected.url == server.url
        with server.world() as world:
            assert get(world, "vr_completed")[0] == 200


def test_connect_without_emulator() -> None:
    with understudy.start() as server:
        pass
    with pytest.raises(understudy.ControlError, match=f"no emulator answers at {server.url}"):
        understudy.connect(server.url)


@pytest.mark.parametrize("status", [200, 404])
def test_connect_to_another_program(status: int) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(b"<html>")

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with pytest.raises(understudy.ControlError, match="is it an emulator"):
                understudy.connect(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()


def test_control_token(monkeypatch: pytest.MonkeyPatch) -> None:
    with understudy.start(control_token="token-of-this-test") as server:
        with server.world() as world:
            world.advance("1h")
        with pytest.raises(understudy.ControlError) as refused:
            understudy.connect(server.url).world()
        assert refused.value.status == 401
        monkeypatch.setenv("UNDERSTUDY_CONTROL_TOKEN", "token-of-this-test")
        understudy.connect(server.url).world().delete()


def test_stop_at_exit() -> None:
    script = "import understudy; print(understudy.start().url)"
    url = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    assert url.startswith("http://127.0.0.1:")
    assert stopped(url)


IGNORES_SIGTERM = """#!/bin/sh
trap '' TERM
echo $$ >"$PID_FILE"
echo http://127.0.0.1:9 >"$5" # --url-file
exec sleep 60
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
def test_stop_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, pid = tmp_path / "program", tmp_path / "pid"
    program.write_text(IGNORES_SIGTERM)
    program.chmod(0o755)
    monkeypatch.setenv("PID_FILE", str(pid))
    monkeypatch.setattr(process, "STOP_WITHIN", 0.0)
    understudy.start(binary=str(program)).stop()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_unmatched() -> None:
    with understudy.start() as server:
        with pytest.raises(HTTPError):
            urlopen(f"{server.url}/v1/verification-requests/vr_completed")
        (entry,) = server.unmatched()
        assert (entry["path"], entry["status"]) == ("/v1/verification-requests/vr_completed", 404)


def test_distribution() -> None:
    distribution = importlib.metadata.distribution("understudy-testing")
    (plugin,) = distribution.entry_points.select(group="pytest11")
    assert (plugin.name, plugin.value) == ("understudy", "understudy.pytest_plugin")
    assert "understudy/py.typed" in {str(file) for file in distribution.files or []}
    assert distribution.requires is None
    metadata = distribution.read_text("METADATA") or ""
    assert "# Understudy for Python tests" in metadata
    assert "\nLicense" not in metadata  # the owner has not chosen one
