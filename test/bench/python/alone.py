"""What agent.py imports, but for ajet; and pydantic, which ajet is made of."""

import asyncio
import json

import openai
import pydantic


async def main() -> None:
    query = "What is 1 + 1?"
    assert query, (json, openai, pydantic)


asyncio.run(main())
