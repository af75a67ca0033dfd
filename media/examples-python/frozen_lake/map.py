"""Maps of a lake, by seed."""

from dataclasses import dataclass
from typing import List, Literal, Tuple

from seeded import Seeded

Cell = Literal["frozen", "hole", "goal"]

#: Row and column.
Place = Tuple[int, int]

#: Chance of a cell to be frozen; the others are holes.
FROZEN_CHANCE = 0.8

#: How far the search for a way to the goal goes.
FARTHEST = 8

#: Down, right, up, left: the last one is looked at first.
NEIGHBOURS: Tuple[Place, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass(frozen=True)
class LakeMap:
    #: Rows of as many cells as there are rows.
    cells: List[List[Cell]]
    start: Place


def draw_map(size: int, seed: int) -> LakeMap:
    """The map that belongs to a seed: drawn until there is a way from start to goal."""
    seeded = Seeded(seed)
    while True:
        drawn = draw_once(size, seeded)
        if has_way(drawn):
            return drawn


def draw_once(size: int, seeded: Seeded) -> LakeMap:
    def draw_cell() -> Cell:
        return "frozen" if seeded.next() < FROZEN_CHANCE else "hole"

    def draw_place() -> Place:
        return seeded.below(size), seeded.below(size)

    cells = [[draw_cell() for _ in range(size)] for _ in range(size)]
    start = draw_place()
    goal = draw_place()
    while goal == start:
        goal = draw_place()
    cells[start[0]][start[1]] = "frozen"
    cells[goal[0]][goal[1]] = "goal"
    return LakeMap(cells, start)


def has_way(lake_map: LakeMap) -> bool:
    """
    Searches depth first, each cell once and by the way it came to it first. A branch ends where it is too
    long, so that a map can be refused whose goal is near by another way, as AgentJet's example refuses it.
    """
    cells = lake_map.cells
    waiting = [(lake_map.start, 0)]
    seen = set()
    while waiting:
        place, steps = waiting.pop()
        if steps > FARTHEST or place in seen:
            continue
        seen.add(place)
        for down, right in NEIGHBOURS:
            row, column = place[0] + down, place[1] + right
            if not (0 <= row < len(cells) and 0 <= column < len(cells)):
                continue
            if cells[row][column] == "goal":
                return True
            if cells[row][column] == "frozen":
                waiting.append(((row, column), steps + 1))
    return False
