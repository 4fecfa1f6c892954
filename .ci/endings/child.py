import os
import signal
import sys

import understudy

server = understudy.start()
print("ready", server.url, flush=True)
if sys.argv[1] == "throw":
    raise RuntimeError("an uncaught error")
if sys.argv[1] == "abort":
    os.abort()
signal.pause()
