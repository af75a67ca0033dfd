"""
Passes the worker's imports on to child processes of the user's code (`multiprocessing`, `ProcessPoolExecutor`, `subprocess`),
by variables that they inherit. In a child process, `children/sitecustomize.py` reads them.
"""

from __future__ import annotations

import os
from typing import Any, Sequence

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "children")
#: Lines `package=` for stand-ins, and `module=file` for files that were loaded as modules.
VARIABLE = "AGENTJET_CHILDREN"

_entries: dict[str, str] = {}


def provide(name: str, file: str = "") -> None:
    """Lets child processes import this package of the stand-in, or the file as the module of this name."""
    _entries[name] = file and os.path.abspath(file)
    os.environ[VARIABLE] = "\n".join(f"{name}={file}" for name, file in _entries.items())


def finders(packages: Sequence[str]) -> list[Any]:
    """Returns the finders of these packages, for a child process."""
    from .agentscope_stand_in import AgentScope
    from .former_name import FormerName
    from .stand_in import FOLDER, StandIn, installed

    own = {"agentscope": lambda: AgentScope(FOLDER), "astuner": lambda: FormerName(installed)}
    return [own[package]() if package in own else StandIn(package) for package in packages]
