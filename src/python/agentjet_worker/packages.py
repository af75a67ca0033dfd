"""Packages of the user's environment, without which one part of a stand-in does not work."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from .failures import install_command


def needed(module: str, package: str, purpose: str) -> ModuleType:
    """Returns the module. Raises ImportError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{sys.executable} has no package `{module}`, which {purpose} needs. To install it: "
            f"{install_command(package, sys.executable)}"
        ) from error
