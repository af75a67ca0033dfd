"""How AgentJet's example scores a doctor's line: `learn_to_ask.py FOLDER CLONE` writes FOLDER/rewards.json.

Cases are made here and written down with what AgentJet's own function of the clone makes of them: the reward (null where
it raises), and what it asked the grader about, if it did.
"""

import asyncio
import importlib.util
import json
import sys
import types
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

from strings import Random, string

COUNT = 400
SCORES = ["0", "0.0", "0.1", "0.5", "1", "1.0", " 1.0 ", ".5", "1e0", "-1", "", "high", "1,0", "0.5\n"]
LINES = ["Does it hurt at night?", "Is it red?\nOr swollen?", "How long? Since when?", "", "I see.", "a: b"]
RESPONSES = ["<stop />", "<stop />\n", " <stop />", "<stop/>", "<stop /> Get well soon.", "Stop.", ""]


def dialogue(random):
    messages = []
    for at in range(1 + random.below(4)):
        role = "system" if random.below(12) == 0 else ["user", "assistant"][at % 2]
        text = string(random.below(1_000_000)) if random.below(4) == 0 else random.choose(LINES)
        messages.append({"role": role, "content": text})
    return messages


def tag(random, name):
    value = random.choose(SCORES[:6]) if random.below(3) != 0 else random.choose(SCORES)
    kind = random.below(16)
    if kind == 0:
        return ""
    if kind == 1:
        return f"<{name}>{value}"
    if kind == 2:
        return f"<{name}>{value}</{name[:-1]}>"
    if kind == 3:
        return f"<{name}>{value}</{name}> <{name}>{random.choose(SCORES)}</{name}>"
    if kind == 4:
        return f"<{name} >{value}</{name}>"
    return f"<{name}>{value}</{name}>"


def grade(random):
    parts = [tag(random, "format_score"), tag(random, "content_score")]
    if random.below(4) == 0:
        parts.reverse()
    think = "<think>" + random.choose(["good", "a\nb", "1 < 2", "\r", "see <format_score>"]) + "</think>"
    return random.choose(["\n", "", " "]).join([think, *parts])


def case(number):
    random = Random(number)
    asks = random.below(5) != 0
    response = random.choose(LINES) if random.below(4) != 0 else random.choose(RESPONSES)
    truth = "continue" if asks else "stop"
    if not asks and random.below(3) != 0:
        response = random.choose(RESPONSES)
    return {
        "dialogue": dialogue(random),
        "response": response,
        "truth": "" if asks and random.below(8) == 0 else truth,
        "facts": random.choose(["itching eyes, a cough", "", "{}", "pain: left"]),
        "grade": grade(random),
    }


def load(file):
    """The example alone: what it imports needs a trainer and a network."""

    class Msg:
        def __init__(self, name, content, role):
            self.name, self.content, self.role = name, content, role

    class ChatResponse(SimpleNamespace):
        pass

    names = {
        "agentscope": {},
        "agentscope.message": {"Msg": Msg},
        "agentscope.model": {"ChatResponse": ChatResponse},
        "ajet": {"AjetTuner": object, "Workflow": object, "WorkflowOutput": object, "WorkflowTask": object},
        "ajet.utils": {},
        "ajet.utils.robust_dashscope": {"RobustDashScopeChatModel": lambda *args, **named: None},
        "loguru": {"logger": None},
    }
    for name, members in names.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, Msg, ChatResponse


def scored(example, message, reply, one):
    asked = []

    async def grader(messages):
        asked.append(messages[-1]["content"])
        return reply(content=[{"type": "text", "text": one["grade"]}])

    example.llm = grader
    history = [message(m["role"], m["content"], m["role"]) for m in one["dialogue"]]
    truth = one["truth"] or "continue"  # as its workflow reads it
    try:
        reward = asyncio.run(example.reward_fn_with_semaphore(history, one["response"], truth, one["facts"]))
    except ValueError:
        reward = None
    return {**one, "asked": asked[0] if asked else None, "reward": reward}


def main(folder, clone):
    parts = load(clone / "tutorial/example_learn2ask/learn2ask.py")
    cases = [scored(*parts, case(number)) for number in range(COUNT)]
    kinds = Counter(
        "raised" if one["reward"] is None else ("asked" if one["asked"] is not None else str(one["reward"]))
        for one in cases
    )
    print(dict(kinds))
    assert min(kinds.values()) >= COUNT * 0.03, kinds
    folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(one, ensure_ascii=True) for one in cases)
    (folder / "rewards.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
