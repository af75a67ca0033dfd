"""Token ids, masks and log probabilities, which Trinity has as tensors of torch: here too where the user's code loads it."""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable, Iterator, List, Sequence, Union


class Number(float):
    """The result of an operation with one number, like a tensor of one element."""

    def item(self) -> float:
        return float(self)


class Numbers(Sequence[Any]):
    """A row of numbers with what workflows do with a tensor of one dimension."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._values: List[Any] = [value.item() if hasattr(value, "item") else value for value in values]

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __getitem__(self, index: Any) -> Any:
        return Numbers(self._values[index]) if isinstance(index, slice) else self._values[index]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, (Numbers, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"tensor({self._values!r})"

    @property
    def shape(self) -> tuple:
        return (len(self._values),)

    def size(self, dim: Union[int, None] = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        return len(self._values)

    def dim(self) -> int:
        return 1

    def tolist(self) -> List[Any]:
        return list(self._values)

    def numpy(self) -> Any:
        import numpy

        return numpy.array(self._values)

    def item(self) -> Any:
        if len(self._values) != 1:
            raise ValueError(f"only one number can be converted, not {len(self._values)}")
        return self._values[0]

    def sum(self) -> Number:
        return Number(sum(self._values))

    def mean(self) -> Number:
        return Number(sum(self._values) / len(self._values)) if self._values else Number("nan")

    def max(self) -> Number:
        return Number(max(self._values))

    def min(self) -> Number:
        return Number(min(self._values))

    def clone(self) -> Numbers:
        return Numbers(self._values)

    def to(self, *_: Any, **__: Any) -> Numbers:
        return self

    detach = cpu = contiguous = clone

    def bool(self) -> Numbers:
        return Numbers(value != 0 for value in self._values)

    def int(self) -> Numbers:
        return Numbers(int(value) for value in self._values)

    def float(self) -> Numbers:
        return Numbers(float(value) for value in self._values)

    def _with(self, other: Any, work: Callable[[Any, Any], Any]) -> Numbers:
        if not isinstance(other, (Numbers, list, tuple)):
            return Numbers(work(value, other) for value in self._values)
        if len(other) != len(self._values):
            raise RuntimeError(f"The sizes differ: {len(self._values)} and {len(other)} numbers")
        return Numbers(work(one, two) for one, two in zip(self._values, other))

    def __add__(self, other: Any) -> Numbers:
        return self._with(other, lambda one, two: one + two)

    def __sub__(self, other: Any) -> Numbers:
        return self._with(other, lambda one, two: one - two)

    def __rsub__(self, other: Any) -> Numbers:
        return self._with(other, lambda one, two: two - one)

    def __mul__(self, other: Any) -> Numbers:
        return self._with(other, lambda one, two: one * two)

    def __truediv__(self, other: Any) -> Numbers:
        return self._with(other, lambda one, two: one / two)

    def __neg__(self) -> Numbers:
        return self * -1

    __radd__ = __add__
    __rmul__ = __mul__


def tensor(values: Any, kind: str) -> Any:
    """
    As it is where it is a tensor, or nothing.

    :param kind: torch's name of the type: `int32`, `float32` or `bool`
    """
    if values is None or isinstance(values, Numbers) or hasattr(values, "is_floating_point"):
        return values
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "tensor"):
        return torch.tensor(list(values), dtype=getattr(torch, kind))
    return Numbers(values)
