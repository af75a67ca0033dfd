"""The episodes of a run without the run: `direct.py BASE_URL EPISODES PARALLEL`."""

import asyncio
import sys

from conversation import converse


async def main(base_url: str, episodes: int, parallel: int) -> None:
    free = asyncio.Semaphore(parallel)

    async def episode(number: int) -> None:
        async with free:
            await converse(base_url, "none", f"Count to {number}.")

    await asyncio.gather(*(episode(number) for number in range(episodes)))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
