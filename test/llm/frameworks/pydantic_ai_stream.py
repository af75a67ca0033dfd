from frameworks.pydantic_ai_agent import agent_of


async def solve(question: str, tuner) -> str:
    async with agent_of(tuner).run_stream(question) as result:
        return await result.get_output()
