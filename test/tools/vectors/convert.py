"""Writes what AgentJet's own launcher makes of our configs: `python convert.py FIXTURES AGENTJET`.

AGENTJET is a clone of github.com/modelscope/AgentJet; of its code only ajet/utils/config_*.py is run.
The inputs are made here, so that the fixtures hold nothing of AgentJet's but its results.
"""

import contextlib
import importlib
import io
import json
import os
import random
import re
import sys
import tempfile
import types
from pathlib import Path

SEED = 20260129
CONFIGS = 160
EXPRESSIONS = 400
TARGETS = ["verl", "trinity", "debug"]
PRIMARY = "conf/exp.yaml"

# The launcher's three layers, in small, with values that are found nowhere else.
DEFAULTS = {
    "ajet/default_config/ajet_default.yaml": """\
ajet:
  project_name: layered
  experiment_name: read_yaml_name
  experiment_dir: auto
  backbone: debug
  model: {path: /models/seven}
  data: {max_prompt_length: 300, max_response_length: 700, train_batch_size: 6}
  rollout:
    max_env_worker: 50
    num_repeat: 3
    n_vllm_engine: 2
    tensor_model_parallel_size: 1
    max_model_len: 1100
    multi_turn: {enable: true, expected_steps: 1, max_steps: 9}
    val_kwargs: {temperature: 0.0, top_k: -1, num_repeat: 1}
  trainer_common:
    val_before_train: false
    total_epochs: 7
    save_freq: 70
    test_freq: 71
    nnodes: 1
    n_gpus_per_node: 8
    logger: swanlab
    mini_batch_num: 1
    algorithm: {adv_estimator: grpo, use_kl_in_reward: false}
    fsdp_config: {param_offload: true, fsdp_size: -1}
    optim: {lr: 1e-06, weight_decay: 0.5}
    use_kl_loss: true
    kl_loss_coef: 0.003
    kl_loss_type: low_var_kl
    ulysses_sequence_parallel_size: 1
    checkpoint_base_dir: ./kept
""",
    "ajet/default_config/verl/verl_default.yaml": """\
trainer:
  logger: [console]
  checkpoint_base_dir: elsewhere
  project_name: p0
  experiment_name: e0
  default_local_dir: ${trainer.checkpoint_base_dir}/${trainer.project_name}/${trainer.experiment_name}
  balance_batch: true
actor_rollout_ref:
  actor:
    fsdp_config: {wrap_policy: {min_num_params: 0}}
    optim: {lr: 0.5, num_cycles: 0.25}
    grad_clip: 1.0
  rollout:
    multi_turn: {enable: false, format: hermes}
data: {shuffle: true, train_batch_size: 1}
""",
    "ajet/default_config/trinity/trinity_default.yaml": """\
trinity:
  algorithm: {policy_loss_fn_args: {clip_range: 0.25}}
  buffer: {batch_size: 5, train_batch_size: 35, explorer_input: {eval_tasksets: []}}
  cluster: {gpu_per_node: 4, node_num: 3}
  synchronizer: {sync_interval: 1, sync_method: nccl}
""",
}

HEAD = """\
hydra:
  searchpath:
    - file://ajet/default_config
    - file://ajet/default_config/verl
    - file://ajet/default_config/trinity
defaults: [verl_default, trinity_default, ajet_default, _self_]
"""

# Lines that one config in several has, as `path: yaml`.
VARIATIONS = [
    ("ajet.data.train_batch_size", ["1", "5", "32", "7.0", "null", "'8'", "${ajet.rollout.num_repeat}", "-5", "0"]),
    ("ajet.rollout.num_repeat", ["1", "4", "8", "2.5", "true", "${oc.env:AGENTJET_VECTORS_UNSET,4}"]),
    ("ajet.rollout.multi_turn.expected_steps", ["1", "3", "10", "1.5", "null"]),
    ("ajet.rollout.max_env_worker", ["16", "512", "100.5", "many"]),
    ("ajet.rollout.n_vllm_engine", ["1", "3", "8", "0", "-2"]),
    ("ajet.rollout.tensor_model_parallel_size", ["1", "2", "4"]),
    ("ajet.rollout.val_kwargs", ["null", "{temperature: 1.0}", "{extra: [1, 2]}"]),
    ("ajet.trainer_common.logger", ["wandb", "[console, wandb]", "null"]),
    ("ajet.trainer_common.nnodes", ["1", "2"]),
    ("ajet.trainer_common.n_gpus_per_node", ["1", "2", "8"]),
    ("ajet.trainer_common.optim.lr", ["1e-5", "0.1", "null"]),
    ("ajet.trainer_common.fsdp_config", ["{}", "{fsdp_size: 4, new: {deep: 1}}", "null"]),
    ("ajet.experiment_name", ["a|b", "plain", "${ajet.project_name}_x", "null", "12"]),
    ("ajet.model.path", ["/m", "${.nothing}", "${ajet.project_name}", "null"]),
    ("trainer.logger", ["[a]", "b"]),
    ("trainer.project_name", ["typed"]),
    ("trainer.total_training_steps", ["5"]),
    ("actor_rollout_ref.actor.optim.lr", ["9.0"]),
    ("actor_rollout_ref.model", ["null", "text"]),
    ("data.seed", ["42"]),
    ("trinity.buffer.train_batch_size", ["99"]),
    ("trinity.buffer.explorer_input.eval_tasksets", ["[{name: x}]", "null"]),
    ("trinity.synchronizer.sync_offset", ["1"]),
    ("trinity.algorithm.algorithm_type", ["ppo", "{a: 1}"]),
    ("trinity.explorer", ["{}", "null", "{rollout_model: {seed: 4}}"]),
    ("trinity.cluster", ["{gpu_per_node: 1}"]),
    ("workflow_of_mine.depth", ["3"]),
]


