# Clients in Python: requests or httpx. See shell.sh for the cases.
import os, sys

name = sys.argv[1]
module = __import__(name)


def send(case, method, path, reuse):
    client = module.Session() if name == "requests" else module.Client()
    options = {"headers": {"Authorization": f"Bearer svc_sk_test_{name}-{case}"}, "timeout": 2}
    with client:
        if reuse == "yes":
            client.get(os.environ["UNDERSTUDY_URL"] + "/verification-requests/vr_completed", **options)
        if method != "GET":
            options["json"] = {"cancellation_reason": "other"}
        answer = client.request(method, os.environ["UNDERSTUDY_URL"] + path, **options)
        answer.json()
        return answer.status_code


for line in sys.stdin:
    case, *rest = line.split()
    try:
        print(case, send(case, *rest))
    except Exception as e:
        print(case, type(e).__name__)
