"""How AgentJet oversamples, and what it asks an environment service: `rollout.py FOLDER CLONE`.

Writes FOLDER/{oversampling,means,requests}.json. AgentJet's own code of the clone decides which episodes are stopped and
which are kept; its rollout is driven by a pool of threads that is none, in which episodes end when a case says so.
"""

import copy
import importlib
import json
import sys
import types
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from strings import Random

CASES = 1000
VALUES = [[0, 1], [0, 1, 0.5], [0, 0.1, 1], [-1, 0, 1], [1, 1.5, 0.2, -0.2, 0.7], [0], [1]]


class Pool:
    """Episodes that end at given ticks."""

    def __init__(self, case):
        self.case = case
        self.tick = 0
        self.window = None
        self.stopped = None

    def __call__(self, max_workers):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def submit(self, worker, task, task_batch_index, task_thread_index, observation_window, **_):
        self.window = observation_window
        over = len(self.case["ends"][task_batch_index])
        self.stopped = self.stopped or [None] * len(self.case["ends"])
        at = task_thread_index - task_batch_index * over
        reward = self.case["rewards"][task_batch_index][at]
        structure = SimpleNamespace(
            performance_reward=reward, success_rate=0.0, final_scalar_reward=reward or 0.0
        )
        result = SimpleNamespace(reward_structure=structure, discarded=reward is None, at=(task_batch_index, at))
        end = self.case["ends"][task_batch_index][at]
        return SimpleNamespace(
            done=lambda: self.tick >= end,
            running=lambda: self.tick < end,
            result=lambda: result,
        )

    def sleep(self, _):
        self.note()
        self.tick += 1

    def note(self):
        for task in range(len(self.stopped)):
            over = len(self.case["ends"][task])
            if self.stopped[task] is None and all(self.window["stop"][task * over : (task + 1) * over]):
                self.stopped[task] = self.tick


def case_of(number):
    random = Random(1_000_003 + number)
    while True:
        n = 2 + random.below(7)
        m = random.choose([1.5, 2.0, 1.25, 1.75, 3.0, 2.3])
        if n < int(n * (1 + m) / 2) < int(n * m):
            break
    over = int(n * m)
    tasks = 1 + random.below(5)
    few = random.below(4) == 0
    rewards, ends = [], []
    for _ in range(tasks):
        values = random.choose(VALUES)
        lost = random.below(8) == 0
        rewards.append(
            [None if lost and random.below(4) == 0 else random.choose(values) for _ in range(over)]
        )
        # A group of which nothing came has no mean, and the clone's code fails on it.
        if all(reward is None for reward in rewards[-1]):
            rewards[-1][0] = 1
        ends.append([random.below(6) for _ in range(over)])
    return {
        "n": n,
        "m": m,
        "world": random.choose([1, 2, 4, 8]) if not few else 64,
        "rewards": rewards,
        "ends": ends,
    }


