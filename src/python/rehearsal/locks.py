"""Locks between processes, which the system releases when their holder ends."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

try:
    import fcntl

    def _lock(file: IO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:
    import msvcrt

    def _lock(file: IO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


PAUSE_SECONDS = 0.2


def take(path: Path) -> IO | None:
    """Returns the open file that holds the lock, or None if another process holds it."""
    file = path.open("a")
    try:
        _lock(file)
    except OSError:
        file.close()
        return None
    return file


def wait_for(path: Path, on_wait: Callable[[], None]) -> IO:
    """Takes the lock. Calls `on_wait` once if another process holds it."""
    file = take(path)
    if file is None:
        on_wait()
    while file is None:
        time.sleep(PAUSE_SECONDS)
        file = take(path)
    return file
