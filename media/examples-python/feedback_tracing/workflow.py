"""Asks what the deployed agent was asked, anew; the judge compares the answer with what that one replied."""

import json
from typing import Any, Dict, List

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

from calculator import CALCULATE_TOOL, run_calculate

SYSTEM_PROMPT = " ".join(
    [
        "You solve math questions. Use the calculate tool for arithmetic.",
        "When you know the result, a number, put it in \\boxed{} "
        "and finish with generate_response.",
    ]
)

MAX_CALLS = 10

#: Its call is the last reply. A structured answer is asked for by a tool: training passes on no other option.
FINISH_TOOL: Dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "generate_response",
        "description": "Ends the work with the final answer.",
        "parameters": {
            "type": "object",
            "properties": {
                "result": {"type": "string", "description": "The final answer, with the result in \\boxed{}"},
            },
            "required": ["result"],
            "additionalProperties": False,
        },
    },
}


class SolverWorkflow(Workflow):
    name: str = "solver"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client(agent_name="solver")
        messages: List[Dict[str, Any]] = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": workflow_task.task.main_query},
        ]
        # A good place for a breakpoint: `workflow_task.task.metadata["answer"]` is the traced reply.
        for _ in range(MAX_CALLS):
            completion = await client.chat.completions.create(
                messages=messages, tools=[CALCULATE_TOOL, FINISH_TOOL]
            )
            reply = completion.choices[0].message
            messages.append(reply.model_dump(exclude_unset=True))

            # A model that answers in words has finished, too.
            if not reply.tool_calls:
                return answer_of(reply.content or "")
            for tool_call in reply.tool_calls:
                name, arguments = tool_call.function.name, tool_call.function.arguments
                if name == FINISH_TOOL["function"]["name"]:
                    return answer_of(result_in(arguments))
                known = name == CALCULATE_TOOL["function"]["name"]
                content = run_calculate(arguments) if known else f"Error: there is no tool named {name}"
                messages.append({"role": "tool", "tool_call_id": tool_call.id, "content": content})
        return answer_of("")


def answer_of(answer: str) -> WorkflowOutput:
    return WorkflowOutput(metadata={"final_answer": answer})


def result_in(arguments: str) -> str:
    """A model may send anything; what is no such object is taken as it is."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    return str(value["result"]) if isinstance(value, dict) and "result" in value else arguments
