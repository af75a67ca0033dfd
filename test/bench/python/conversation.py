"""What an episode does, with or without a gateway before the model."""

import openai

CALLS = 5


async def converse(base_url: str, api_key: str, query: str) -> int:
    async with openai.AsyncOpenAI(base_url=base_url, api_key=api_key) as client:
        messages = [{"role": "system", "content": "You count."}]
        for call in range(CALLS):
            messages.append({"role": "user", "content": f"{query} Step {call}."})
            completion = await client.chat.completions.create(model="any", messages=messages)
            messages.append({"role": "assistant", "content": completion.choices[0].message.content})
        return len(messages)
