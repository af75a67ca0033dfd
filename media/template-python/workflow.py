"""The agent. Its calls go through the tuner, which knows which model is trained."""

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

# AgentJet wants a system prompt, first.
SYSTEM_PROMPT = "You solve math problems. Put the final result, a number, in \\boxed{}."


class NewProjectWorkflow(Workflow):
    name: str = "new_project"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client(agent_name="new_project")
        completion = await client.chat.completions.create(
            messages=[
                {"role": "system", "content": SYSTEM_PROMPT},
                {"role": "user", "content": workflow_task.task.main_query},
            ]
        )
        # A good place for a first breakpoint: the reply, before the judge sees it.
        answer = completion.choices[0].message.content or ""
        return WorkflowOutput(metadata={"answer": answer})  # no reward: the judge scores
