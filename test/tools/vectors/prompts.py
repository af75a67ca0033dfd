"""What AgentJet does with a call's prompt: `prompts.py FOLDER CLONE SETS`, as merging.py is called.

Each call of the first sets is checked before the model is asked, whether or not the episode has been told to stop, and
after a degenerate reply or not. Then the engine's prompt is altered in one of several ways, and AgentJet's tracker patches
the call's messages by it; and its timelines are compared, each with the one before it, as `detect_timeline_snap` does.
Writes to FOLDER one line of JSON per set.
"""

import copy
import gzip
import json
import re
import sys
import types
from collections import Counter
from pathlib import Path

import merging

SETS = 400
MARKER = "<|im_start|>"


def altered(text, way):
    """The text pieces that the engine would have tokenised one by one, of the prompt that the template makes."""
    parts = text.split(MARKER)
    if way == 1:
        return re.findall(r"[^ ]* ?", text)
    if way == 2:
        return [text.replace(" ", "  ", 1)]
    if way == 3:
        return [MARKER.join(parts[:-2] + parts[-1:])]
    if way == 4:
        return [MARKER.join(parts[:-1] + ["user\nhm<|im_end|>\n"] + parts[-1:])]
    if way == 5:
        return [" " + text]
    return [text]


def patched(tracker, timeline, ids, fixes, headers):
    """By message: null where its tokens stay, else the new ones; and what was logged. A text: it was refused."""
    tracker.config.ajet.context_tracker["fix_retokenization_drift"] = fixes
    before = [list(one.token_arr) for one in timeline]
    headers.clear()
    try:
        left = tracker.patch_prompt_tokens(tracker.tokenizer.decode(ids), ids, copy.deepcopy(timeline))
    except Exception as error:
        return type(error).__name__
    tokens = []
    for one, own in zip(left, before):
        if isinstance(one.token_arr, list):
            assert one.token_arr == own
            tokens.append(None)
            continue
        # The tokenizer's whole output, in place of its ids: as a list it is the names of its parts.
        assert all(isinstance(part, str) for part in one.token_arr)
        tokens.append(one.token_arr["input_ids"][0].tolist())
    return [tokens, sum("ids mismatch" in header for header in headers)]


def checks(tracker, call):
    """What the check tells, and whether the prompt overflows: stopped or not, each of them after madness or not."""
    told = []
    before = tracker.already_mad_flag, tracker.should_interrupt_fn
    for stopped in (False, True):
        for mad in (False, True):
            tracker.should_interrupt_fn = lambda stopped=stopped: stopped
            tracker.already_mad_flag = mad
            try:
                prepared = tracker.step_prepare(
                    copy.deepcopy(call["messages"]), copy.deepcopy(call["tools"]), timeline_uuid="check"
                )
                told.append([prepared[2].split("[")[0], prepared[1]])
            except Exception:  # it is refused before it is checked
                told.append(None)
    tracker.already_mad_flag, tracker.should_interrupt_fn = before
    return told


def run(one, number, headers):
    task = types.SimpleNamespace(task_batch_index=0, task_tag="", task_id="t", episode_uuid=str(number))
    tracker = merging.TRACKING.MultiAgentContextTracker(
        merging.TOKENIZERS[one["template"]],
        merging.config(one, merging.SETTINGS[0]),
        should_interrupt_fn=lambda: False,
        generated_token_callback_fn=lambda tokens: None,
        workflow_task=task,
    )
    calls, checked = [], []
    for at, call in enumerate(one["calls"]):
        checked.append(checks(tracker, call))
        saved = len(tracker.saved_timelines)
        outcome, _ = merging.track(tracker, call, at)
        if outcome != "kept" or len(tracker.saved_timelines) == saved:
            calls.append(None)
            continue
        timeline = tracker.saved_timelines[-1][:-1]
        text = merging.TRACKING.ajet_apply_chat_template(
            tokenizer=tracker.tokenizer,
            conversation=prepared(tracker, call),
            tools=tracker.preprocess_tools_field(
                copy.deepcopy(call["tools"]), disable_toolcalls=one["toolCallsDisabled"]
            ),
            add_generation_prompt=True,
            tokenize=False,
        )
        pieces = altered(text, (number + at) % 6)
        ids = [token for piece in pieces for token in tracker.tokenizer.encode(piece, add_special_tokens=False)]
        snaps = None
        if saved > 0:
            pair = tracker.saved_timelines[-1], tracker.saved_timelines[-2]
            snaps = [not merging.TRACKING.is_timeline_mergeable(*pair, policy) for policy in merging.SETTINGS]
        calls.append([*(patched(tracker, timeline, ids, fixes, headers) for fixes in (True, False)), snaps])
    return {"checks": checked, "prompts": calls}


def prepared(tracker, call):
    spawned = tracker.step_spawn_timeline(
        copy.deepcopy(call["messages"]),
        [],
        tracker.config.ajet.rollout.force_disable_toolcalls,
    )
    return tracker.to_role_content(spawned)


def main(folder, clone, sets):
    merging.prepare(clone)
    headers = []
    merging.TRACKING.print_dict = lambda content, mod, header: headers.append(header)
    lines = sets.read_text(encoding="utf-8").split("\n")[:SETS]
    results = [run(json.loads(line), number, headers) for number, line in enumerate(lines, 1)]
    told = [call for result in results for call in result["prompts"] if call]
    outcomes = Counter(one and tuple(one) for result in results for call in result["checks"] for one in call)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    print(f"{len(told)} calls: {sum(isinstance(call[0], str) for call in told)} refused, ", end="")
    print(f"{sum(any(one[0][0]) for one in told if isinstance(one[0], list))} with another text, ", end="")
    print(f"{sum(one[0][1] > 0 for one in told if isinstance(one[0], list))} with other ids; ", end="")
    print(f"{sum(one[2] is not None and one[2][0] for one in told)} snaps")
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(merging.text_of(one) for one in results) + "\n"
    (folder / "results.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
