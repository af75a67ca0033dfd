"""What AgentJet's tracker makes of episodes: `merging.py FOLDER CLONE SETS`, SETS being lines of JSON of traceSets.ts.

AgentJet's own files build the messages, tokenise, save, merge and form samples; what they import that only a trainer
has stands in, in a temporary copy of them. Writes to FOLDER a digest of each set's result, the first results in full,
and the reference advantages of the first groups.
"""

import copy
import gzip
import hashlib
import importlib
import json
import logging
import multiprocessing
import shutil
import sys
import tempfile
import types
from collections import Counter
from pathlib import Path

import numpy
from transformers import PreTrainedTokenizerFast

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/tokenizer"
IN_FULL = 200
GROUP = 5
GROUPS_IN_FULL = 100
PROCESSES = 4
SETTINGS = [
    {"timeline_compare_level": level, "ignore_tools": ignore}
    for level in ("text", "token")
    for ignore in (True, False)
]
FEATURES = ["fork", "absorption", "duplicate", "unequal tools", "list content", "drift", "missing end token"]


class Arrays(PreTrainedTokenizerFast):
    """Gives NumPy's arrays where PyTorch's are asked for."""

    def __call__(self, text, return_tensors=None, **options):
        return super().__call__(text, return_tensors=return_tensors and "np", **options)


