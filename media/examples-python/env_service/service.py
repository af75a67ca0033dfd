"""
The corner shop as an environment service, of which `server.py` is the HTTP side. Every request has the same
five keys; every instance is a visit of its own, from `create` until `release`.
"""

import json
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from shop import Errand, Goods, Shelves, Visit

ENV_TYPE = "corner_shop"

Fields = Dict[str, Any]


class Refusal(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Request:
    """The five keys."""

    env_type: str
    task_id: Optional[str]
    instance_id: Optional[str]
    #: For `step` the action, {role, content}. The judge's {sparse: false} arrives here too, not in `params`.
    messages: Fields
    params: Fields


@dataclass(frozen=True)
class Stock:
    shelves: Shelves
    #: By split.
    tasks: Dict[str, List[Errand]]


def stock_of(content: Fields) -> Stock:
    shelves = {name: [Goods(**goods) for goods in shelf] for name, shelf in content["shelves"].items()}
    tasks = {split: [Errand(**errand) for errand in errands] for split, errands in content["tasks"].items()}
    return Stock(shelves, tasks)


class ShopService:
    def __init__(self, stock: Stock, tell: Callable[[str], None]) -> None:
        self._stock = stock
        self._tell = tell
        #: By the instance's id, which is the episode's.
        self._visits: Dict[str, Visit] = {}
        #: Every request has a thread of its own.
        self._one_at_a_time = threading.Lock()
        self._endpoints: Dict[str, Callable[[Request], Fields]] = {
            "get_env_profile": lambda request: {"data": self._task_ids(request)},
            "create": lambda request: {"data": self._create(request)},
            "step": lambda request: {"data": self._step(request)},
            "evaluate": lambda request: {"data": self._visit(request).score()},
            "release": lambda request: {"success": self._release(request)},
            "get_info": lambda request: {"data": {"shelves": list(self._stock.shelves)}},
        }

    def answer(self, endpoint: str, body: str) -> Tuple[int, Fields]:
        """HTTP's status, and what goes with it."""
        try:
            run = self._endpoints.get(endpoint)
            if run is None:
                raise Refusal(404, f"There is no endpoint {endpoint}.")
            request = read_request(body)
            with self._one_at_a_time:
                return 200, run(request)
        except Refusal as error:
            return error.status, {"detail": str(error)}
        except ValueError as error:
            return 400, {"detail": str(error)}

    def _task_ids(self, request: Request) -> List[str]:
        split = request.params.get("split")
        known = request.env_type == ENV_TYPE and isinstance(split, str)
        return [errand.id for errand in self._stock.tasks.get(split, [])] if known else []

    def _create(self, request: Request) -> Fields:
        """Its `state` becomes the task's `init_messages`, the last one its `main_query`."""
        errands = [errand for tasks in self._stock.tasks.values() for errand in tasks]
        errand = next((errand for errand in errands if errand.id == request.task_id), None)
        if errand is None or request.instance_id is None:
            raise Refusal(404, f"There is no task {request.task_id}.")
        visit = Visit(self._stock.shelves, errand)
        self._visits[request.instance_id] = visit
        self._tell(f"made {request.instance_id}; open: {len(self._visits)}")
        state = [{"role": "system", "content": visit.rules}, {"role": "user", "content": visit.errand}]
        info = {"instance_id": request.instance_id}
        return {"state": state, "reward": 0, "is_terminated": False, "info": info}

    def _step(self, request: Request) -> Fields:
        """Of `state` the first element counts: a message is the observation, and then `reward` is ignored."""
        visit = self._visit(request)
        content = request.messages.get("content")
        state = [{"role": "user", "content": visit.act(content if isinstance(content, str) else "")}]
        return {"state": state, "reward": 0, "is_terminated": visit.is_paid, "info": {}}

    def _release(self, request: Request) -> bool:
        if request.instance_id is None or self._visits.pop(request.instance_id, None) is None:
            return False
        self._tell(f"released {request.instance_id}; open: {len(self._visits)}")
        return True

    def _visit(self, request: Request) -> Visit:
        visit = None if request.instance_id is None else self._visits.get(request.instance_id)
        if visit is None:
            raise Refusal(404, f"There is no instance {request.instance_id}.")
        return visit


def read_request(body: str) -> Request:
    value = json.loads(body)
    if not isinstance(value, dict):
        raise Refusal(400, "The body must be a JSON object.")

    def text(key: str) -> Optional[str]:
        given = value.get(key)
        if given is not None and not isinstance(given, str):
            raise Refusal(400, f"{key} must be a text.")
        return given

    def fields(key: str) -> Fields:
        given = value.get(key)
        return given if isinstance(given, dict) else {}

    return Request(
        env_type=text("env_type") or "default",
        task_id=text("task_id"),
        instance_id=text("instance_id"),
        messages=fields("messages"),
        params=fields("params"),
    )
