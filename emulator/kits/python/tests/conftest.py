import os
import shutil

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True, scope="session")
def program() -> None:
    """Skips the tests without the program, unless CI=true."""
    name = os.environ.get("UNDERSTUDY_BINARY") or "understudy"
    if shutil.which(name) is None and os.environ.get("CI") != "true":
        pytest.skip(f"there is no program {name!r}: set UNDERSTUDY_BINARY")


@pytest.fixture(autouse=True)
def own_emulators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the tests start emulators, also below understudy run."""
    monkeypatch.delenv("UNDERSTUDY_URL", raising=False)
    monkeypatch.delenv("UNDERSTUDY_CONTROL_TOKEN", raising=False)
