import gc
import importlib.metadata
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
import understudy
from api import get
from understudy import control, process


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


@pytest.mark.parametrize(("options", "status"), [({}, 400), ({"strict": "off"}, 200), ({"args": ["--strict=off"]}, 200)])
def test_what_the_specification_requires(options: dict[str, Any], status: int) -> None:
    with understudy.start(**options) as server, server.world() as world:
        assert get(world, "vr_completed?feilds=id")[0] == status


def test_settings_of_all_worlds() -> None:
    account = {"types": ["employment"]}
    with understudy.start(grease="values", session_flow="manual", account=account) as server, server.world() as world:
        assert world.settings() == {"grease": "values", "session_flow": "manual", "account": account}


def test_webhooks_of_all_worlds() -> None:
    for webhook, count in (("http://127.0.0.1:9/a", 1), (["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"], 2)):
        with understudy.start(webhook=webhook) as server, server.world() as world:
            world.move("vr_processing", "completed")
            assert [delivery["webhook"] for delivery in world.deliveries()] == list(range(1, count + 1))


def test_start_without_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNDERSTUDY_BINARY", raising=False)
    monkeypatch.setenv("PATH", "")
    wanted = r"(?s)no program 'understudy' \(the PATH\).*binary=.*bundled.*UNDERSTUDY_BINARY.* not set.*PATH.*go build -o understudy"
    with pytest.raises(understudy.StartError, match=wanted):
        understudy.start()
    with pytest.raises(understudy.StartError, match=r"no program './absent' \(the option binary\)"):
        understudy.start(binary="./absent")
    monkeypatch.setenv("UNDERSTUDY_BINARY", "./gone")
    with pytest.raises(understudy.StartError, match=r"no program './gone' \(UNDERSTUDY_BINARY\).*\n(.*\n)*.* it is ./gone"):
        understudy.start()


def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which(os.environ.get("UNDERSTUDY_BINARY") or "understudy")
    assert found
    for place in ("the PATH", "UNDERSTUDY_BINARY", "bundled"):  # each is taken before the one ahead of it here
        path = tmp_path / place / "understudy"
        path.parent.mkdir()
        path.symlink_to(Path(found).resolve())
        if place == "the PATH":
            monkeypatch.delenv("UNDERSTUDY_BINARY", raising=False)
            monkeypatch.setenv("PATH", str(path.parent))
        elif place == "bundled":
            monkeypatch.setattr(process, "BUNDLED", path)
        else:
            monkeypatch.setenv(place, str(path))
        with understudy.start() as server, server.world() as world:
            assert (server.program, get(world, "vr_completed")[0]) == (f"{place}: {path}", 200)
            assert understudy.connect(server.url).program is None


def test_start_refused() -> None:
    with pytest.raises(understudy.StartError, match=r"understudy \(.*: /.*\) ended with exit code 2:\n.*there is no flag --bogus"):
        understudy.start(args=["--bogus"])


def test_start_without_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(understudy.ControlError, match="no emulator answers at http://127.0.0.1:9: "):
        understudy.start(binary=program(tmp_path, "echo http://127.0.0.1:9; read -r line"))
    monkeypatch.setattr(process, "START_WITHIN", 1.0)
    with pytest.raises(understudy.StartError, match=r"understudy \(the option binary: .*\) did not serve within 1 s:\nI think"):
        understudy.start(binary=program(tmp_path, "echo I think >&2; read -r line"))


def test_variables_of_the_environment_do_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"STORE": "file:/missing/folder/store.db", "KEY_PREFIX": "abc", "CONTROL_ADDR": "127.0.0.1:0", "SEED": "x"}.items():
        monkeypatch.setenv(f"UNDERSTUDY_{name}", value)
    with understudy.start() as server, server.world() as world:
        assert world.key.startswith("svc_sk_test_")
        assert get(world, "vr_completed")[0] == 200


@pytest.mark.parametrize("args", [["--key-prefix", "abc"], ["--key-prefix=abc"]])
def test_key_prefix(args: list[str]) -> None:
    with understudy.start(args=args) as server, server.world() as world:
        assert world.key.startswith("abc_sk_test_")
        assert get(world, "vr_completed")[0] == 200
        with understudy.connect(server.url).world() as other:
            assert get(other, "vr_completed")[0] == 200


