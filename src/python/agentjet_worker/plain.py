"""Values of the user's as JSON has them."""

from __future__ import annotations

import math
from typing import Any

#: Deeper than any conversation. Deeper values are replaced by their type.
DEEPEST = 64


def plain(value: Any, depth: int = 0) -> Any:
    """
    Numbers, texts, lists and objects as they are; what JSON has not, as its text. Never fails, and never ends up in a
    circle.
    """
    if value is None or isinstance(value, (bool, str)):
        return value if not isinstance(value, str) else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if depth >= DEEPEST:
        return f"<{type(value).__name__}>"
    if isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth + 1) for item in value]
    return foreign(value, depth)


def foreign(value: Any, depth: int) -> Any:
    """pydantic's models, and numbers and arrays of NumPy and its like, know how to be plain."""
    for method in ("model_dump", "tolist"):
        own = getattr(value, method, None)
        if callable(own) and not isinstance(value, type):
            try:
                return plain(own(), depth + 1)
            except Exception:
                break
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
