"""NumPy's shuffle without NumPy."""

import random
from typing import List, TypeVar

T = TypeVar("T")

WORDS = 624
MASK = 0xFFFFFFFF


def shuffle(items: List[T], seed: int) -> None:
    """
    Shuffles in place, the same way for the same seed (0 to 2**32 - 1): as ``np.random.seed(seed)`` and
    ``np.random.shuffle`` do with a list, so that a task seats the players as AgentJet's example does.
    """
    twister = random.Random()
    twister.setstate((3, (*first_state(seed), WORDS), None))
    for last in range(len(items) - 1, 0, -1):
        mask = (1 << last.bit_length()) - 1
        other = twister.getrandbits(32) & mask
        while other > last:
            other = twister.getrandbits(32) & mask
        items[last], items[other] = items[other], items[last]


def first_state(seed: int) -> List[int]:
    """Python's own generator spreads a seed over its state in another way than NumPy does."""
    state = [seed & MASK]
    for index in range(1, WORDS):
        before = state[-1]
        state.append((1_812_433_253 * (before ^ (before >> 30)) + index) & MASK)
    return state