class Anything(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(self, *given, **named):
        return self


class Settings(dict):
    __getattr__ = dict.__getitem__


def stand_ins():
    for name in ["beast_logger", "loguru", "torch", "verl", "verl.utils", "verl.utils.model"]:
        sys.modules[name] = Anything(name)
    sys.modules["torch"].tensor = numpy.array
    # As verl counts positions: from 0 over what is attended to.
    sys.modules["verl.utils.model"].compute_position_id_with_mask = lambda mask: numpy.clip(
        numpy.cumsum(mask, axis=-1) - 1, 0, None
    )


def upstream(clone, folder):
    for part in ["context_tracker", "schema", "utils"]:
        shutil.copytree(clone / "ajet" / part, folder / "ajet" / part)
    (folder / "ajet/__init__.py").touch()
    (folder / "ajet/utils/__init__.py").write_text("")
    sys.path.insert(0, str(folder))
    stand_ins()
    return importlib.import_module("ajet.context_tracker.multiagent_tracking")


def tokenizers():
    made = {}
    for name in ["chatml", "tools"]:
        made[name] = Arrays(
            tokenizer_file=str(FIXTURES / "byte-level/tokenizer.json"),
            bos_token="<|endoftext|>",
            eos_token="<|im_end|>",
            chat_template=(FIXTURES / f"templates/{name}.jinja").read_text(encoding="utf-8"),
        )
    return made


def config(one, policy):
    limits = one["limits"]
    return Settings(
        ajet=Settings(
            data=Settings(max_prompt_length=limits["promptLength"], max_response_length=limits["responseLength"]),
            rollout=Settings(
                max_response_length_in_one_turn=limits["turnLength"],
                max_model_len=limits["modelLength"],
                force_disable_toolcalls=one["toolCallsDisabled"],
                compute_madness_checklist=one["checklist"],
                agent_madness_termination=True,
                agent_madness_reward=-1.0,
                gamma=1.0,
                multi_turn=Settings(max_sample_per_task=1_000),
            ),
            context_tracker=Settings(
                timeline_merging_policy=policy,
                fix_retokenization_drift=True,
                detect_timeline_snap=False,
                log_tool_format_check=False,
                log_tool_format_error_detail=False,
            ),
        )
    )


def reply_of(call, tokenizer):
    ids = [
        token
        for piece in call["reply"]["pieces"]
        for token in tokenizer.encode(piece, add_special_tokens=False)
    ]
    if call["reply"]["ended"]:
        ids.append(tokenizer.eos_token_id)
    tokens = [types.SimpleNamespace(token_id=one, logprob=-(at % 64) / 64) for at, one in enumerate(ids)]
    return {
        "role": "assistant",
        "content": call["reply"]["content"],
        "tool_calls": copy.deepcopy(call["reply"]["toolCalls"]),
        "tokens": tokens,
    }


def track(tracker, call, number):
    """One call as AgentJet's proxy makes it; what becomes of it, and the length of its prompt where that is told."""
    counted = []
    check = tracker.check_context_token_num_safe

    def counting(messages, tools=[]):
        safe, overflow, info = check(messages, tools)
        if info.startswith("safe["):
            counted.append(int(info[5:].split(" ")[0]))
        return safe, overflow, info

    tracker.check_context_token_num_safe = counting
    before = tracker.already_mad_flag
    try:
        safe, overflow, _, converted, _, tools = tracker.step_prepare(
            copy.deepcopy(call["messages"]), copy.deepcopy(call["tools"]), timeline_uuid=str(number)
        )
        if overflow and not safe:
            return "overflow", counted
        tracker.step_track(reply_of(call, tracker.tokenizer), safe, converted, tools, timeline_uuid=str(number))
        return ("kept" if safe else "unkept"), counted
    except Exception:  # in training it ends the episode, which here goes on as though it had not been made
        tracker.already_mad_flag = before
        return "refused", []
    finally:
        tracker.check_context_token_num_safe = check


def logprobs(values):
    return [round(-64 * value) for value in values]


def message(one, tracker):
    mask = one.get_loss_mask(blackout_token_combo=tracker.blackout_token_combo)
    told = logprobs(one.token_logprob_arr) if one.token_logprob_arr else [0] * len(one.token_arr)
    return [one.author, one.role, one.content_for_future, list(one.token_arr), mask, told]


def sample(tracker, timeline, index):
    try:
        tokenized = tracker.tokenize_steps(list(timeline), index, len(tracker.saved_timelines))
        made = SAMPLE(tracker_tokenized=tokenized, messages=[], config=tracker.config)
    except Exception:
        return "refused"
    assert made.position_ids == list(range(len(made.input_ids))) and set(made.attention_mask) <= {1}
    return {
        "prompt": made.prompt_ids,
        "response": made.response_ids,
        "mask": made.loss_mask,
        "logprobs": logprobs(made.logprobs),
        "stepReward": round(8 * made.step_reward),
    }


def timeline_result(tracker, timeline, index):
    try:
        messages = [message(one, tracker) for one in timeline]
    except AssertionError:  # its own two masks differ
        messages = "refused"
    return {"messages": messages, "sample": sample(tracker, timeline, index)}


def features(tracker, calls):
    found = set()
    saved = tracker.saved_timelines
    texts = [[one.content_for_future for one in timeline] for timeline in saved]
    for at, first in enumerate(texts):
        for at_other in range(at + 1, len(texts)):
            second = texts[at_other]
            short, long = sorted([first, second], key=len)
            if first == second:
                found.add("duplicate")
            elif second[: len(first)] == first:
                found.add("absorption")
            elif short[0] == long[0] and long[: len(short)] != short:
                found.add("fork")
            if saved[at][0].tools != saved[at_other][0].tools:
                found.add("unequal tools")
    for call in calls:
        if any(isinstance(one["content"], list) for one in call["messages"]):
            found.add("list content")
        pieces = call["reply"]["pieces"]
        encode = lambda text: tracker.tokenizer.encode(text, add_special_tokens=False)
        if encode("".join(pieces)) != [token for piece in pieces for token in encode(piece)]:
            found.add("drift")
    if any(timeline[-1].lack_normal_eos for timeline in saved):
        found.add("missing end token")
    return found


def run(one, number, made, tracking):
    task = types.SimpleNamespace(
        task_batch_index=0, task_tag="", task_id=str((number - 1) // GROUP), episode_uuid=str(number)
    )
    tracker = tracking.MultiAgentContextTracker(
        made[one["template"]],
        config(one, SETTINGS[0]),
        should_interrupt_fn=lambda: False,
        generated_token_callback_fn=lambda tokens: None,
        workflow_task=task,
    )
    outcomes = [track(tracker, call, at) for at, call in enumerate(one["calls"])]
    saved = tracker.saved_timelines
    results = []
    for policy in SETTINGS:
        tracker.config.ajet.context_tracker["timeline_merging_policy"] = policy
        tracker.saved_timelines = copy.deepcopy(saved)
        tracker.group_merge()
        tracker.process_reward(REWARD(raw_reward=one["reward"]))
        timelines = tracker.saved_timelines
        results.append([timeline_result(tracker, timeline, at) for at, timeline in enumerate(timelines)])
        if policy is SETTINGS[0]:
            merged = timelines
    tracker.saved_timelines = saved
    kept = [call for call, (outcome, _) in zip(one["calls"], outcomes) if outcome == "kept"]
    found = features(tracker, kept)
    tracker.saved_timelines = merged
    tracker.process_reward(REWARD(raw_reward=one["reward"]))
    return {"calls": [[outcome, *counted] for outcome, counted in outcomes], "merged": results}, tracker, found


def text_of(result):
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def advantages(trackers, tracking):
    """Those of AgentJet's log, of the episodes that have a timeline: one without makes all of its group's no number."""
    having = [one for one in trackers if one.saved_timelines]
    tracking.BaseContextTracker.compute_reference_advantage(having)
    return [
        [one.reward_structure.step_reward_arr, one.reward_structure.step_advantage, one.reward_structure.step_advantage_simple]
        for one in having
    ]


def prepare(clone):
    """Of each process: AgentJet's modules, whose copy goes when they are loaded."""
    global TRACKING, REWARD, SAMPLE, TOKENIZERS
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as temporary:
        TRACKING = upstream(clone, Path(temporary))
        schema = importlib.import_module("ajet.schema.trajectory")
    REWARD, SAMPLE = schema.Reward, schema.Sample
    TOKENIZERS = tokenizers()


def run_group(numbered):
    """The sets of one task: its digests, results, advantages and what is counted."""
    histogram, outcomes, texts, trackers = Counter(), Counter(), [], []
    for number, line in numbered:
        result, tracker, found = run(json.loads(line), number, TOKENIZERS, TRACKING)
        histogram.update(found)
        outcomes.update(outcome for outcome, *_ in result["calls"])
        texts.append(text_of(result))
        trackers.append(tracker)
    digests = b"".join(hashlib.sha256(text.encode()).digest()[:8] for text in texts)
    in_full = texts if numbered[0][0] <= IN_FULL else []
    return digests, in_full, advantages(trackers, TRACKING), histogram, outcomes


def main(folder, clone, sets):
    lines = list(enumerate(sets.read_text(encoding="utf-8").strip("\n").split("\n"), 1))
    groups = [lines[at : at + GROUP] for at in range(0, len(lines), GROUP)]
    histogram, outcomes, digests, full, told = Counter(), Counter(), b"", [], []
    with multiprocessing.Pool(PROCESSES, prepare, [clone]) as pool:
        for done in pool.imap(run_group, groups, chunksize=4):
            digests += done[0]
            full += done[1]
            told.append(done[2])
            histogram += done[3]
            outcomes += done[4]
    for feature in FEATURES:
        print(f"{feature}: {histogram[feature]} of {len(lines)} sets ({100 * histogram[feature] / len(lines):.1f} %)")
    print("calls: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    rare = [feature for feature in FEATURES if histogram[feature] * 10 < len(lines)]
    if rare:
        sys.exit(f"Fewer than a tenth of the sets have: {', '.join(rare)}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "digests.bin").write_bytes(digests)
    (folder / "results.jsonl.gz").write_bytes(gzip.compress("\n".join(full).encode() + b"\n", mtime=0))
    (folder / "advantages.json").write_text(json.dumps(told[:GROUPS_IN_FULL], indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
