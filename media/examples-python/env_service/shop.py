"""One shopper's visit to the corner shop: what there is, what an action does, and what the visit is worth."""

import re
from dataclasses import dataclass
from typing import Dict, List

ACTIONS = [
    "look SHELF",
    "take NUMBER GOODS, e.g. take 2 pear",
    "return NUMBER GOODS",
    "pay, which ends the visit",
]


@dataclass(frozen=True)
class Goods:
    name: str
    kind: str
    coins: int


Shelves = Dict[str, List[Goods]]


@dataclass(frozen=True)
class Errand:
    id: str
    #: Coins.
    purse: int
    #: How many of each kind.
    list: Dict[str, int]


class Visit:
    def __init__(self, shelves: Shelves, errand: Errand) -> None:
        self.is_paid = False
        self._shelves = shelves
        self._errand = errand
        #: By name of the goods.
        self._basket: Dict[str, int] = {}
        self._goods = {goods.name: goods for shelf in shelves.values() for goods in shelf}

    @property
    def rules(self) -> str:
        return "\n".join(
            [
                "You run errands in a corner shop. Of each kind on the list buy the cheapest goods, "
                "exactly as many as it says.",
                f"The shelves: {', '.join(self._shelves)}.",
                'End each reply with one line "Action: …", '
                f"where the action is one of: {'; '.join(ACTIONS)}.",
            ]
        )

    @property
    def errand(self) -> str:
        wanted = ", ".join(f"{count} {kind}" for kind, count in self._errand.list.items())
        return f"Your list: {wanted}. You have {self._errand.purse} coins."

    def act(self, reply: str) -> str:
        """What the shop answers to a reply of the model. What is wrong with it comes back as text."""
        lines = re.findall(r"^Action:(.*)$", reply, re.IGNORECASE | re.MULTILINE)
        if not lines:
            return 'There was no line that begins with "Action:".'
        action = lines[-1].strip().lower()
        if action == "pay":
            return self._pay()
        match = re.fullmatch(r"(look|take|return)\s+(.+)", action)
        if match is None:
            return f'Nobody here understands "{action}". You can: {"; ".join(ACTIONS)}.'
        verb, rest = match.groups()
        return self._look(rest) if verb == "look" else self._move(verb, rest)

    def score(self) -> float:
        """From 0 to 1: the mean over the list of 1 for the cheapest goods, 0.5 for others; 0 until paid."""
        if not self.is_paid:
            return 0.0
        parts = [self._worth(kind, wanted) for kind, wanted in self._errand.list.items()]
        return sum(parts) / len(parts)

    def _worth(self, kind: str, wanted: int) -> float:
        offered = [goods for goods in self._goods.values() if goods.kind == kind]
        bought = [goods for goods in offered if goods.name in self._basket]
        if sum(self._basket[goods.name] for goods in bought) != wanted:
            return 0.0
        cheapest = min(goods.coins for goods in offered)
        return 1.0 if all(goods.coins == cheapest for goods in bought) else 0.5

    def _look(self, name: str) -> str:
        shelf = self._shelves.get(name)
        if shelf is None:
            return f"There is no shelf {name}."
        return f"On {name}: {', '.join(f'{goods.name} ({goods.kind}) {goods.coins}' for goods in shelf)}."

    def _move(self, verb: str, rest: str) -> str:
        match = re.fullmatch(r"(\d{1,3})\s+(.+)", rest, re.ASCII)
        name = match[2] if match else ""
        goods = self._goods.get(name)
        if match is None or goods is None:
            return f"There is no {name or rest} here." if verb == "take" else f"You have no {name or rest}."
        return self._put(goods, int(match[1]) if verb == "take" else -int(match[1]))

    def _put(self, goods: Goods, change: int) -> str:
        has = self._basket.get(goods.name, 0)
        if has + change < 0:
            return f"You have only {has} {goods.name}."
        self._basket[goods.name] = has + change
        if self._basket[goods.name] == 0:
            del self._basket[goods.name]
        content = ", ".join(f"{many} {name}" for name, many in self._basket.items())
        return f"In your basket: {content or 'nothing'}."

    def _pay(self) -> str:
        due = sum(self._goods[name].coins * many for name, many in self._basket.items())
        if due > self._errand.purse:
            return f"That is {due} coins, more than you have. Return something."
        self.is_paid = True
        return f"You paid {due} coins. Goodbye."
