"""Finds the classes that a Trinity config names: in plugins, by dotted path, or among those that Trinity brings."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import sys
from typing import Any, Iterator

from .children import provide
from .failures import WorkerFailure, failure_of, import_failure, place_of
from .stand_in import install_trinity

#: The limits of the search for a class without a plugin folder: the depth of folders and the number of files.
DEEPEST = 3
MOST_FILES = 500
SKIPPED = {"node_modules", "site-packages", "__pycache__", "saved_experiments"}


class TrinityRegistry:
    def __init__(self, folders: list[str], plugins: list[str]) -> None:
        self._folders = folders
        self._plugins = plugins
        self._failed: list[tuple[str, Exception]] = []
        self._loaded: set[str] = set()
        self._begun = False
        #: Things to tell that keep no run from going.
        self.problems: list[dict[str, Any]] = []

    def workflow(self, name: str) -> Any:
        return self._find("workflow", name)

    def reward_fn(self, name: str | None) -> Any:
        return None if name is None else self._find("reward function", name)

    def take_problems(self) -> list[dict[str, Any]]:
        problems, self.problems = self.problems, []
        return problems

    def _find(self, kind: str, name: str) -> Any:
        self._begin()
        registry = registries()[kind]
        try:
            return self._get(registry, name)
        except ValueError:
            pass
        self._search(name)
        try:
            return self._get(registry, name)
        except ValueError:
            raise self._unknown(kind, name, registry) from None

    def _get(self, registry: Any, name: str) -> Any:
        try:
            return registry.get(name)
        except (ValueError, WorkerFailure):
            raise
        except AttributeError as error:
            if place_of(error) is not None:
                raise import_failure(error, sys.executable) from error
            raise WorkerFailure("trinity/no-such-class", f"`{name}` is not the name of a class: {error}.") from error
        except Exception as error:
            raise import_failure(error, sys.executable) from error

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        install_trinity()
        for folder in self._plugins:
            if not os.path.isdir(folder):
                message = f"The plugin folder {folder} does not exist."
                hint = "Correct --plugin-dir (launch.json: pluginDirs). It is relative to the working directory."
                self.problems.append({"code": "trinity/no-plugin-folder", "message": message, "hint": hint})
                continue
            for file in sorted(os.listdir(folder)):
                if file.endswith(".py") and not file.startswith("__"):
                    self._load(os.path.join(folder, file))

    def _load(self, file: str) -> None:
        """Loads a plugin. As in Trinity, a failure is only a warning; its classes are then missing."""
        path = os.path.abspath(file)
        if path in self._loaded:
            return
        self._loaded.add(path)
        name = f"trinity.plugins.{os.path.splitext(os.path.basename(path))[0]}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            return
        module = importlib.util.module_from_spec(spec)
        module.__package__ = "trinity.plugins"
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            self._failed.append((path, error))
            self.problems.append({**failure_of(error), "code": "trinity/plugin-failed", "hint": None})
            return
        sys.modules.setdefault(name, module)
        provide(name, path)

    def _search(self, name: str) -> None:
        """Searches for the plugin of a class, because a config does not name its plugins. Training needs `--plugin-dir`."""
        found = [file for file in sources(self._folders) if registers(file, name)]
        if len(found) != 1 or os.path.abspath(found[0]) in self._loaded:
            return
        self._load(found[0])
        folder = os.path.relpath(os.path.dirname(found[0]) or ".")
        self.problems.append(
            {
                "code": "trinity/plugin-found",
                "message": f"{os.path.relpath(found[0])} registers `{name}`, but is not in a plugin folder of this run.",
                "hint": f"Training needs the plugin folder: trinity run --plugin-dir {folder}. Set it here too, with --plugin-dir (launch.json: pluginDirs).",
            }
        )

    def _unknown(self, kind: str, name: str, registry: Any) -> WorkerFailure:
        if self._failed:
            file, error = self._failed[0]
            failure = import_failure(error, sys.executable)
            message = f"No {kind} is registered as `{name}`, and the plugin {os.path.relpath(file)} failed: {failure}"
            return WorkerFailure("trinity/plugin-failed", message, failure.hint, place_of(error) or (file, None))
        own = list(registry.modules)
        near = difflib.get_close_matches(name, [*own, *registry._default_mapping], 3, 0.5)
        known = f"Similar names: {listed(near)}." if near else f"Registered names: {listed(own)}." if own else ""
        return WorkerFailure(
            "trinity/unknown-name",
            f"No {kind} is registered as `{name}`.",
            f"{known} Correct the name, use a dotted path (package.module.Class), or set the folder of the file that "
            "registers it with --plugin-dir FOLDER (launch.json: pluginDirs).".strip(),
        )


def registries() -> dict[str, Any]:
    from trinity.common.rewards import REWARD_FUNCTIONS
    from trinity.common.workflows import WORKFLOWS

    return {"workflow": WORKFLOWS, "reward function": REWARD_FUNCTIONS}


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def sources(folders: list[str]) -> Iterator[str]:
    seen = 0
    for root in folders:
        for folder, inside, files in os.walk(root):
            depth = os.path.relpath(folder, root).count(os.sep) + (folder != root)
            leave = depth >= DEEPEST or "pyvenv.cfg" in files
            inside[:] = [] if leave else sorted(one for one in inside if one not in SKIPPED and one[0] != ".")
            if "pyvenv.cfg" in files:
                continue
            for file in sorted(files):
                if file.endswith(".py"):
                    seen += 1
                    if seen > MOST_FILES:
                        return
                    yield os.path.join(folder, file)


def registers(file: str, name: str) -> bool:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            text = source.read(1_000_000)
    except OSError:
        return False
    pattern = rf"register_module\(\s*(?:(?:module_)?name\s*=\s*)?(['\"]){re.escape(name)}\1"
    return re.search(pattern, text) is not None
