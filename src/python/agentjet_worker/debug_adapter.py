"""The debug adapter of debugpy for one client, which must know a token. The adapter of `debugpy.listen` serves any client.

Stdin has the token. Stdout gets the ports on loopback: for the process that is debugged, and for the client.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

sys.path[0] = sys.argv[1]  # the folder of debugpy
from debugpy import adapter  # noqa: E402
from debugpy.adapter import clients, servers, sessions  # noqa: E402
from debugpy.common import sockets  # noqa: E402

del sys.path[0]

LOOPBACK = "127.0.0.1"
token = sys.stdin.readline().strip()


class OnlyClient(clients.Client):
    has_attached = False

    def launch_request(self, request: Any) -> Any:
        raise request.cant_handle("The process runs already. Attach to it.")

    def attach_request(self, request: Any) -> Any:
        if request.arguments.get("__agentjetDebugpyToken") != token:
            raise request.cant_handle("The token of the debugger is missing. Start the session from its run.")
        if OnlyClient.has_attached:
            raise request.cant_handle("The process has had its debugger. Start the run again.")
        OnlyClient.has_attached = True
        sockets.close_socket(listener)
        return super().attach_request(request)


def serve() -> None:
    with contextlib.suppress(OSError):  # It is closed.
        while True:
            connection, _ = listener.accept()
            OnlyClient(connection)


if os.name == "posix":
    # Not a child of the process that is debugged, whose code may wait for all of its child processes.
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
adapter.access_token = token
clients.listener = None
listener = sockets.create_server(LOOPBACK)
print(servers.serve(LOOPBACK)[1], sockets.get_address(listener)[1], flush=True)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # What it says of strangers is not output of the run.
servers.wait_for_connection("The adapter", lambda _: True)  # A stranger that leaves before would end the adapter.
threading.Thread(target=serve, daemon=True).start()
servers.wait_until_disconnected()
sessions.wait_until_ended()
