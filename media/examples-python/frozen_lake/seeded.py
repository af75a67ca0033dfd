"""Random numbers that are the same on every machine."""

MASK = 0xFFFFFFFF


class Seeded:
    """
    A small generator (mulberry32): the same seed gives the same numbers, and those that the example in
    TypeScript draws, so that both walk on the same lakes.
    """

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK

    def next(self) -> float:
        """At least 0, below 1."""
        self._state = (self._state + 0x6D2B79F5) & MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 15)) * (mixed | 1)) & MASK
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & MASK
        return (mixed ^ (mixed >> 14)) / 2**32

    def below(self, end: int) -> int:
        """A whole number from 0, below `end`."""
        return int(self.next() * end)
