"""One question, one answer."""

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

SYSTEM_PROMPT = (
    "You answer questions about a passage: one short sentence, and nothing that was not asked for."
)


class AnswerWorkflow(Workflow):
    name: str = "answer"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        # A good place for a breakpoint: `workflow_task.task.metadata` says how the query came about.
        client = tuner.as_raw_openai_sdk_client(agent_name="answer")
        completion = await client.chat.completions.create(
            messages=[
                {"role": "system", "content": SYSTEM_PROMPT},
                {"role": "user", "content": workflow_task.task.main_query},
            ]
        )
        return WorkflowOutput(metadata={"final_answer": completion.choices[0].message.content or ""})