def config_text(rng):
    tree = {}
    for path, values in VARIATIONS:
        if rng.random() < 0.13:
            steps = path.split(".")
            section = tree
            for step in steps[:-1]:
                section = section.setdefault(step, {})
            section[steps[-1]] = rng.choice(values)
    tree.setdefault("ajet", {}).setdefault("project_name", "mine")
    head = HEAD
    roll = rng.random()
    if roll < 0.05:
        head = head.replace("    - file://ajet/default_config/trinity\n", "")
    elif roll < 0.1:
        head = head.replace("verl_default, ", "")
    return "\n".join(lines(tree, 0)) + "\n" + head


def lines(tree, depth):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield "  " * depth + f"{key}:"
            yield from lines(value, depth + 1)
        else:
            yield "  " * depth + f"{key}: {value}"


def launcher(agentjet):
    """AgentJet's two modules, without the packages around them, which import torch."""
    if not (agentjet / "ajet/utils/config_utils.py").is_file():
        sys.exit(f"There is no AgentJet in {agentjet}; the vectors stay as they are. Clone it and name its folder.")
    for name in ["ajet", "ajet.utils"]:
        package = types.ModuleType(name)
        package.__path__ = [str(agentjet / name.replace(".", "/"))]
        sys.modules[name] = package
    viewer = types.ModuleType("beast_logger")
    viewer.print_dict = lambda *_, **__: None
    sys.modules["beast_logger"] = viewer
    quiet = types.ModuleType("loguru")
    quiet.logger = types.SimpleNamespace(success=print, info=print, warning=print)
    sys.modules["loguru"] = quiet
    return importlib.import_module("ajet.utils.config_utils"), importlib.import_module("ajet.utils.config_computer")


class Endless(Exception):
    pass


def converted(utils, agentjet, text, target):
    """The final configuration as the backbone reads it, with `${…}` resolved; or where and why that fails."""
    from omegaconf import OmegaConf

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for name, content in {**DEFAULTS, PRIMARY: text}.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(content)
        stage = "prepare"
        try:
            final, run_folder, name, _ = utils.prepare_experiment_config(PRIMARY, "saved_experiments", target)
            stage = "convert"
            table = "trinity" if target == "trinity" else "verl"
            destination = final
            if target == "trinity":
                destination = f"{run_folder}/trinity_launch.yaml"
                boot = agentjet / "ajet/default_config/trinity/trinity_launch.yaml"
                Path(destination).write_text(boot.read_text())
            rules = agentjet / f"ajet/default_config/{table}/config_auto_convertion_{table}.jsonc"
            steps = 0

            def trace(frame, event, _):
                nonlocal steps
                if frame.f_code.co_name == "config_safe_guard":
                    steps += 1
                    if steps > 100_000:
                        raise Endless("rounding never ends")
                    return trace
                return None

            sys.settrace(trace)
            try:
                utils.align_parameters(final, destination, str(rules), target)
            finally:
                sys.settrace(None)
            stage = "resolve"
            config = OmegaConf.load(destination) if target == "trinity" else utils.read_ajet_config(final)
            plain = OmegaConf.to_container(config, resolve=True)
            return {"name": name, "config": plain}
        except Exception as error:  # whatever upstream raises is the result
            return {"error": type(error).__name__, "stage": stage}


# The launcher's rules that compute a value.
COMPUTED = {
    "buffer.train_batch_size": (
        "(ajet.data.train_batch_size * ajet.rollout.num_repeat * ajet.rollout.multi_turn.expected_steps)"
    ),
    "explorer.runner_per_model": "(min(ajet.rollout.max_env_worker, 128) // ajet.rollout.n_vllm_engine)",
}
VALUES = [0, 1, 2, 3, 7, 64, 127, 128, 129, 1000, 10**6, -1, -8, True, 2.5, 0.125, -0.75, 128.5, 1e300]


def computed(computer, source, values):
    try:
        keys, compute = computer.split_keys_and_operators(source, [])
        result = compute({key: values[key] for key in keys})
    except Exception as error:
        return {"error": type(error.__cause__ or error).__name__}
    kind = type(result).__name__
    return {"type": kind, "value": repr(result)}


def main():
    if len(sys.argv) != 3:
        sys.exit("Usage: python convert.py FIXTURES AGENTJET, the second a clone of AgentJet.")
    fixtures, agentjet = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    os.environ.pop("AGENTJET_VECTORS_UNSET", None)
    # The launcher waits five seconds where a folder is there already; here none is.
    utils, computer = launcher(agentjet)
    utils.time.strftime = lambda *_: "<YYYYmmdd_HHMM>"
    rng = random.Random(SEED)
    configs = []
    for index in range(CONFIGS):
        text = config_text(rng)
        target = TARGETS[index % len(TARGETS)]
        configs.append({"text": text, "target": target, **converted(utils, agentjet, text, target)})
    expressions = []
    for index in range(EXPRESSIONS):
        target, source = list(COMPUTED.items())[index % len(COMPUTED)]
        values = {name: rng.choice(VALUES) for name in re.findall(r"ajet[\w.]+", source)}
        expressions.append({"target": target, "values": values, **computed(computer, source, values)})
    fixtures.mkdir(parents=True, exist_ok=True)
    (fixtures / "layers.json").write_text(json.dumps({"primary": PRIMARY, "files": DEFAULTS}, indent=1) + "\n")
    for name, vectors in [("conversions", configs), ("expressions", expressions)]:
        rows = ",\n".join(json.dumps(row) for row in vectors)
        (fixtures / f"{name}.json").write_text(f"[\n{rows}\n]\n")


main()
