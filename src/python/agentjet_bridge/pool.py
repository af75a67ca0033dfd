"""The Node processes of this Python process."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional

from .node import find_node
from .process import NodeProcess

FOLDER = Path(__file__).resolve().parent
#: Episodes wait for the model most of the time: one process serves many, and another is started beyond these.
EPISODES_PER_PROCESS = 16
MOST = max(1, min(4, (os.cpu_count() or 1) // 4))


class Pool:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._command: Optional[List[str]] = None
        self._processes: List[NodeProcess] = []
        self._targets: Optional[Dict[str, Any]] = None

    def targets(self) -> Optional[List[str]]:
        """Which targets the workflow has trained; loads it, and raises where that fails."""
        if self._targets is None:
            self._targets = self.least_busy().opened()
        return self._targets["trainableTargets"]

    def least_busy(self) -> NodeProcess:
        """One that has loaded the user's code; raises where that fails."""
        with self._lock:
            self._processes = [one for one in self._processes if not one.has_ended]
            best = min(self._processes, key=lambda one: one.busy, default=None)
            if best is None or (best.busy >= EPISODES_PER_PROCESS and len(self._processes) < MOST):
                best = self._start()
        best.opened()
        return best

    def _start(self) -> NodeProcess:
        if self._command is None:
            self._command = [find_node(), "--no-warnings", str(FOLDER / "bridge.mjs")]
        named = json.loads((FOLDER / "named.json").read_text(encoding="utf-8"))
        process = NodeProcess(self._command, _absolute(named))
        self._processes.append(process)
        return process


def _absolute(named: Dict[str, Any]) -> Dict[str, Any]:
    """Makes the paths of files absolute. They are relative to the folder of the run, which contains this package."""

    def one(export: Optional[Dict[str, str]]) -> Optional[Dict[str, str]]:
        return export and {**export, "file": str(FOLDER.parent / export["file"])}

    return {kind: one(named[kind]) for kind in ("workflow", "judge")}


_pool: Optional[Pool] = None
_owner = 0
_making = threading.Lock()


def pool() -> Pool:
    """Returns the pool of this process. A forked child has its own pool."""
    global _pool, _owner
    with _making:
        if _pool is None or _owner != os.getpid():
            _pool, _owner = Pool(), os.getpid()
        return _pool
