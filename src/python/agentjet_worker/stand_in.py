"""
Has `import ajet` find our stand-in: the names that workflows and judges use, with AgentJet's semantics and without what it
needs to train (torch, VERL, Ray). A module that the stand-in lacks is looked for in the user's own `ajet`, if there is one.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder
from typing import Any, Sequence

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stand_in")

#: The stand-in goes by the package's earlier name as well.
NAMES = {"ajet": "ajet", "astuner": "ajet"}


class StandIn(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        first, _, rest = name.partition(".")
        if first not in NAMES or (path is None) != (rest == ""):
            return None
        if rest == "":
            return self._package(name, NAMES[first])
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if found is None:
            return missing(name)
        if found.submodule_search_locations is not None:
            # A package of ours may lack modules that the user's own has.
            folders = [os.path.join(folder, name.rpartition(".")[2]) for folder in path or ()]
            found.submodule_search_locations = [folder for folder in folders if os.path.isdir(folder)]
        return found

    def _package(self, name: str, folder: str) -> Any:
        own = os.path.join(FOLDER, folder)
        spec = importlib.util.spec_from_file_location(
            name,
            os.path.join(own, "__init__.py"),
            submodule_search_locations=[own, *installed(name)],
        )
        return spec


def installed(name: str) -> list[str]:
    """Where the user's own package lies: a clone that they work in, or one that is installed."""
    folders = [os.path.join(folder or os.getcwd(), name) for folder in sys.path]
    return [folder for folder in folders if os.path.isfile(os.path.join(folder, "__init__.py"))]


def missing(name: str) -> None:
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def install() -> None:
    sys.meta_path.insert(0, StandIn())
