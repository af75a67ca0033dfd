"""A number puzzle: one question, one answer; the judge computes what the boxed expression comes to."""

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

SYSTEM_PROMPT = " ".join(
    [
        "You solve number puzzles: reach the target with the numbers that are given.",
        "Use each number exactly once, and no operations but + - * / and parentheses.",
        "Show how you get there, step by step.",
        "End with the expression alone in \\boxed{}, for example \\boxed{(1 + 2) * 3}.",
    ]
)


class ExampleCountdownLearn(Workflow):
    name: str = "countdown_agent_workflow"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        # The rows of the data set have these two columns and no question: `task.main_query` says nothing.
        target = workflow_task.task.metadata.get("target")
        nums = workflow_task.task.metadata.get("nums")
        if not isinstance(target, (int, float)) or not isinstance(nums, list):
            raise ValueError("A row of the data set needs a number `target` and a list `nums`.")
        client = tuner.as_raw_openai_sdk_client(agent_name="countdown_react_agent")
        numbers = ", ".join(str(number) for number in nums)
        completion = await client.chat.completions.create(
            messages=[
                {"role": "system", "content": SYSTEM_PROMPT},
                {
                    "role": "user",
                    "content": f"Target: {target}\nNumbers: {numbers}\n\nHow do you reach the target?",
                },
            ]
        )
        # A good place for a first breakpoint: the reply, before the judge sees it.
        final_answer = completion.choices[0].message.content or ""
        return WorkflowOutput(metadata={"final_answer": final_answer, "target": target, "nums": nums})
