import asyncio

from smolagents import OpenAIModel, ToolCallingAgent, tool

from frameworks import calculator


@tool
def calculate(expression: str) -> str:
    """Works out an arithmetic expression.

    Args:
        expression: such as 2 * (3 + 4)
    """
    return calculator.calculate(expression)


async def solve(question: str, tuner) -> str:
    access = tuner.as_oai_baseurl_apikey(agent_name="solver")
    model = OpenAIModel("any", api_base=access.base_url, api_key=access.api_key)
    agent = ToolCallingAgent(tools=[calculate], model=model, max_steps=1, verbosity_level=0)
    # Its own takes a minute to read on a CPU.
    agent.prompt_templates["system_prompt"] = calculator.INSTRUCTIONS
    return str(await asyncio.to_thread(agent.run, question))
