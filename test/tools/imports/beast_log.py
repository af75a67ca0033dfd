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
        items = {f"task.7.{float(repeat)}.{timeline}": item(repeat, timeline) for timeline in range(2)}
        print_nested(
            items,
            main_content="(for people)",
            header=f"[12] Task task.7 (Reward {repeat:.3f})",
            mod="rollout",
            narrow=False,
            attach="copy this",
        )
    (found,) = Path(folder).glob("**/*.json.log")
    shutil.copyfile(found, out)


def item(repeat: int, timeline: int) -> NestedJsonItem:
    tokens = [
        ("<|im_start|>", 151644, None), ("system", 8948, None), ("\n", 198, None), ("Be brief.", 3430, None),
        ("<|im_end|>", 151645, None), ("\n", 198, None),
        ("<|im_start|>", 151644, None), ("user", 872, None), ("\n", 198, None), ("What?", 3838, None),
        ("<|im_end|>", 151645, None), ("\n", 198, None),
        ("<|im_start|>", 151644, None), ("assistant", 77091, None), ("\n", 198, None),
        ("It", 2132, -0.5), (" is", 374, -7.25), (f" {repeat}{timeline}", 220 + repeat, -0.125), ("<|im_end|>", 151645, -0.0625),
    ]
    return NestedJsonItem(
        item_id="item",
        outcome=f"{float(repeat):.1f}",
        len_prompt_ids=12,
        len_response_ids=7,
        len_input_ids=19,
        raw_reward=f"{float(repeat):.3f}",
        step_reward=f"{float(repeat):.3f}",
        step_advantage="0.000",
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
