"""Lets the model call the calculator until it answers; the judge compares the answer with the solution."""

from typing import Any, Dict, List

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask
from ajet.schema.task import Task

from tools import CALCULATE_TOOL, run_calculate

SYSTEM_PROMPT = " ".join(
    [
        "You are a careful assistant that solves math problems.",
        "Think step by step and use the calculate tool for arithmetic.",
        "Put the final result, a number, in \\boxed{}.",
    ]
)

MAX_CALLS = 4


class MathAgentWorkflow(Workflow):
    name: str = "math_agent"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client(agent_name="math_agent")
        messages: List[Dict[str, Any]] = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": question_of(workflow_task.task)},
        ]

        # A good place for a first breakpoint: hover over `messages` and watch the conversation grow.
        for call in range(1, MAX_CALLS + 1):
            completion = await client.chat.completions.create(messages=messages, tools=[CALCULATE_TOOL])
            reply = completion.choices[0].message
            messages.append(reply.model_dump(exclude_unset=True))

            if not reply.tool_calls:
                return WorkflowOutput(metadata={"final_answer": reply.content or "", "calls": call})
            for tool_call in reply.tool_calls:
                content = run_tool(tool_call)
                messages.append({"role": "tool", "tool_call_id": tool_call.id, "content": content})
        return WorkflowOutput(metadata={"final_answer": "", "calls": MAX_CALLS})


def run_tool(tool_call: Any) -> str:
    if tool_call.function.name != CALCULATE_TOOL["function"]["name"]:
        return f"Error: there is no tool named {tool_call.function.name}"
    return run_calculate(tool_call.function.arguments)


def question_of(task: Task) -> str:
    """Data sets whose rows are {question, answer} have no main_query: there the whole row is the metadata."""
    question = task.metadata.get("question")
    return question if isinstance(question, str) else task.main_query
