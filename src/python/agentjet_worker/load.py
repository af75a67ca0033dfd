"""Finds the classes and functions that a config names, as AgentJet's own launcher does."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
import threading
from types import ModuleType
from typing import Any

from .children import provide
from .failures import WorkerFailure, import_failure


class Loader:
    def __init__(self) -> None:
        self._loading = threading.RLock()
        #: What a script gives by itself, by file and name: importing the file would run the script once more.
        self._kept: dict[tuple[str, str], Any] = {}

    def keep(self, file: str, name: str, loaded: Any) -> None:
        self._kept[os.path.realpath(file), name] = loaded

    def load(self, kind: str, where: str, name: str) -> Any:
        """
        :param kind: `file`, an absolute path, or `module`, a dotted name
        """
        kept = self._kept.get((os.path.realpath(where), name)) if kind == "file" else None
        if kept is not None:
            return kept
        with self._loading:
            module = self._module(kind, where)
        found = getattr(module, name, None)
        if found is None:
            raise no_such_class(where, name, module)
        if not callable(found):
            raise WorkerFailure(
                "python/not-a-class",
                f"`{name}` of {where} is neither a class nor a function but of type {type(found).__name__}.",
                "Use a class that extends `Workflow` (for a judge, `BaseJudge`) or a function with the signature of AgentScope's tuner.",
                (file_of_module(module), None),
            )
        return found

    def _module(self, kind: str, where: str) -> ModuleType:
        try:
            return self._file(where) if kind == "file" else importlib.import_module(where)
        except WorkerFailure:
            raise
        except Exception as error:
            raise import_failure(error, sys.executable) from error

    def file_of(self, loaded: Any) -> str | None:
        try:
            return inspect.getsourcefile(inspect.unwrap(loaded))
        except TypeError:
            return None

    def _file(self, path: str) -> ModuleType:
        """Loads a module under the base name of its file, as upstream. A loaded module of that name is used as it is."""
        name = os.path.splitext(os.path.basename(path))[0]
        loaded = sys.modules.get(name)
        if loaded is not None:
            return self._same_file(loaded, path, name)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise WorkerFailure("python/not-python", f"{path} is not a Python file.", None, (path, None))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        provide(name, path)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)  # otherwise the second attempt would get a half-loaded module
            raise
        return module

    def _same_file(self, loaded: ModuleType, path: str, name: str) -> ModuleType:
        other = file_of_module(loaded)
        if other is not None and os.path.exists(other) and os.path.samefile(other, path):
            return loaded
        raise WorkerFailure(
            "python/module-name-taken",
            f"{path} cannot be imported as `{name}`, because {other or 'a built-in module'} has this name. "
            "AgentJet would use that module instead of the file.",
            "Rename the file.",
            (path, None),
        )


def file_of_module(module: ModuleType) -> str | None:
    return getattr(module, "__file__", None)


def no_such_class(where: str, name: str, module: ModuleType) -> WorkerFailure:
    own = [key for key, value in vars(module).items() if inspect.isclass(value) and value.__module__ == module.__name__]
    others = f"It has {', '.join(f'`{key}`' for key in own)}." if own else "It defines no classes."
    return WorkerFailure(
        "python/no-such-class", f"{where} has no `{name}`.", others, (file_of_module(module), None)
    )


def targets_of(workflow: Any) -> list[str] | None:
    """Returns the targets; None means all. A string is rejected, because AgentJet would search targets in its letters."""
    targets = getattr(workflow, "trainable_targets", None)
    if targets is None:
        return None
    if isinstance(targets, (list, tuple, set, frozenset)) and all(isinstance(target, str) for target in targets):
        return list(targets)
    cls = type(workflow)
    raise WorkerFailure(
        "python/bad-trainable-targets",
        f"`trainable_targets` of {cls.__name__} is {targets!r}, not a list of strings.",
        'List the target tags to train, for example ["wolf"], or remove it to train all.',
        place_of_class(cls),
    )


def place_of_class(cls: type) -> tuple[str | None, int | None]:
    try:
        return inspect.getsourcefile(cls), inspect.getsourcelines(cls)[1]
    except (OSError, TypeError):
        return None, None
