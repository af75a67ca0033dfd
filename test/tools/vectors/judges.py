"""How AgentJet's judges score: `judges.py FOLDER CLONE` writes FOLDER/judges.json.

The answers are those of test/unit/workflow/judgeCases.ts, by number; AgentJet's own code of the clone scores them.
"""

import importlib.util
import json
import math
import re
import sys
import types
import warnings
from pathlib import Path
from types import SimpleNamespace

from strings import Random, string

CASES = json.loads((Path(__file__).parent / "judges.json").read_text(encoding="utf-8"))
COUNT = 30_000


def prose(random):
    text = ""
    for _ in range(random.below(5)):
        text += random.choose(CASES["words"]) + random.choose(CASES["blanks"])
    return text + string(random.below(1_000_000)) if random.below(8) == 0 else text


def box(random, text):
    """The text in a box; now and then in none, in a second one, or in one that is not closed."""
    kind = random.below(20)
    boxed = "\\boxed{" + text + "}"
    if kind == 0:
        boxed = text
    elif kind == 1:
        boxed = "\\boxed{" + text
    elif kind == 2:
        boxed = "\\boxed {" + text + "}"
    elif kind == 3:
        boxed = "\\boxed{" + prose(random) + "}" + boxed
    elif kind == 4:
        boxed = boxed + "\\boxed{" + prose(random) + "}"
    elif kind == 5:
        boxed = "\\\\boxed{{" + text + "}}"
    return prose(random) + boxed + prose(random)


def blank(random):
    return random.choose(CASES["blanks"]) if random.below(3) == 0 else ""


def math_case(number):
    random = Random(number)
    answer = random.choose(CASES["answers"])
    if random.below(2) == 0:
        answer = str(random.below(100))
    reference = blank(random) + answer + blank(random)
    for _ in range(random.below(3)):
        reference = prose(random) + "####" + reference
    kind = random.below(6)
    if kind == 0:
        answer = blank(random) + answer
    elif kind == 1:
        answer = answer + ".0"
    elif kind == 2:
        answer = random.choose(CASES["answers"])
    return {"answer": box(random, answer), "reference": reference}


def apply(operator, left, right):
    """Roughly what it makes: a target has to be right often, not always."""
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "**":
        value = 1.0
        for _ in range(int(min(abs(right), 20.0))):
            value = value * left
        return value
    if right == 0:
        return 0.0
    return left / right if operator == "/" else float(math.floor(left / right))


def gap(random):
    return random.choose(CASES["gaps"]) if random.below(6) == 0 else ""


def literal(random, value):
    kind = random.below(30)
    if kind == 0:
        return str(value) + "."
    if kind == 1:
        return "0" + str(value)
    if kind == 2:
        return "(" + str(value) + ")"
    return str(value)


def expression(random, numbers, operators):
    """A chain in parentheses, so that it means what it was computed as."""
    text, value = literal(random, numbers[0]), float(numbers[0])
    for one in numbers[1:]:
        operator = random.choose(operators)
        operand = literal(random, one)
        other = float(one)
        if random.below(8) == 0:
            operand, other = "(-" + operand + ")", -other
        if random.below(3) == 0:
            text, value = operand + gap(random) + operator + gap(random) + "(" + text + ")", apply(operator, other, value)
        else:
            text, value = "(" + text + ")" + gap(random) + operator + gap(random) + operand, apply(operator, value, other)
    return text, value


def change(random, text, insertions):
    at = random.below(len(text) + 1)
    kind = random.below(3)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    return text[:at] + random.choose(insertions) + text[at if kind == 1 else at + 1 :]


def changed_numbers(random, numbers):
    kind = random.below(9)
    if kind == 0:
        return numbers[1:]
    if kind == 1:
        return numbers + [random.below(100)]
    if kind == 2:
        return [numbers[0] + 1] + numbers[1:]
    if kind == 3:
        return [str(one) for one in numbers]
    if kind == 4:
        return []
    if kind == 5:
        return None
    if kind == 6:
        return [None] + numbers[1:]
    if kind == 7:
        return [numbers[0] + 0.5] + numbers[1:]
    return "".join(str(one) for one in numbers)


