"""Loggers that write to the run's output. Without actors, there are no log files of actors."""

import logging
import os
import sys
from typing import Optional

FORMAT = "%(levelname)s %(asctime)s [%(filename)s:%(lineno)d] %(message)s"


def get_logger(
    name: Optional[str] = None, level: Optional[int] = None, in_ray_actor: bool = False
) -> logging.Logger:
    """`TRINITY_LOG_LEVEL` sets the level where none is given; INFO otherwise."""
    logger = logging.getLogger(f"trinity.{name}" if name else "trinity")
    logger.propagate = False
    logger.setLevel(level if level is not None else os.environ.get("TRINITY_LOG_LEVEL", "INFO").upper())
    if not logger.handlers:
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(logging.Formatter(FORMAT, datefmt="%m-%d %H:%M:%S"))
        logger.addHandler(handler)
    return logger