def test_control_addr() -> None:
    with understudy.start(args=["--control-addr", "127.0.0.1:0"]) as server, server.world() as world:
        assert get(world, "vr_completed")[0] == 200
        assert world.url == server.url != server.control.url
        with pytest.raises(understudy.ControlError, match="answers 404, unless its control plane has an address of its own"):
            understudy.connect(server.url)
        with understudy.connect(server.url, control_url=server.control.url).world() as other:
            assert get(other, "vr_completed")[0] == 200


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


ANOTHER = {
    "200 <html>": "its answer is not JSON",
    '200 {"status":"ready"}': "its answer has other JSON",
    "200 []": "its answer has other JSON",
    "404 <html>": "it answers 404",
    '404 {"error":{"message":"Not Found"}}': "it answers 404",
    "502 <html>": "it answers 502",
}


@pytest.mark.parametrize("answer", ANOTHER)
def test_connect_to_another_program(answer: str) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, _, body = answer.partition(" ")
            self.send_response(int(status))
            self.end_headers()
            self.wfile.write(body.encode())

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            with pytest.raises(understudy.ControlError, match=f"{server.server_port} is not an emulator: {ANOTHER[answer]}"):
                understudy.connect(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()


def test_connect_without_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "CONNECT_WITHIN", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(understudy.ControlError, match="no emulator answers at .*: it does not answer within 0.2 s"):
            understudy.connect(f"http://127.0.0.1:{silent.getsockname()[1]}")
    with pytest.raises(understudy.ControlError, match="no emulator answers at localhost:8080: unknown url type"):
        understudy.connect("localhost:8080")


def test_control_token(monkeypatch: pytest.MonkeyPatch) -> None:
    with understudy.start(control_token="token-of-this-test") as server:
        with server.world() as world:
            world.advance("1h")
        with pytest.raises(understudy.ControlError) as refused:
            understudy.connect(server.url)
        assert refused.value.status == 401
        monkeypatch.setenv("UNDERSTUDY_CONTROL_TOKEN", "token-of-this-test")
        understudy.connect(server.url).world().delete()


ENDINGS: dict[str, tuple[str, Callable[[int], None] | None]] = {
    "exit": ("", None),
    "error": ("raise RuntimeError", None),
    "abort": ("os.abort()", None),
    "interrupt": ("time.sleep(60)", lambda pid: os.kill(pid, signal.SIGINT)),
    "terminate": ("time.sleep(60)", lambda pid: os.kill(pid, signal.SIGTERM)),
    "hangup": ("time.sleep(60)", lambda pid: os.kill(pid, signal.SIGHUP)),
    "kill": ("time.sleep(60)", lambda pid: os.kill(pid, signal.SIGKILL)),
    "interrupt the group": ("time.sleep(60)", lambda pid: os.killpg(pid, signal.SIGINT)),
    "terminate the group": ("time.sleep(60)", lambda pid: os.killpg(pid, signal.SIGTERM)),
    "leave a fork": ("os.fork() or (os.setsid(), time.sleep(30), os._exit(0)); os._exit(0)", None),
    "leave a child": ("subprocess.Popen(['sleep', '30'], start_new_session=True); os._exit(0)", None),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_outlives_the_process(ending: str, tmp_path: Path) -> None:
    statement, end = ENDINGS[ending]
    script = f"import os, subprocess, time, understudy; print(understudy.start().url, flush=True); {statement}"
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert child.stdout
    url = child.stdout.readline().strip()
    assert url.startswith("http://127.0.0.1:")
    if end:
        end(child.pid)
    child.wait(30)
    ended = time.monotonic()
    while not stopped(url) or list(tmp_path.iterdir()):
        assert time.monotonic() < ended + 10, list(tmp_path.iterdir())
        time.sleep(0.01)
    child.stdout.close()


def test_serves_while_nobody_holds_the_server() -> None:
    url = understudy.start().url
    gc.collect()
    server = understudy.connect(url)
    server.world().delete()
    process.close_pipes()


def program(folder: Path, script: str) -> str:
    """Returns the path of a program that stands for the emulator."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no shell")
def test_stop_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STOP_WITHIN", 0.1)
    started = process.Process(program(tmp_path, f"echo $$ >{tmp_path}/pid; echo http://127.0.0.1:9; exec sleep 60"), [], None)
    started.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path(tmp_path, "pid").read_text()), 0)


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
