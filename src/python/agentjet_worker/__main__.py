"""Starts the worker. One line of JSON on stdin says where the backbone listens and how to begin:

``{"port": 40000, "token": "…", "path": ["/folder"], "package": "bundled", "debug": false}``
"""

import json
import os
import sys


def main() -> None:
    begin = json.loads(sys.stdin.buffer.readline())
    # What is left of stdin is nobody's: code that reads it gets its end, as under a scheduler.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path[0:1] = begin["path"]  # the first entry is the folder of this very package

    from .channel import Channel
    from .worker import Worker

    channel = Channel.connect(begin["port"], begin["token"])
    if begin["package"] == "bundled":
        from .stand_in import install

        install()
    Worker(channel).run(begin["debug"])


main()
