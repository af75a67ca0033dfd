"""One reply to a conversation that breaks off: the next question, or `<stop />`. The judge scores it."""

from typing import Any, Dict, List

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

SYSTEM_PROMPT = "\n".join(
    [
        "You are a doctor who talks with a patient in writing. Carry the conversation on, in English.",
        "Ask for one thing that you do not know yet: a single question, in one sentence, "
        "with two or three answers to choose from.",
        "Never ask what has been asked before.",
        "Once you know enough to advise the patient, answer with <stop /> and nothing else.",
    ]
)


class ExampleLearn2Ask(Workflow):
    name: str = "learn_to_ask"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client(agent_name="doctor")
        messages: List[Dict[str, Any]] = [{"role": "system", "content": SYSTEM_PROMPT}]
        messages += [message_of(message) for message in workflow_task.task.init_messages]
        completion = await client.chat.completions.create(messages=messages)
        response = completion.choices[0].message.content or ""
        # A good place for a breakpoint: `messages` is what was said, `response` what the doctor makes of it.
        return WorkflowOutput(metadata={"response": response})


def message_of(message: Dict[str, Any]) -> Dict[str, Any]:
    """The data set has the patient as `user` and the doctor, whose part is being learned, as `assistant`."""
    if message["role"] not in ("user", "assistant"):
        raise ValueError(f"A dialogue has messages of user and assistant, none of {message['role']}.")
    return {"role": message["role"], "content": message["content"]}
