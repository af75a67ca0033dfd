"""Lets the model call the calculator until it answers."""

import json
from logging import Logger
from typing import Any, Dict, List

from agentscope.tuner import WorkflowOutput

from tools import CALCULATE_TOOL, run_calculate

SYSTEM_PROMPT = " ".join(
    [
        "You are a careful assistant that solves math problems.",
        "Think step by step and use the calculate tool for arithmetic.",
        "Put the final result, a number, in \\boxed{}.",
    ]
)

MAX_CALLS = 4


async def solve(task: Dict[str, Any], model: Any, logger: Logger) -> WorkflowOutput:
    """
    It is given what the names of its parameters ask for: `task` is the row of the data set, `model` the model
    that is trained, which is called as AgentScope's chat models are. The response is the judge's.
    """
    messages: List[Dict[str, Any]] = [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": str(task["question"])},
    ]
    tool_calls = 0

    # A good place for a first breakpoint: hover over `reply` and see its blocks.
    for call in range(1, MAX_CALLS + 1):
        reply = await model(messages, tools=[CALCULATE_TOOL])
        text = "".join(block["text"] for block in reply.content if block["type"] == "text")
        uses = [block for block in reply.content if block["type"] == "tool_use"]
        if not uses:
            return WorkflowOutput(response=text, metrics={"calls": call, "tool_calls": tool_calls})
        messages.append(message_of(text, uses))
        for use in uses:
            known = use["name"] == CALCULATE_TOOL["function"]["name"]
            content = run_calculate(use["input"]) if known else f"Error: there is no tool {use['name']}"
            messages.append({"role": "tool", "tool_call_id": use["id"], "content": content})
            tool_calls += 1
    logger.warning("no answer after %d calls: %s", MAX_CALLS, task["question"])
    return WorkflowOutput(response="", metrics={"calls": MAX_CALLS, "tool_calls": tool_calls})


def message_of(text: str, uses: List[Dict[str, Any]]) -> Dict[str, Any]:
    """The reply as the next request repeats it: to the letter, so that training sees one conversation."""
    calls = [
        {
            "id": use["id"],
            "type": "function",
            "function": {
                "name": use["name"],
                "arguments": json.dumps(use["input"], ensure_ascii=False, separators=(",", ":")),
            },
        }
        for use in uses
    ]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}
