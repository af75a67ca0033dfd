"""debugpy: from the interpreter, else from where the editor has one."""

from __future__ import annotations

import importlib
import os
import secrets
import subprocess
import sys
from types import ModuleType

from .failures import WorkerFailure, install_command


class Debugger:
    """debugpy, with an adapter for one client. It ignores child processes of the user's code, since no client attaches to them."""

    def __init__(self, folders: list[str]) -> None:
        self._debugpy = find_debugger(folders)
        self._debugpy.configure(subProcess=False)
        self._token = secrets.token_hex(32)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug_adapter.py")
        package = os.path.dirname(os.path.abspath(self._debugpy.__file__))
        adapter = subprocess.Popen(
            [sys.executable, script, os.path.dirname(package)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        with adapter.stdin as begin, adapter.stdout as ports:
            begin.write(self._token.encode() + b"\n")
            begin.flush()
            self._own_port, port = map(int, ports.readline().split())
        if os.name == "posix":
            adapter.wait()  # It has forked.
        else:
            adapter.returncode = 0  # Python would warn of a child process that is still running.
        #: The port of the adapter on loopback, and the token that its client must have.
        self.address = {"port": port, "token": self._token}

    def stop_at(self, error: Exception) -> None:
        """Stops where an error was raised, if the client wants to stop at uncaught exceptions. Only recent versions can."""
        stop = getattr(self._debugpy, "trigger_exception_handler", None)
        if stop is not None:
            stop(error)

    def wait_for_client(self) -> None:
        """Returns when the client has set its breakpoints."""
        self._debugpy.connect(("127.0.0.1", self._own_port), access_token=self._token)


def find_debugger(folders: list[str]) -> ModuleType:
    """
    :param folders: where else a package `debugpy` may lie, in order; below, one for each Python (`py3.12`) wins, as part of
        debugpy is native code
    """
    try:
        return importlib.import_module("debugpy")
    except ImportError as error:
        missing = error
    ours = f"py{sys.version_info[0]}.{sys.version_info[1]}"
    for folder in [path for named in folders for path in (os.path.join(named, ours), named)]:
        if os.path.isfile(os.path.join(folder, "debugpy", "__init__.py")):
            return import_from(folder)
    raise WorkerFailure(
        "python/no-debugpy",
        f"{sys.executable} has no debugpy, which breakpoints need.",
        f"In the editor, run AgentJet: Install debugpy. In a terminal: {install_command('debugpy', sys.executable)}. "
        "Or run without debugging.",
    ) from missing


def import_from(folder: str) -> ModuleType:
    """Other packages that lie there are not the user's: the folder does not stay on the search path."""
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("debugpy")
    finally:
        sys.path.remove(folder)
