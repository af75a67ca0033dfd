"""Finds the Node.js that runs TypeScript."""

from __future__ import annotations

import os
import shutil
import subprocess

from .failures import no_node

OLDEST = (22, 18)


def find_node() -> str:
    """Returns the executable. Raises if none is new enough."""
    named = os.environ.get("AGENTJET_NODE")
    node = shutil.which(named or "node")
    if node is None:
        raise no_node(f"AGENTJET_NODE is {named}, which is not an executable" if named else "PATH has no `node`")
    try:
        asked = [node, "-p", "process.versions.node"]
        version = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
        known = tuple(int(part) for part in version.split(".")[:2])
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise no_node(f"the version of {node} is unknown: {error}") from error
    if known < OLDEST:
        raise no_node(f"{node} is {version}")
    return node
