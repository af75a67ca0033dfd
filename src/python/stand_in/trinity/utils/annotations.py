"""Marks of how settled a thing is; nothing reads them."""

from typing import TypeVar

T = TypeVar("T")


def Experimental(marked: T) -> T:
    marked._is_experimental = True  # type: ignore[attr-defined]
    return marked


def Deprecated(marked: T) -> T:
    marked._is_deprecated = True  # type: ignore[attr-defined]
    return marked
