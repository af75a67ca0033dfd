"""Packages of the user's environment, without which one part of a stand-in does not work."""

from __future__ import annotations

import dis
import importlib
import importlib.util
import inspect
import sys
from types import CodeType, ModuleType
from typing import Any, Iterator

from .failures import WorkerFailure, install_command


def needed(module: str, package: str, purpose: str) -> ModuleType:
    """Returns the module. Raises ImportError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{sys.executable} has no package `{module}`, which {purpose} needs. To install it: "
            f"{install_command(package, sys.executable)}"
        ) from error


def check_packages(loaded: Any) -> None:
    """Raises an error that names all missing packages of the classes of stand-ins (`PACKAGES`) that user code uses."""
    functions = vars(loaded).values() if inspect.isclass(loaded) else [inspect.unwrap(loaded)]
    for function in filter(inspect.isfunction, functions):
        for used in names_used(function.__code__, function.__globals__):
            require_packages(used, loaded.__name__, (function.__code__.co_filename, function.__code__.co_firstlineno))


def require_packages(used: Any, user: str, place: tuple[str | None, int | None] | None = None) -> None:
    packages: dict[str, str] = getattr(used, "PACKAGES", {}) if inspect.isclass(used) else {}
    missing = [package for module, package in packages.items() if not is_installed(module)]
    if not missing:
        return
    # `--no-deps` applies to all packages of a command.
    alone = [package for package in missing if package.startswith("-")]
    together = " ".join(package for package in missing if package not in alone)
    commands = [install_command(one, sys.executable) for one in [*alone, together] if one]
    names = ", ".join(package.rpartition(" ")[2] for package in missing)
    raise WorkerFailure(
        "python/missing-packages",
        f"{user} needs packages of {used.__name__} that {sys.executable} does not have: {names}.",
        f"Install them: {' && '.join(commands)}",
        place,
    )


def names_used(code: CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    """Yields the global values and the names imported from Trinity's stand-in that a function uses."""
    module: ModuleType | None = None
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            module = module_named(step.argval) if step.argval.partition(".")[0] == "trinity" else None
        elif step.opname == "IMPORT_FROM":
            yield getattr(module, step.argval, None)
        elif step.opname == "LOAD_GLOBAL":
            yield scope.get(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_used(inner, scope)


def module_named(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception:  # reported when the function imports it
        return None


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False
