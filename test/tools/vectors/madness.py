"""What AgentJet takes for degenerate replies: `madness.py FOLDER CLONE` writes FOLDER/madness.json.

The strings are those of test/unit/tracking/madnessStrings.ts, by number; AgentJet's own code of the clone judges them.
"""

import ast
import copy
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from strings import Random, string

CASES = json.loads((Path(__file__).parent / "madness.json").read_text(encoding="utf-8"))
COUNT = 100_000


def blank(random):
    return random.choose(CASES["blanks"]) if random.below(40) == 0 else " "


def joined(random, items, count):
    text = ""
    for _ in range(count):
        text += items(random) + blank(random)
    return text


def prose(random):
    text = joined(random, lambda r: r.choose(CASES["words"]), random.below(12))
    kind = random.below(6)
    if kind == 0:
        text += random.choose(CASES["marks"])
    elif kind == 1:
        text += string(random.below(1_000_000))
    return text


def words_again(random):
    few = 1 + random.below(7)
    patience = joined(random, lambda r: CASES["words"][r.below(few)], 5 + random.below(20))
    return prose(random) + patience if random.below(2) == 0 else patience


def characters_again(random):
    few = 1 + random.below(5)
    text = "".join(CASES["words"][random.below(few)][0] for _ in range(190 + random.below(30)))
    return text + random.choose(CASES["words"]) if random.below(3) == 0 else text


def formatted(random):
    parts = ["<think>", prose(random), "</think>", "\n", "```python", "\nprint(1)\n", "```"]
    for _ in range(random.below(3)):
        at = random.below(len(parts))
        kind = random.below(3)
        if kind == 0:
            parts[at] = ""
        elif kind == 1:
            parts[at] = random.choose(CASES["parts"])
        else:
            parts[at] += random.choose(CASES["parts"])
    return blank(random) + "".join(parts) + blank(random)


KINDS = [prose, words_again, characters_again, formatted, formatted]


def madness_string(number):
    random = Random(number)
    return random.choose(KINDS)(random)


def load(file):
    spec = importlib.util.spec_from_file_location("compute_madness", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compute_string_madness


def tool_call_detector(file):
    """The method by itself: its module imports what only a trainer has."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    [method] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "detect_tool_call_madness"
    ]
    names = {"json": json, "copy": copy, "logger": None}
    exec(compile(ast.Module([method], []), str(file), "exec"), names)

    def detect(reply):
        tracker = SimpleNamespace(
            already_mad_flag=False,
            config=SimpleNamespace(
                ajet=SimpleNamespace(
                    context_tracker=SimpleNamespace(
                        log_tool_format_check=False, log_tool_format_error_detail=False
                    ),
                    rollout=SimpleNamespace(compute_madness_checklist=["wrong_toolcall"]),
                )
            ),
        )
        names["detect_tool_call_madness"](tracker, reply)
        return tracker.already_mad_flag

    return detect


def main(folder, clone):
    madness = load(clone / "ajet/utils/compute_madness.py")
    detect = tool_call_detector(clone / "ajet/context_tracker/multiagent_tracking.py")
    digits = []
    for number in range(COUNT):
        text = madness_string(number)
        bits = [madness(text, checklist=checklist) < 0 for checklist in CASES["checklists"]]
        digits.append(chr(48 + sum(bit << at for at, bit in enumerate(bits))))
    calls = [[{"function": {"name": "f", "arguments": text}}] for text in CASES["arguments"]]
    replies = [
        {"content": content, "tool_calls": tool_calls}
        for content in CASES["contents"]
        for tool_calls in calls + CASES["toolCalls"]
    ]
    lines = ["".join(digits[at : at + 100]) for at in range(0, COUNT, 100)]
    vectors = {"strings": lines, "toolCalls": [detect(copy.deepcopy(reply)) for reply in replies]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "madness.json").write_text(json.dumps(vectors, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
