"""Has Trinity-RFT's own writer leave experiences in a file, as its explorer's `save_input` does. Usage: trinity_lines.py OUT"""

import asyncio
import sys
from pathlib import Path

from trinity.buffer.buffer import get_buffer_writer
from trinity.common.config import StorageConfig
from trinity.common.constants import StorageType
from trinity.common.experience import EID
from trinity_db import counting, single_turn


async def main(out: str) -> None:
    Path(out).unlink(missing_ok=True)
    # As ExperiencePipeline opens it.
    config = StorageConfig(storage_type=StorageType.FILE.value, path=out, schema_type="experience", wrap_in_ray=False)
    writer = get_buffer_writer(config)
    await writer.acquire()
    second = single_turn(2, 0)
    second.eid = EID(batch=0, task=2, run=0, step=1, suffix="21")
    second.prompt_text, second.response_text, second.reward = "And 2 + 2?", "It is 4.", 1.0
    cut = single_turn(3, 0)
    cut.truncate_status = "response_truncated"
    await writer.write(counting())
    await writer.write([single_turn(2, 0), second, cut])
    await writer.release()


asyncio.run(main(sys.argv[1]))
