"""
Runs episodes as AgentJet's trainer does: its own runner, tuner, tracker and judging, over a config that was sent. What an
engine on a GPU would say is said here. Takes the words of `ajet`; prints a line of JSON for each episode.

    ajetEpisodes.py --conf CONFIG …
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
import threading
import types
from pathlib import Path

from omegaconf import OmegaConf
from pydantic import BaseModel
from transformers import PreTrainedTokenizerFast

sys.path.insert(0, os.getcwd())
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures/tokenizer"
ANSWER = "Mira has \\boxed{17} plums left."
EPISODES = 4


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Of the trainer's packages and an engine's, whatever name is asked for: nothing of them is called here."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "verl", "vllm"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: type(name, (BaseModel,), {})
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, StandIns())

from ajet.schema.task import Task, WorkflowTask  # noqa: E402
from ajet.task_rollout.async_llm_bridge import TokenAndProb  # noqa: E402
from ajet.task_runner.general_runner import GeneralRunner  # noqa: E402


class Arrays(PreTrainedTokenizerFast):
    """Gives NumPy's arrays where PyTorch's are asked for."""

    def __call__(self, *args, return_tensors=None, **kwargs):
        return super().__call__(*args, return_tensors="np" if return_tensors else None, **kwargs)


TOKENIZER = Arrays(
    tokenizer_file=str(FIXTURES / "byte-level/tokenizer.json"),
    bos_token="<|endoftext|>",
    eos_token="<|im_end|>",
    chat_template=(FIXTURES / "templates/tools.jinja").read_text(encoding="utf-8"),
)
DEFAULTS = {
    "ajet": {
        "task_runner": {"llm_infer_submit_method": "sync", "wrapper_type": "asyncio"},
        "context_tracker": {
            "timeline_merging_policy": {"timeline_compare_level": "text", "ignore_tools": True},
            "fix_retokenization_drift": True,
            "detect_timeline_snap": False,
            "log_tool_format_check": False,
            "log_tool_format_error_detail": False,
        },
        "rollout": {
            "gamma": 1.0,
            "agent_madness_termination": True,
            "force_disable_toolcalls": False,
            "multi_turn": {"max_steps": 30},
        },
        "enable_experimental_interchange_server": False,
        "enable_experimental_reverse_proxy": False,
    }
}
CONFIG = OmegaConf.merge(DEFAULTS, OmegaConf.load(sys.argv[sys.argv.index("--conf") + 1]))


def said(messages, sampling=None, tools=None):
    prompt = TOKENIZER.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    tokens = TOKENIZER.encode(ANSWER + "<|im_end|>", add_special_tokens=False)
    return {
        "role": "assistant",
        "request_id": "said",
        "content": ANSWER,
        "tool_calls": [],
        "prompt_text": prompt,
        "prompt_token_ids": TOKENIZER.encode(prompt, add_special_tokens=False),
        "tokens": [TokenAndProb(token_id=one, logprob=-0.5, decoded_string=TOKENIZER.decode([one])) for one in tokens],
    }


def episode(runner, index):
    # One that asks for what cannot be answered rightly.
    answer = "18" if index == EPISODES - 1 else "17"
    task = Task(
        main_query="How many plums are left?",
        task_id=f"task {index}",
        metadata={"question": "How many plums are left?", "answer": f"14 + 9 - 6 = {answer}\n#### {answer}"},
    )
    window = {name: [value] * EPISODES for name, value in (("step", 0), ("token", 0), ("stop", False))}
    tracker = runner.execute(
        WorkflowTask(
            task=task,
            task_id=task.task_id,
            episode_uuid=f"{index:032x}",
            observation_window=window,
            task_thread_index=index,
            task_batch_index=0,
            task_tag=f"T{index}#R0",
            gym_env=None,
        )
    )
    [timeline] = tracker.saved_timelines
    reward = tracker.reward_structure
    told = {
        "index": index,
        "reward": reward.raw_reward,
        "success": reward.success_rate,
        "roles": [message.role for message in timeline],
        "said": timeline[-1].content,
        "trained": [message.need_training for message in timeline],
        "tokens": window["token"][index],
    }
    print(json.dumps(told), flush=True)


RUNNER = GeneralRunner(llm_inference_fn=said, tokenizer=TOKENIZER, config=CONFIG)
THREADS = [threading.Thread(target=episode, args=(RUNNER, index)) for index in range(EPISODES)]
for thread in THREADS:
    thread.start()
for thread in THREADS:
    thread.join()
