"""Writes a .json.log with beast-logger, of items as AgentJet makes them. Usage: beast_log.py OUT"""

import colorsys
import shutil
import sys
import tempfile
from pathlib import Path

from beast_logger import NestedJsonItem, SeqItem, print_dict, print_nested, register_logger


def main(out: str) -> None:
    folder = tempfile.mkdtemp()
    register_logger(mods=["rollout"], non_console_mods=["rollout"], base_log_path=folder, auto_clean_mods=[])
    print_dict({"step": 1}, header="a plain record", mod="rollout")
    for repeat in range(2):
        tokens = {timeline: chat(repeat, timeline) for timeline in range(2)}
        write("12", "task.7", tokens, reward=float(repeat))
    # The task of another epoch, by an agent that calls a tool, with a template that begins replies.
    write("14", "task.7", {0: with_tools()}, reward=1.0)
    write("NA", "task.8", {0: other_template()}, reward=0.5)
    # As verl validates: without a step, and then all once more as if of the step that it has trained last. Tasks of validation
    # may have the ids of others in training; the model may say nothing.
    for step, advantage in (("NA", 0.0), ("14", 1.0)):
        write(step, "task.7", {0: answered(how_many(), ("Two", 11613, -0.5))}, reward=1 / 3, advantage=advantage)
        write(step, "task.9", {0: answered([("Silence?", 62520, None)])}, reward=0.0, advantage=advantage)
    (found,) = Path(folder).glob("**/*.json.log")
    shutil.copyfile(found, out)


def write(step: str, task: str, timelines: dict, reward: float, advantage: float = 0.0) -> None:
    outcome = 1.0 if reward >= 1 else 0.0
    print_nested(
        {f"{task}.{outcome}.{index}": item(tokens, reward, outcome, advantage) for index, tokens in timelines.items()},
        main_content="(for people)",
        header=f"[{step}] Task {task} (Reward {reward:.3f})",
        mod="rollout",
        narrow=False,
        attach="copy this",
    )


def message(role: str, *texts: tuple) -> list:
    head = [("<|im_start|>", 151644, None), (role, {"system": 8948, "user": 872, "assistant": 77091}[role], None), ("\n", 198, None)]
    return [*head, *texts]


END = [("<|im_end|>", 151645, None), ("\n", 198, None)]


def chat(repeat: int, timeline: int) -> list:
    said = [("It", 2132, -0.5), (" is", 374, -7.25), (f" {repeat}{timeline}", 220 + repeat, -0.125), ("<|im_end|>", 151645, -0.0625)]
    return [*message("system", ("Be brief.", 3430, None), *END), *message("user", ("What?", 3838, None), *END), *message("assistant", *said)]


def answered(asked: list, *said: tuple) -> list:
    return [*message("user", *asked, *END), *message("assistant", *said, ("<|im_end|>", 151645, -0.0625))]


def how_many() -> list:
    """Of a character in two tokens."""
    return [("How many", 4340, None), (" \ufffd", 26486, None), ("\ufffd", 95, None), ("?", 30, None)]


def with_tools() -> list:
    """As a model that thinks writes it; `\ufffd` is a token that is a part of a character."""
    call = '\n{"name": "add", "arguments": {"a": 9, "b": 14}}\n'
    begun = [("<think>", 151667, None), ("\n\n", 271, None), ("</think>", 151668, None), ("\n\n", 271, None)]
    asks = [("Let", 10061, -0.25), (" me", 752, -0.5), ("<tool_call>", 151657, -0.125), (call, 4913, -0.75), ("</tool_call>", 151658, -0.5), ("<|im_end|>", 151645, -0.0625)]
    answers = [("It", 2132, -0.5), (" is", 374, -0.25), ("\ufffd", 94, -0.5), ("\ufffd", 95, -0.5), ("<|im_end|>", 151645, -0.0625)]
    return [
        *message("user", ("9 and 14?", 24, None), *END),
        *message("assistant", *begun, *asks),
        ("\n", 198, None),
        *message("user", ("<tool_response>\n23\n</tool_response>", 25, None), *END),
        *message("assistant", *begun, *answers),
    ]


def other_template() -> list:
    def head(role: str, token: int) -> list:
        return [("<|start_header_id|>", 128006, None), (role, token, None), ("<|end_header_id|>", 128007, None), ("\n\n", 271, None)]

    return [
        ("<|begin_of_text|>", 128000, None), *head("user", 882), ("What?", 3923, None), ("<|eot_id|>", 128009, None),
        *head("assistant", 78191), ("No", 2822, -0.5), (" idea", 4623, -0.25), ("<|eot_id|>", 128009, -0.125),
        *head("user", 882), ("Sure?", 40914, None), ("<|eot_id|>", 128009, None),
        *head("assistant", 78191), ("Yes", 9642, -0.5), ("<|eot_id|>", 128009, -0.125),
    ]  # fmt: skip


def item(tokens: list, reward: float, outcome: float, advantage: float) -> NestedJsonItem:
    prompt = next(index for index, (_, _, logprob) in enumerate(tokens) if logprob is not None)
    return NestedJsonItem(
        item_id="item",
        outcome=str(outcome),
        len_prompt_ids=prompt,
        len_response_ids=len(tokens) - prompt,
        len_input_ids=len(tokens),
        raw_reward=f"{reward:.3f}",
        step_reward=f"{reward:.3f}",
        step_advantage=f"{advantage:.3f}",
        step_advantage_simple="0.000",
        content=SeqItem(
            text=[text for text, _, _ in tokens],
            title=["N/A" if logprob is None else f"{logprob:.4f}" for _, _, logprob in tokens],
            count=[str(token) for _, token, _ in tokens],
            color=[colour("#D98510", 0.0) if logprob is None else colour("#09ABCF", logprob) for _, _, logprob in tokens],
        ),
    )


def colour(base: str, logprob: float) -> str:
    """Saturation falls with the log probability, to a third at -7."""
    red, green, blue = (int(base[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    share = 1 + max(-7.0, min(0.0, logprob)) / 7 * (2 / 3)
    return "#" + "".join(f"{round(255 * one):02X}" for one in colorsys.hls_to_rgb(hue, light, saturation * share))


main(sys.argv[1])
