"""Starts the worker. One line of JSON on stdin says where the backbone listens and how to begin:

``{"port": 40000, "token": "…", "path": ["/folder"], "package": "bundled", "debug": false, "debugpy": []}``

Old Pythons have to understand this file, to say that they are too old.
"""

import json
import os
import socket
import sys

OLDEST = (3, 10)


def main() -> None:
    begin = json.loads(sys.stdin.buffer.readline().decode("utf-8"))
    # User code that reads stdin gets the end of the file, as under a scheduler.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if sys.version_info < OLDEST:
        refuse(begin)
        return
    set_path(begin["path"])

    from .agentscope_stand_in import AgentScope
    from .channel import Channel
    from .children import provide
    from .printed import install as install_printed
    from .sources import install as install_sources
    from .stand_in import FOLDER, install
    from .worker import Worker

    channel = Channel.connect(begin["port"], begin["token"])
    install_printed()
    if begin["package"] == "bundled":
        install()
    sys.meta_path.insert(0, AgentScope(FOLDER))
    provide("agentscope")
    install_sources()
    Worker(channel, begin["path"], begin["plugins"]).run(
        begin["debug"], begin["debugpy"], begin["package"] == "bundled"
    )


def set_path(first: list) -> None:
    """Sets the search path as `ajet` does, beginning with the working directory. Child processes get `children` in its place."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:] = first + [folder for folder in sys.path[1:] if folder != own]
    rest = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder not in ("", own)]
    os.environ["PYTHONPATH"] = os.pathsep.join([os.path.join(own, "children")] + rest)


def refuse(begin: dict) -> None:
    failure = {
        "code": "python/too-old",
        "message": "%s is Python %d.%d, but workflows need Python 3.10 or later." % ((sys.executable,) + tuple(sys.version_info[:2])),
        "hint": "Install a later version. Create an environment with it (python3.12 -m venv --clear .venv), or select it "
        'with --python FILE (launch.json: python; in the editor also "Python: Select Interpreter").',
    }
    connection = socket.create_connection(("127.0.0.1", begin["port"]))
    for method, params in (("hello", {"token": begin["token"]}), ("refused", {"failure": failure})):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode("utf-8")
        connection.sendall(("Content-Length: %d\r\n\r\n" % len(body)).encode("ascii") + body)
    connection.recv(1)  # Returns when the backbone has read the message and closes the connection.


main()
