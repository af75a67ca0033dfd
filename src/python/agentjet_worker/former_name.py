"""
Makes `astuner`, AgentJet's earlier name, an alias of `ajet`. Both names give the same modules, so their classes are equal.
Modules that `ajet` no longer has come from the user's `astuner`, if it exists.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Callable, Sequence


class FormerName(MetaPathFinder):
    def __init__(self, installed: Callable[[str], list[str]]) -> None:
        self._installed = installed

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        first, _, rest = name.partition(".")
        if first != "astuner":
            return None
        current = f"ajet.{rest}" if rest else "ajet"
        if has(current):
            return ModuleSpec(name, SameModule(importlib.import_module(current)))
        folder = name.split(".")[1:-1]
        return PathFinder.find_spec(name, [os.path.join(own, *folder) for own in self._installed(first)])


def has(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


class SameModule(Loader):
    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: Any) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import has set its own
