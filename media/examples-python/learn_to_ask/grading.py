"""Has a second LLM grade a question."""

import re
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, List

Ask = Callable[[List[Dict[str, Any]]], Dict[str, Any]]


@dataclass(frozen=True)
class Grade:
    #: 1: asks for one of the facts; 0.1: fits any complaint; 0: leads nowhere.
    content: float
    #: 1: one question; 0.5: two; 0: more.
    format: float


INSTRUCTIONS = """\
You grade how a doctor asks. You get a conversation; grade nothing but its last line, which is the doctor’s.

format_score counts the questions in that line: 1.0 for one, 0.5 for two, 0.0 for three or more.

content_score is about what they ask for:
1.0 - one of the facts below, which the doctor does not know yet;
0.1 - something that could be asked of anyone with any complaint;
0.0 - something that none of the facts answers, or that the patient cannot tell the meaning of.

Answer with these three tags and nothing around them, each on one line:
<think>your reasons</think>
<format_score>a number</format_score>
<content_score>a number</content_score>"""

#: Only so many questions are at the grader at a time. Judges run in threads.
at_most = threading.Semaphore(16)

SPEAKERS = {"user": "patient", "assistant": "doctor"}


def grade_question(ask: Ask, dialogue: List[Dict[str, Any]], question: str, facts: str) -> Grade:
    """Asks the helper LLM. A score that its answer lacks is 0; one that is no number raises ValueError."""
    said = [*dialogue, {"role": "assistant", "content": question}]
    with at_most:
        answer = ask(
            [
                {"role": "system", "content": f"{INSTRUCTIONS}\n\nFacts: {facts}"},
                {"role": "user", "content": transcript(said)},
            ]
        )
    scores = tags_of(answer["content"])
    return Grade(content=score(scores, "content_score"), format=score(scores, "format_score"))


def transcript(dialogue: List[Dict[str, Any]]) -> str:
    lines = [
        f"{SPEAKERS[message['role']]}: {message['content']}\n"
        for message in dialogue
        if message["role"] in SPEAKERS
    ]
    return "".join(lines)


def tags_of(text: str) -> Dict[str, str]:
    """What stands in `<name>…</name>` on one line, by name; of two with one name the later."""
    return dict(re.findall(r"<(\w+)>([^\n]*?)</\1>", text))


def score(scores: Dict[str, str], name: str) -> float:
    text = scores.get(name, "0")
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"The grader's {name} is {text!r}, which is no number.") from None
