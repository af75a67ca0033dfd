"""The errors of the bridge, for the log of the training run."""

from __future__ import annotations

from typing import Any, Dict


class BridgeError(RuntimeError):
    """:param code: stable; it ends the message"""

    def __init__(self, code: str, message: str, hint: str = "", stack: str = "") -> None:
        super().__init__(f"{message} [{code}]" + (f"\n  {hint}" if hint else "") + (f"\n{stack}" if stack else ""))
        self.code = code


def of_report(report: Dict[str, Any]) -> BridgeError:
    """An error of the TypeScript's, with its place and its stack."""
    where = report.get("location") or {}
    place = ":".join(str(where[key]) for key in ("file", "line", "column") if where.get(key) is not None)
    message = f"{place}: {report['message']}" if place else report["message"]
    return BridgeError(report["code"], message, report.get("hint") or "", report.get("stack") or "")


def no_node(found: str) -> BridgeError:
    return BridgeError(
        "bridge/node",
        f"A TypeScript workflow needs Node.js 22.18 or later on the machine of the trainer, but {found}.",
        "Install Node.js on this machine. Add it to PATH, or set AGENTJET_NODE to its executable.",
    )


def lost(ended: str) -> BridgeError:
    return BridgeError(
        "bridge/node-ended",
        f"The Node.js process that ran the workflow {ended}.",
        "See its last output in this log. The next episode runs in a new process.",
    )


def slow_start(seconds: float) -> BridgeError:
    return BridgeError(
        "bridge/slow-start",
        f"The workflow was not loaded within {seconds:g} s.",
        "Check whether its modules wait for something while they are loaded.",
    )
