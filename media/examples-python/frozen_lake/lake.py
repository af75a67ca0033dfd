"""The game: moves, slipping, and how it looks."""

from dataclasses import dataclass
from typing import Dict, Optional

from map import Cell, Place, draw_map
from seeded import Seeded

#: In this order a step to either side is one to the next or the one before.
DIRECTIONS = ("left", "down", "right", "up")

STEPS: Dict[str, Place] = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}

SYMBOLS: Dict[Cell, str] = {"frozen": "_", "hole": "O", "goal": "G"}
SYMBOLS_UNDER_PLAYER: Dict[Cell, str] = {"frozen": "P", "hole": "X", "goal": "√"}


@dataclass(frozen=True)
class Move:
    #: 1 on the goal, else 0.
    reward: float
    #: On the goal or in a hole.
    is_done: bool


class FrozenLake:
    """One game: a map, and where the player is on it."""

    def __init__(self, size: int, is_slippery: bool, seed: int) -> None:
        """
        :param size: cells a side
        :param seed: of the map, and of where the player slips: both are the same in all repeats of a task
        """
        self._map = draw_map(size, seed)
        self._is_slippery = is_slippery
        self._slips = Seeded(seed)
        self._player = self._map.start

    def move(self, action: str) -> Move:
        """:param action: a direction, or `still`, which stands for a reply without one"""
        if action == "still":
            return Move(reward=0.0, is_done=False)
        down, right = STEPS[self._slip(action) if self._is_slippery else action]
        there = (self._player[0] + down, self._player[1] + right)
        if self._cell_at(there) is not None:
            self._player = there  # at the edge the player stays
        cell = self._cell_at(self._player)
        return Move(reward=1.0 if cell == "goal" else 0.0, is_done=cell != "frozen")

    def render(self) -> str:
        r"""One line per row, e.g. ` P \t _ \t O \t G \t`."""
        lines = []
        for row, cells in enumerate(self._map.cells):
            shown = [
                (SYMBOLS_UNDER_PLAYER if (row, column) == self._player else SYMBOLS)[cell]
                for column, cell in enumerate(cells)
            ]
            lines.append("".join(f" {symbol} \t" for symbol in shown))
        return "\n".join(lines)

    def _slip(self, meant: str) -> str:
        """The direction meant or the one to either side of it, a third each."""
        turn = self._slips.below(3) - 1
        return DIRECTIONS[(DIRECTIONS.index(meant) + turn) % len(DIRECTIONS)]

    def _cell_at(self, place: Place) -> Optional[Cell]:
        row, column = place
        size = len(self._map.cells)
        return self._map.cells[row][column] if 0 <= row < size and 0 <= column < size else None
