"""Values as JSON has them."""

from __future__ import annotations

import math
from typing import Any, Mapping

#: Deeper values become text.
DEEPEST = 64


def plain(value: Any, depth: int = 0) -> Any:
    """Returns a value as JSON data. Never fails and never loops. Values without a JSON form become text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth >= DEEPEST:
        return str(type(value))
    if isinstance(value, Mapping):
        return {str(key): plain(_item(value, key), depth + 1) for key in value}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth + 1) for item in value]
    return _foreign(value, depth)


def _foreign(value: Any, depth: int) -> Any:
    """pydantic's models, arrays of NumPy and its like, OmegaConf's lists, and trees of attributes."""
    for method in ("model_dump", "tolist"):
        own = getattr(value, method, None)
        if callable(own) and not isinstance(value, type):
            try:
                return plain(own(), depth + 1)
            except Exception:
                break
    if type(value).__name__ == "ListConfig":
        return [plain(item, depth + 1) for item in value]
    try:
        return str(value)
    except Exception:
        return str(type(value))


def _item(values: Mapping[Any, Any], key: Any) -> Any:
    """OmegaConf raises for what was to be set and is not."""
    try:
        return values[key]
    except Exception:
        return None


def plain_config(config: Any, depth: int = 0) -> Any:
    """A config may be a mapping or a tree of attributes."""
    fields = None if isinstance(config, Mapping) else getattr(config, "__dict__", None)
    if fields is None or depth >= DEEPEST:
        return plain(config if config is not None else {})
    kind = type(config)
    return {
        key: plain_config(value, depth + 1) if type(value) is kind else plain(value)
        for key, value in fields.items()
        if not key.startswith("_")
    }
