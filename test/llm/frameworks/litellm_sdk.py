import json

from litellm import acompletion

from frameworks.calculator import INSTRUCTIONS, SCHEMA, calculate


async def solve(question: str, tuner) -> str:
    access = tuner.as_oai_baseurl_apikey(agent_name="solver")
    server = {"model": "openai/any", "api_base": access.base_url, "api_key": access.api_key}
    messages = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": question}]
    while True:
        completion = await acompletion(messages=messages, tools=[SCHEMA], **server)
        message = completion.choices[0].message
        if not message.tool_calls:
            return message.content
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            result = calculate(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
