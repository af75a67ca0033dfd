"""Trajectory JSON as AgentJet's trainer saves it: `trajectories.py FOLDER CLONE`.

AgentJet's own tracker makes and merges the timelines of conversations of ours, and its own writer saves them, in a
temporary copy; what they import that only a trainer has stands in, as in merging.py. Writes FOLDER/<task>.json.
"""

import importlib
import os
import shutil
import sys
import tempfile
import types
from pathlib import Path

import merging

TOOLS = [
    {"type": "function", "function": {"name": "count", "description": "", "parameters": {"type": "object", "properties": {}}}}
]
SYSTEM = {"role": "system", "content": "You count. ünïcode ✓ 世界"}
ASKED = {"role": "user", "content": "How many <apples> & \"pears\"?\n\u2028 \u202eno\u202c"}
CALLED = [{"id": "call_1", "type": "function", "function": {"name": "count", "arguments": '{"what": "apples"}'}}]
LOOKS = {"role": "assistant", "content": "I look.", "tool_calls": CALLED}
FOUND = {"role": "tool", "content": "5", "tool_call_id": "call_1"}
STATS = {"accuracy": 0.25, "penalty": -0.5, "grader": "rules", "nested": {"a": 1}}


def reply(text, calls=()):
    return {"content": text, "pieces": [text], "ended": True, "toolCalls": list(calls)}


def call(messages, answer, tools=()):
    return {"messages": messages, "tools": list(tools), "reply": answer}


# By task: raw reward, whether the workflow succeeded, its metadata, its calls.
EPISODES = {
    "tools": (
        1.0,
        True,
        {},
        [
            call([SYSTEM, ASKED], reply("I look.", CALLED), TOOLS),
            call([SYSTEM, ASKED, LOOKS, FOUND], reply("There are 5."), TOOLS),
            call([{"role": "system", "content": "You doubt."}, ASKED], reply("Really?")),
        ],
    ),
    "half": (0.25, False, {"reward_stats": STATS}, [call([SYSTEM, ASKED], reply("Some."))]),
    "refused": (2.0, False, {}, [call([SYSTEM, ASKED], reply(""))]),
}


def save(task, folder, made, tracking):
    raw, succeeded, metadata, calls = EPISODES[task]
    reward = importlib.import_module("ajet.schema.trajectory").Reward
    helpers = importlib.import_module("ajet.utils.metric_helper.reward_metric_helper")
    writer = importlib.import_module("ajet.utils.metric_helper.save_trajectory_as_json")
    limits = {"promptLength": 3_000, "responseLength": 3_000, "turnLength": 3_000, "modelLength": 6_000}
    one = {"limits": limits, "toolCallsDisabled": False, "checklist": []}
    tracker = tracking.MultiAgentContextTracker(
        made["tools"],
        merging.config(one, merging.SETTINGS[0]),
        should_interrupt_fn=lambda: False,
        generated_token_callback_fn=lambda tokens: None,
        workflow_task=types.SimpleNamespace(task_batch_index=0, task_tag="", task_id=task, episode_uuid=task),
    )
    outcomes = [merging.track(tracker, asked, at)[0] for at, asked in enumerate(calls)]
    if set(outcomes) != {"kept"}:
        sys.exit(f"{task}: AgentJet did not keep every call: {outcomes}")
    # In the order of its runner.
    structure = reward(
        raw_reward=raw, raw_step_reward=None, success_rate=1.0 if succeeded else 0.0, madness=0, description=""
    )
    if "reward_stats" in metadata:
        helpers.populate_reward_metadata_from_stats(structure, metadata["reward_stats"])
        tracker.workflow_metadata = metadata
    tracker.process_reward(structure)
    tracker.group_merge()
    tracker.process_reward(structure)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["BEST_LOGGER_PATH"] = temporary
        writer.save_trajectory_as_json([tracker], 3, "train")
        shutil.copyfile(Path(temporary) / f"trajectory/train/step_3/{task}.json", folder / f"{task}.json")


def main(folder, clone):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        tracking = merging.upstream(clone, Path(temporary))
        made = merging.tokenizers()
        for task in EPISODES:
            save(task, folder, made, tracking)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