def stub(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def load(clone):
    """The module without what only a trainer has."""
    silent = SimpleNamespace(info=lambda *_: None)
    stub("loguru", logger=silent)
    stub("torch", Tensor=object)
    stub("torch.nn")
    stub("torch.nn.utils")
    stub("torch.nn.utils.rnn", pad_sequence=None)
    stub("tensordict", TensorDict=None)
    stub("tqdm", tqdm=None)
    stub("verl", DataProto=None)
    stub("verl.utils")
    stub("verl.utils.torch_functional", pad_sequence_to_length=None)
    for package in ["ajet", "ajet.context_tracker", "ajet.schema", "ajet.task_rollout", "ajet.utils"]:
        stub(package, __path__=[str(clone / package.replace(".", "/"))])
    stub("ajet.context_tracker.basic_tracker", BaseContextTracker=object)
    stub("ajet.schema.task", Task=object, WorkflowTask=object)
    stub("ajet.schema.trajectory", Sample=object)
    stub("ajet.task_rollout.single_worker", BaseRolloutManager=object)
    return importlib.import_module("ajet.task_rollout.native_parallel_worker")


def oversampled(module, case):
    pool = Pool(case)
    module.ThreadPoolExecutor = pool
    module.time = SimpleNamespace(time=lambda: 0.0, sleep=pool.sleep)
    choice, np.random.choice = np.random.choice, lambda of, count, replace: np.array([of[0]] * count)
    manager = module.DynamicRolloutManager()
    manager.rollout_n = case["n"]
    manager.max_parallel = 1
    manager.current_token = 0
    manager.step_status_printer = lambda *_: None
    manager.rollout_env_worker = None
    manager.config = SimpleNamespace(
        ajet=SimpleNamespace(rollout=SimpleNamespace(submit_oversample_multiplier=case["m"])),
        trainer=SimpleNamespace(n_gpus_per_node=case["world"], nnodes=1),
    )
    tasks = [SimpleNamespace(task_id=str(at)) for at in range(len(case["rewards"]))]
    try:
        kept = manager.rollout_dynamic(tasks, "sample", "1")
    except AssertionError:
        # It runs out of episodes to leave out: only where some were lost.
        return {**case, "stopped": pool.stopped, "kept": None}
    finally:
        np.random.choice = choice
    pool.note()
    groups = [[] for _ in tasks]
    for tracker in kept:
        groups[tracker.at[0]].append(tracker.at[1])
    return {**case, "stopped": pool.stopped, "kept": groups}


def means():
    values = [0.1, 0.7, 1.1, -0.3, 1 / 3, 0.2, 1.5, 1e-3]
    return [
        {"value": value, "count": count, "mean": float(np.mean([value] * count))}
        for value in values
        for count in [1, 2, 3, 5, 7, 8, 9, 13, 16, 23, 64, 127, 128, 129, 200, 1000]
    ]


def requests_of(clone):
    """Bodies of the client's requests, and what its environment makes of the answers."""
    asked = []
    answers = {}

    def post(url, json, timeout):
        asked.append({"url": url, "body": json, "timeout": timeout})
        reply = copy.deepcopy(answers[url.rsplit("/", 1)[1]])
        return SimpleNamespace(raise_for_status=lambda: None, json=lambda: reply)

    stub("requests", post=post)
    silent = SimpleNamespace(info=lambda *_: None, exception=lambda *_: None)
    stub("loguru", logger=silent)
    stub("omegaconf", DictConfig=object)
    client = importlib.import_module("ajet.utils.env_service_client.env_client_ng")
    keeper = importlib.import_module("ajet.task_rollout.resource_keeper")
    client.time = SimpleNamespace(sleep=lambda _: None)
    one = client.EnvClient(base_url="http://host:1/")
    answers.update(
        get_env_profile={"data": [1]},
        create={"data": {"state": []}},
        step={"data": {"state": [{"content": "x"}], "is_terminated": False}},
        evaluate={"data": 1},
        release={"success": True},
    )
    env = keeper.BaseGymEnv(one, "i1", 0, {"step": [0]})
    one.get_env_profile("guess", split="train")
    one.create_instance("guess", "3", "i1", {})
    env.step({"role": "assistant", "content": "3"})
    env.evaluate("i1", {"sparse": False})
    one.release_instance("i1")
    sent = list(asked)
    steps = []
    for data in STEPS:
        answers["step"] = {"data": data}
        try:
            obs, reward, terminate, info = env.step({"role": "assistant", "content": "3"})
            warned = isinstance(obs, str) and obs.startswith("Warning: ")
            told = {"obs": "(warning)" if warned else obs, "reward": reward, "terminate": bool(terminate), "info": info}
        except Exception:
            told = None
        steps.append({"data": data, "told": told})
    answers["step"] = {"data": {"state": [{"content": "x"}], "is_terminated": False}}
    actions = []
    for content in CONTENTS:
        env.step({"role": "assistant", "content": copy.deepcopy(content)})
        actions.append({"content": content, "sent": asked[-1]["body"]["messages"]["content"]})
    return {"requests": sent, "steps": steps, "actions": actions}


STEPS = [
    {"state": [{"role": "user", "content": "a"}], "reward": 1, "is_terminated": True, "info": {"n": 1}},
    {"state": [{"role": "user", "content": ""}], "is_terminated": False},
    {"state": [{"role": "user"}], "is_terminated": False},
    {"state": [{}], "is_terminated": False},
    {"state": [{"error": "e"}], "is_terminated": False},
    {"state": [{"error": "e"}], "error": "outside", "is_terminated": False},
    {"state": [{"error": "e"}], "error": {"code": [None, True, 1, "it's"]}, "is_terminated": False},
    {"state": [{"error": "e", "content": "c"}], "is_terminated": False},
    {"state": [[{"role": "user", "content": "a"}]], "reward": 0.5, "is_terminated": False, "info": {"n": 1}},
    {"state": [[]], "reward": 2, "is_terminated": True, "info": {}},
    {"state": [[]], "is_terminated": True, "info": {}},
    {"state": [[]], "reward": 2, "is_terminated": True},
    {"state": [], "is_terminated": False},
    {"state": {"content": "a"}, "is_terminated": False},
    {"state": [{"content": "a"}]},
    {"state": [{"content": "a"}, {"content": "b"}], "is_terminated": 0},
    {"state": ["a"], "is_terminated": False},
    {"reward": 1, "is_terminated": False},
]
CONTENTS = [
    "text",
    [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}],
    [],
    [{"type": "image"}],
    ["a", "it's", 1, None, True],
    None,
    {"text": "t", "n": [1, 0.5]},
    7,
    False,
]


def write(file, value):
    file.write_text(value + "\n", encoding="utf-8")


def lines(items):
    return "[\n" + ",\n".join(json.dumps(item) for item in items) + "\n]"


def main(folder, clone):
    module = load(clone)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "oversampling.json", lines([oversampled(module, case_of(at)) for at in range(CASES)]))
    write(folder / "means.json", lines(means()))
    write(folder / "requests.json", json.dumps(requests_of(clone), indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
