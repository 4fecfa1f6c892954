"""A client for the tests of the trial, with the mistake that MISTAKE names: it creates a session, has its person use the token, waits for
a request by its id, and cancels another one."""

import email.utils
import http.client
import json
import os
import sys
import time

HOST = os.environ["UNDERSTUDY_URL"].removeprefix("http://")
KEY = os.environ["UNDERSTUDY_KEY"]
MISTAKE = os.environ["MISTAKE"]
LOST = (OSError, http.client.HTTPException, ValueError)
KNOWN = {"id", "token"}


class Refusal(Exception):
    def __init__(self, status, after):
        super().__init__(f"status {status}")
        self.status, self.after = status, after


def retry_after(headers):
    """The seconds for which an answer asks to wait, None when it does not say."""
    after = headers["Retry-After"]
    if after is None or after.isdigit():
        return after and int(after)
    until, at = (email.utils.parsedate_to_datetime(date) for date in (after, headers["Date"]))
    return (until - at).total_seconds()


def exchange(method, path, body=None, **headers):
    connection = http.client.HTTPConnection(HOST, timeout=5)
    try:
        connection.request(method, path, body, {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json", **headers})
        response = connection.getresponse()
        began, text = time.monotonic(), b""
        while part := response.read1():
            text += part
            if time.monotonic() > began + 5:
                raise TimeoutError("the answer comes too slowly")
        if response.length:
            raise http.client.IncompleteRead(text, response.length)
        return response, text
    finally:
        connection.close()


def send(method, path, version, body=None):
    response, text = exchange(method, path, body and json.dumps(body), Accept=f"application/json; version={version}")
    if response.status <= 201:
        answer = json.loads(text)
        if MISTAKE == "an unknown key is refused" and method == "POST" and answer.keys() - KNOWN:
            raise KeyError(f"unknown keys: {answer.keys() - KNOWN}")
        return answer, response.headers["Understudy-World"]
    raise Refusal(response.status, retry_after(response.headers))


def may_retry(error):
    """The seconds after which a request may be sent again, None when it may not."""
    if not isinstance(error, Refusal):
        return 0
    if error.status == 429:
        if MISTAKE == "Retry-After is needed":
            return error.after
        return None if (error.after or 0) > 3 else error.after or 0
    if error.status == 403 and MISTAKE == "a 403 is sent again":
        return 0
    return error.after or 0 if error.status >= 500 and error.status != 501 else None


def read(id):
    for left in (2, 1, 0):
        try:
            return send("GET", f"/verification-requests/{id}", "2019-10-15")[0]
        except (Refusal, *LOST) as error:
            after = may_retry(error)
            if after is None or left == 0:
                raise
            time.sleep(after)


def create_session():
    target = {"first_name": "Ada", "last_name": "Example", "date_of_birth": "1985-04-12", "social_security_number": "000-00-0000"}
    asked = {"permissible_purpose": "credit-application", "type": "employment-income", "use_case": "mortgage", "target": target}
    created, world = send("POST", "/credentials/session", "2022-08-01", asked)
    exchange("POST", f"/_understudy/flow?world={world}&outcome=success&token={created['token']}")  # as the person's browser
    _, session = exchange("GET", f"/_understudy/v1/credentials-sessions/{created['id']}")
    state = json.loads(session)["state"]
    if state != "completed":
        raise ValueError(f"the session's request is {state}")


def pay(report):
    salary = report["employee"]["salary"]
    if MISTAKE == "a value is not expected":
        {"full-time": "works", "part-time": "works", "inactive": "worked"}[report["employee"]["status_detail"]]
    if MISTAKE == "null is not expected":
        return float(salary["gross_pay"])
    return salary and salary["gross_pay"]


def await_end(id):
    for _ in range(5):
        answer = read(id)
        if answer["state"] == "completed":
            return [pay(report) for report in answer["reports"]]
        if answer["state"] in ("canceled", "invalid"):
            return []
        time.sleep(0.01)
    raise TimeoutError(f"{id} has not ended in time")


def cancel(id):
    for _ in range(2):
        try:
            answer, _ = send("PUT", f"/verification-requests/{id}/cancel", "2022-08-01", {"cancellation_reason": "immediate"})
            if answer["state"] == "canceled":
                return
        except (Refusal, KeyError, *LOST) as error:
            if MISTAKE == "an error is swallowed":
                return
            after = may_retry(error)
            if after is None and isinstance(error, Refusal) and error.status == 429:
                raise
            time.sleep(after or 0)
        if read(id)["state"] == "canceled":
            return
    raise ValueError("it is not canceled")


try:
    create_session()
    await_end("vr_frequency_weekly")
    cancel("vr_processing")
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
