"""
Provides `agentscope.tuner` if the installed AgentScope has no such module, or if AgentScope is not installed. An installed
module is used, except for functions that would start a cluster. All other modules are the user's.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Callable, Sequence

#: The modules that are missing in older and newer versions, and the package itself if nothing is installed.
PROVIDED = ("agentscope", "agentscope.tuner", "agentscope.tune")

#: Not run here, so that what it is made of (DSPy) need not be there for a tuner to be imported.
OURS = ("agentscope.tuner.prompt_tune",)

#: What takes the place of an installed module's own, by what of `script` that is.
REPLACED = {
    "agentscope.tuner": {"tune": "tune", "select_model": "select_model"},
    "agentscope.tuner.model_selection": {"select_model": "select_model"},
    "agentscope.tune": {"tune": "tune_as_before_1_0_12"},
}


class AgentScope(MetaPathFinder):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if name not in PROVIDED and name not in OURS and name not in REPLACED:
            return None
        found = None if name in OURS else PathFinder.find_spec(name, path)
        if found is not None:
            return replacing(found)
        own = os.path.join(self._folder, *name.split("."))
        init = os.path.join(own, "__init__.py")
        if not os.path.isfile(init):
            return None
        return importlib.util.spec_from_file_location(name, init, submodule_search_locations=[own])


def replacing(found: ModuleSpec) -> ModuleSpec:
    names = REPLACED.get(found.name, {})
    loader: Any = found.loader
    if names and loader is not None:
        loader.exec_module = executed(loader.exec_module, names)
    return found


def executed(execute: Callable[[ModuleType], None], names: dict[str, str]) -> Callable[[ModuleType], None]:
    def exec_module(module: ModuleType) -> None:
        execute(module)
        script = importlib.import_module("agentjet_worker.script")
        for name, ours in names.items():
            if hasattr(module, name):
                setattr(module, name, getattr(script, ours))
        if hasattr(module, "DatasetConfig") and importlib.util.find_spec("datasets") is None:
            module.DatasetConfig.preview = preview

    return exec_module


def preview(self: Any, n: int = 5) -> list[Any]:
    """In place of the one that needs the package `datasets`: the backbone's own reader reads the rows."""
    import json

    rows = importlib.import_module("agentjet_worker.script").scripts().preview(self, n)
    print(json.dumps(rows, indent=2, ensure_ascii=False))
    return rows
