"""
Makes `import ajet` find the stand-in. It has the names that workflows and judges use, with AgentJet's semantics, but does not
need the packages for training (torch, VERL, Ray). Missing modules and names are searched in the user's `ajet`, if it exists.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any, Callable, Sequence

from .children import provide
from .former_name import FormerName

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stand_in")


class StandIn(MetaPathFinder):
    def __init__(self, package: str) -> None:
        self._name = package

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        first, _, rest = name.partition(".")
        if first != self._name or (path is None) != (rest == ""):
            return None
        if rest == "":
            return self._package(name)
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if found is None:
            return missing(name)
        if found.submodule_search_locations is not None:
            # The user's package may have modules that the stand-in does not have.
            folders = [os.path.join(folder, name.rpartition(".")[2]) for folder in path or ()]
            found.submodule_search_locations = [folder for folder in folders if os.path.isdir(folder)]
        if found.origin is not None and found.origin.startswith(FOLDER + os.sep):
            found.loader = OwnLoader(name, found.origin)
        return found

    def _package(self, name: str) -> Any:
        own = os.path.join(FOLDER, name)
        init = os.path.join(own, "__init__.py")
        return importlib.util.spec_from_file_location(
            name,
            init,
            loader=OwnLoader(name, init),
            submodule_search_locations=[own, *installed(name)],
        )


class OwnLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the stand-in. Its missing names are searched in the user's module of that name."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.__getattr__ = name_of_users(module.__name__)  # type: ignore[method-assign]


def name_of_users(module: str) -> Callable[[str], Any]:
    def get(name: str) -> Any:
        file = None if name.startswith("__") else file_of_users(module)
        if file is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(run(module, name, file), name)

    return get


def file_of_users(module: str) -> str | None:
    first, *rest = module.split(".")
    for folder in installed(first):
        path = os.path.join(folder, *rest)
        for file in (os.path.join(path, "__init__.py"), f"{path}.py"):
            if os.path.isfile(file):
                return file
    return None


def run(name: str, wanted: str, file: str) -> ModuleType:
    """Loads the user's module without replacing that of the stand-in. Its imports find the stand-in first."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise AttributeError(f"{file} is not a Python file")
    own = importlib.util.module_from_spec(spec)
    own.__package__ = name if os.path.basename(file) == "__init__.py" else name.rpartition(".")[0]
    try:
        spec.loader.exec_module(own)
    except Exception as error:
        raise ImportError(
            f"cannot import name {wanted!r} from {name!r}: the bundled `{name.partition('.')[0]}` does not have it, and {file} raises "
            f"{type(error).__name__}: {error}",
            name=name,
        ) from error
    return own


def installed(name: str) -> list[str]:
    """Returns the folders of the user's package: a clone in the working directory, or an installed one."""
    folders = [os.path.join(folder or os.getcwd(), name) for folder in sys.path]
    return [folder for folder in folders if os.path.isfile(os.path.join(folder, "__init__.py"))]


def missing(name: str) -> None:
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def install() -> None:
    sys.meta_path[:0] = [StandIn("ajet"), FormerName(installed)]
    provide("ajet")
    provide("astuner")


def install_trinity() -> None:
    """Only where a config of Trinity-RFT is run: others may have a package of that name."""
    sys.meta_path.insert(0, StandIn("trinity"))
    provide("trinity")
