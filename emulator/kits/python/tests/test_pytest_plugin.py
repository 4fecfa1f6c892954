import pytest

TESTS = """
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    def get(world, path):
        try:
            urlopen(Request(world.url + path, headers={"Authorization": f"Bearer {world.key}"}))
        except HTTPError:
            pass

    def test_passes(understudy_world):
        get(understudy_world, "/verification-requests/vr_flaky")
        get(understudy_world, "/v1/verification-requests/vr_earlier")

    def test_fails(understudy_world):
        get(understudy_world, "/verification-requests/vr_completed?fields=state")
        get(understudy_world, "/verification-requests/vr_completd")
        get(understudy_world, "/v1/verification-requests/vr_completed")
        assert False
"""

REQUESTS = [
    "*- understudy requests -*",
    "   1  2025-01-15T09:00:00Z  200 GET /verification-requests/vr_completed?fields=state  [[]completed[]]",
    "   2  2025-01-15T09:00:00Z  400 GET /verification-requests/vr_completd",
    '      - no verification request is "vr_completd": did you mean vr_completed?',
    '      < {"error":{"message":"Verification not found"}}',
    "*- understudy requests that reached no world -*",
    "   2  20*Z  404 GET /v1/verification-requests/vr_completed",
    '      - no operation has this path: *Leave "/v1" out of the base URL',
]


def test_requests_of_a_failed_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(REQUESTS)
    result.stdout.no_fnmatch_line("*vr_flaky*")
    result.stdout.no_fnmatch_line("*vr_earlier*")


def test_requests_in_several_processes(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    pytester.makepyfile("""
        def test_process(understudy):
            print("served at", understudy.url)
    """)
    pytester.makepyfile(test_more=TESTS)
    result = pytester.runpytest_subprocess("-n", "2", "--dist", "each", "-rP")
    result.assert_outcomes(passed=4, failed=2)
    assert len({line for line in result.outlines if line.startswith("served at http://127.0.0.1:")}) == 2
    result.stdout.fnmatch_lines(REQUESTS)


def test_failure_in_a_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        TESTS
        + """
    import pytest

    @pytest.fixture
    def applicant(understudy_world):
        get(understudy_world, "/verification-requests/vr_error_451")
        raise RuntimeError

    def test_applicant(applicant): pass
    """
    )
    result = pytester.runpytest_subprocess("-k", "test_applicant")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*- understudy requests -*", "*451 GET /verification-requests/vr_error_451*"])


def test_args(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nunderstudy_args = --clock 2026-07-01T00:00:00Z")
    pytester.makepyfile("def test_clock(understudy_world): assert understudy_world.now.year == 2026")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_without_journal(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nunderstudy_args = --journal-size 0")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*understudy requests*")


def test_server_is_gone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        def test_gone(understudy, understudy_world):
            understudy.stop()
            assert False
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*- understudy requests -*", "cannot be read: no emulator answers at http://127.0.0.1:*"])