def target_of(random, value):
    if abs(value) > 1e15:
        return 24
    whole = int(value) if value == math.floor(value) else value
    kind = random.below(14)
    if kind == 0:
        return whole + 1
    if kind == 1:
        return whole + 0.000002
    if kind == 2:
        return whole + 0.00002
    if kind == 3:
        return None
    if kind == 4:
        return str(random.below(100))
    return whole


def countdown_case(number):
    random = Random(number)
    kind = random.below(10)
    if kind < 2:
        text, numbers, target = random.choose(CASES["specials"])
        if random.below(6) == 0:
            text = change(random, text, CASES["powerInsertions"])
        return {"answer": box(random, text), "target": target, "numbers": numbers}
    powers = kind < 4
    count = 2 + random.below(2 if powers else 3)
    numbers = [random.below(5 if powers else 60) for _ in range(count)]
    operators = ["**", "**", "+", "-", "/", "//"] if powers else ["+", "-", "*", "/", "//"]
    text, value = expression(random, numbers, operators)
    if random.below(4) == 0:
        text = change(random, text, CASES["powerInsertions" if powers else "insertions"])
    given = changed_numbers(random, numbers) if random.below(6) == 0 else numbers[1:] + numbers[:1]
    return {"answer": box(random, text), "target": target_of(random, value), "numbers": given}


def load(file):
    """The judges alone: what their modules import of AgentJet needs a trainer."""
    names = {
        "ajet": {},
        "ajet.task_judge": {},
        "ajet.task_judge.base_judge": {"BaseJudge": object},
        "ajet.task_rollout": {},
        "ajet.task_rollout.dashscope_llm_bridge": {"create_external_llm_fn": None},
        "ajet.workflow": {"WorkflowOutput": object, "WorkflowTask": object},
    }
    for name, members in names.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def math_branch(judge, case):
    output = SimpleNamespace(metadata={"final_answer": case["answer"]})
    task = SimpleNamespace(task=SimpleNamespace(metadata={"answer": case["reference"]}))
    reward, success = judge.compute_reward(task, output)
    assert (reward == 1.0) == success
    if success:
        return "r"
    return "w" if re.search(r"\\boxed\{([^}]*)\}", case["answer"]) else "b"


def countdown_branch(judge, case):
    """Which way it went: the letters that judgeCases.ts has the rewards of."""
    metadata = {"final_answer": case["answer"], "target": case["target"], "nums": case["numbers"]}
    reward, success = judge.compute_reward(None, SimpleNamespace(metadata=metadata))
    match = re.search(r"\\boxed\{([^}]*)\}", case["answer"])
    if case["target"] is None or not case["numbers"]:
        branch = "n"
    elif match is None:
        branch = "b"
    elif success:
        branch = "r"
    elif not judge._validate_equation(match.group(1), case["numbers"]):
        branch = "d"
    elif not re.match(r"^[\d+\-*/().\s]+$", match.group(1)):
        branch = "c"
    elif judge._evaluate_equation(match.group(1)) is None:
        branch = "e"
    else:
        branch = "w"
    assert reward == {"n": 0.0, "b": 0.0, "r": 1.0}.get(branch, 0.1), (case, reward)
    return branch


def scored(name, judge, branch_of, case_of):
    letters = "".join(branch_of(judge, case_of(number)) for number in range(COUNT))
    shares = {letter: letters.count(letter) / COUNT for letter in sorted(set(letters))}
    print(name, " ".join(f"{letter} {share:.1%}" for letter, share in shares.items()))
    assert min(shares.values()) >= 0.03, shares
    return [letters[at : at + 100] for at in range(0, COUNT, 100)]


def main(folder, clone):
    warnings.simplefilter("ignore")
    sys.set_int_max_str_digits(4300)
    math_judge = load(clone / "tutorial/example_math_agent/math_answer_as_judge.py").MathAnswerAsJudge(None)
    countdown = load(clone / "tutorial/example_countdown/countdown_answer_as_judge.py").CountdownAnswerAsJudge(None)
    vectors = {
        "math": scored("math", math_judge, math_branch, math_case),
        "countdown": scored("countdown", countdown, countdown_branch, countdown_case),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "judges.json").write_text(json.dumps(vectors, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
