"""Writes a traces.jsonl with verifiers' own models and writer. Usage: verifiers_traces.py OUT"""

import sys
import tempfile
from pathlib import Path

from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.episode import EnvInfo, Episode, GroupInfo
from verifiers.v1.graph import MessageNode
from verifiers.v1.task import WireTaskData
from verifiers.v1.trace import AgentInfo, Error, ModelCall, Reward, Timing, Trace, TraceTask, TimeSpan
from verifiers.v1.types import AssistantMessage, SystemMessage, ToolCall, ToolMessage, Usage, UserMessage
from verifiers.v1.utils.trace_store import write_episode

START = 1_790_000_000.0


def main(out: str) -> None:
    folder = Path(tempfile.mkdtemp())
    for task in range(2):
        for repeat in range(2):
            write_episode(folder, episode(task, repeat))
    Path(out).write_bytes((folder / "traces.jsonl").read_bytes())


def episode(task: int, repeat: int) -> Episode:
    row = TraceTask(type="Sums", data=WireTaskData(idx=task, prompt=f"What is {task} + 1?"), key=f"sum-{task}")
    failed = task == 1 and repeat == 1
    return Episode(
        id=f"episode-{task}-{repeat}",
        env=EnvInfo(id="sums"),
        task=row,
        group=GroupInfo(id=f"group-{task}"),
        ok=not failed,
        errors=[Error(type="TimeoutError", message="it took too long")] if failed else [],
        traces=[trace(row, task, repeat)],
    )


def trace(row: TraceTask, task: int, repeat: int) -> Trace:
    nodes = [
        MessageNode(parent=None, message=SystemMessage(content="Add."), timestamp=START, token_ids=[1, 2, 3], mask=[False] * 3),
        MessageNode(parent=0, message=UserMessage(content=f"What is {task} + 1?"), timestamp=START, token_ids=[4, 5], mask=[False] * 2),
        MessageNode(
            parent=1,
            message=AssistantMessage(
                content=None,
                reasoning_content="A tool adds.",
                tool_calls=[ToolCall(id="c1", name="add", arguments='{"a": 1}')],
            ),
            sampled=True,
            timestamp=START + 1,
            token_ids=[6, 7, 8],
            mask=[False, True, True],
            logprobs=[-0.5, -0.25],
        ),
        MessageNode(parent=2, message=ToolMessage(tool_call_id="c1", content="2"), timestamp=START + 1, token_ids=[9], mask=[False]),
        MessageNode(
            parent=3,
            message=AssistantMessage(content=f"It is {task + repeat}."),
            sampled=True,
            timestamp=START + 2,
            token_ids=[10, 11],
            mask=[True, True],
            logprobs=[-1.0, -2.0],
        ),
        # Another history: the tool's result was dropped.
        MessageNode(parent=1, message=AssistantMessage(content="Two."), sampled=True, timestamp=START + 3, token_ids=[12], mask=[True], logprobs=[-0.125]),
    ]
    calls = [call(2, 0.0, "tool_calls", 5, 3), call(4, 1.0, "stop", 9, 2), call(5, 2.0, "stop", 5, 1)]
    return Trace(
        id=f"trace-{task}-{repeat}",
        task=row,
        agent=AgentInfo(config=WireAgentConfig(), name="solver"),
        nodes=nodes,
        calls=calls,
        rewards={"correct": Reward(score=float(repeat), weight=0.5), "style": Reward(score=1.0, weight=0.25)},
        metrics={"turns": 3.0},
        is_completed=True,
        ok=True,
        timing=Timing(start=START, scoring=TimeSpan(start=START + 3, end=START + 4)),
    )


def call(node: int, after: float, finish: str, prompt: int, completion: int) -> ModelCall:
    return ModelCall(
        node=node,
        model="a-model",
        endpoint="/chat/completions",
        finish_reason=finish,
        usage=Usage(prompt_tokens=prompt, completion_tokens=completion),
        time=TimeSpan(start=START + after, end=START + after + 0.5),
    )


main(sys.argv[1])
