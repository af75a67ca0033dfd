"""Finds classes by the names that they are registered under."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Dict, Optional


class Registry:
    """
    Names of three kinds, in this order: what was registered, what Trinity itself brings, and a dotted path, whose last
    part is the class.
    """

    def __init__(self, name: str, default_mapping: Optional[Dict[str, str]] = None) -> None:
        self._name = name
        self._modules: Dict[str, Any] = {}
        self._default_mapping = dict(default_mapping or {})

    @property
    def name(self) -> str:
        return self._name

    @property
    def modules(self) -> Dict[str, Any]:
        return self._modules

    def get(self, module_key: Any) -> Any:
        """None for None. Raises ValueError for a name that nothing has, and whatever importing it raises."""
        if module_key is None:
            return None
        found = self._modules.get(module_key)
        if found is not None:
            return found
        path = self._default_mapping.get(module_key, module_key)
        if not isinstance(path, str) or "." not in path:
            raise ValueError(f"{self._name} has no {module_key!r}.")
        found = self._dynamic_import(*path.rsplit(".", 1))
        if module_key not in self._default_mapping:
            self._register_module(module_key, found)
        return found

    def _register_module(self, module_name: Optional[str] = None, module_cls: Any = None, force: bool = False) -> None:
        name = module_cls.__name__ if module_name is None else module_name
        if name in self._modules and not force:
            raise KeyError(f"{self._name} already has a {name}. Use force=True to replace it.")
        self._modules[name] = module_cls
        module_cls._name = name

    def register_module(
        self, module_name: Optional[str] = None, module_cls: Any = None, force: bool = False, lazy: bool = False
    ) -> Any:
        """Registers a class. Also a decorator: ``@WORKFLOWS.register_module("name")``."""
        if not (module_name is None or isinstance(module_name, str)):
            raise TypeError(f"module_name must be a string or None, not {module_name!r}.")
        if module_cls is not None:
            self._register_module(module_name, module_cls, force)
            return module_cls

        def register(decorated: Any) -> Any:
            self._register_module(module_name, decorated, force)
            return decorated

        registering: Callable[[Any], Any] = register
        return registering

    def _dynamic_import(self, module_path: str, class_name: str) -> Any:
        return getattr(importlib.import_module(module_path), class_name)
