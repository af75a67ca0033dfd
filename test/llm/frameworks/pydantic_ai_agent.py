from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from frameworks.calculator import INSTRUCTIONS, calculate


def agent_of(tuner) -> Agent:
    access = tuner.as_oai_baseurl_apikey(agent_name="solver")
    provider = OpenAIProvider(base_url=access.base_url, api_key=access.api_key)
    model = OpenAIChatModel("any", provider=provider)
    return Agent(model, instructions=INSTRUCTIONS, tools=[calculate], retries=2)


async def solve(question: str, tuner) -> str:
    return (await agent_of(tuner).run(question)).output
