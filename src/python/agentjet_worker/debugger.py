"""debugpy: from the interpreter, else from where the editor has one."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

from .failures import WorkerFailure, install_command


def start_debugger(folders: list[str]) -> int:
    """Makes debugpy listen on loopback. It ignores child processes of the user's code, since no client would attach to them."""
    debugpy = find_debugger(folders)
    debugpy.configure(subProcess=False)
    _, port = debugpy.listen(("127.0.0.1", 0))
    return port


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
        f"Install debugpy ({install_command('debugpy', sys.executable)}), or run without debugging.",
    ) from missing


def import_from(folder: str) -> ModuleType:
    """Other packages that lie there are not the user's: the folder does not stay on the search path."""
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("debugpy")
    finally:
        sys.path.remove(folder)
