"""
What upstream's runner does with a workflow and a judge, with the stand-in's tuner against a server of the test's. Prints a
line of JSON for each of the episodes.

    bridgeEpisodes.py FOLDER_OF_PYTHON BASE_URL EPISODE…
"""

import asyncio
import json
import sys
import threading
import time
from types import SimpleNamespace

python, base_url, *asked = sys.argv[1:]
sys.path[:0] = [".", python + "/stand_in", python]

from ajet.schema.task import Task, WorkflowTask  # noqa: E402
from ajet.tuner import AjetTuner, Binding  # noqa: E402

from agentjet_bridge import pool as bridge_pool  # noqa: E402
from agentjet_bridge import process as bridge_process  # noqa: E402
from agentjet_bridge import TypeScriptJudge, TypeScriptWorkflow  # noqa: E402

CONFIG = SimpleNamespace(
    ajet=SimpleNamespace(rollout=SimpleNamespace(max_model_len=512), enable_experimental_interchange_server=True),
    own={"colour": "blue"},
)


class Env:
    def __init__(self):
        self.stepped = threading.Event()

    def step(self, action):
        self.stepped.set()
        return f"{action['content']}, seen", 0.5, False, {"n": 1}


def task_of(query, uuid, env):
    task = Task(main_query=query, task_id=f"t {query}", metadata={"answer": "14 + 9 = 23. #### 17", "question": query})
    window = {"step": [0], "token": [0], "stop": [False]}
    return WorkflowTask(
        task=task, task_id=task.task_id, episode_uuid=uuid, observation_window=window, gym_env=env, task_tag="T#R0"
    )


def tuner_of(uuid, targets):
    binding = Binding(
        base_url=base_url,
        episode_uuid=uuid,
        adapter_header="x-agentjet-adapter",
        debug_models=["gpt-4o"],
        trainable_targets=targets,
        context_overflow=lambda: False,
    )
    return AjetTuner(CONFIG, binding)


async def episode(query, uuid):
    workflow = TypeScriptWorkflow(name="ajet-workflow")
    env = Env()
    task = task_of(query, uuid, env)
    running = asyncio.ensure_future(workflow.execute(task, tuner_of(uuid, workflow.trainable_targets)))
    if query in ("hang", "endless"):
        await asyncio.get_running_loop().run_in_executor(None, env.stepped.wait)
        bridge_process.CANCEL_SECONDS = 0.1 if query == "endless" else 600
        running.cancel()
    if query == "late":
        await asyncio.sleep(0)
        # The loop stands still, so that the end is known and not yet told when it is cancelled.
        while bridge_pool().least_busy().busy > 0:
            time.sleep(0.01)
        running.cancel()
    output = await running
    if output.reward is not None:
        return {"reward": output.reward, "success": output.is_success, **output.metadata, "log": output.log_metrics}
    reward, success = TypeScriptJudge(CONFIG).compute_reward(task, output)
    return {"reward": reward, "success": success, **output.metadata}


def run(query, uuid):
    try:
        told = asyncio.run(episode(query, uuid))
    except asyncio.CancelledError:
        told = {"error": "cancelled"}
    except Exception as error:
        told = {"error": str(error)}
    # In one piece: `print` writes the end of a line by itself, and other threads come between.
    sys.stdout.write(json.dumps({"query": query, **told}) + "\n")
    sys.stdout.flush()


# `a|b` runs b when a has ended; `a&b` at the same time.
for at, wave in enumerate("|".join(asked).split("|")):
    threads = [
        threading.Thread(target=run, args=(query, f"{at:016x}{index:016x}")) for index, query in enumerate(wave.split("&"))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # What was cancelled is let go of, or its process ended.
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
