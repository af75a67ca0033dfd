"""Seeded strings; test/unit/tokenizer/strings.ts makes the same ones."""

import json
from pathlib import Path

POOLS = json.loads((Path(__file__).parent / "pools.json").read_text(encoding="utf-8"))


class Random:
    """mulberry32"""

    def __init__(self, seed):
        self.state = seed & 0xFFFFFFFF

    def below(self, bound):
        self.state = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        t = self.state
        t = ((t ^ (t >> 15)) * (t | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        return (t ^ (t >> 14)) % bound

    def choose(self, items):
        return items[self.below(len(items))]


def piece(random, kinds):
    kind = random.choose(kinds)
    if kind == "ranges":
        first, last = random.choose(POOLS["ranges"])
        return chr(first + random.below(last - first + 1))
    text = random.choose(POOLS[kind])
    # Words mostly stand apart.
    return " " + text if kind == "words" and random.below(4) != 0 else text


def string(seed):
    """The string of this number: up to 16 pieces, now and then one of them many times."""
    random = Random(seed)
    text = ""
    for _ in range(random.below(17)):
        one = piece(random, POOLS["kinds"])
        text += one * (2 + random.below(30)) if random.below(40) == 0 else one
    return text
