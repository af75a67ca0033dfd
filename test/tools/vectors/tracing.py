"""What AgentJet reads from traced replies: `tracing.py FOLDER CLONE` writes FOLDER/tracing.json.

The spans are those of test/unit/tracing/spans.ts, by number; AgentJet's own reader of the clone reads each by itself.
"""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest import mock

from strings import Random, string

CASES = json.loads((Path(__file__).parent / "tracing.json").read_text(encoding="utf-8"))
COUNT = 10_000
SPLITS = [0, 1, 2, 3, 4, 5, 7, 10, 11, 33, 100, 700]
#: What AgentJet imports there and what reading needs none of.
FOREIGN = ["requests", "loguru", "httpx", "tenacity", "agentscope", "agentscope.agent", "agentscope.formatter"]
FOREIGN += ["agentscope.message", "agentscope.model", "ajet.task_rollout", "ajet.task_rollout.dashscope_llm_bridge"]


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return "'" + escaped + "'"


def words(random):
    return " ".join(random.choose(CASES["words"]) for _ in range(1 + random.below(5)))


def content(random):
    kind = random.below(12)
    if kind == 0:
        return quoted(string(random.below(1_000_000)))
    if kind <= 5:
        return quoted(words(random))
    if kind <= 7:
        return "[{'type': 'text', 'text': " + quoted(words(random)) + "}]"
    if kind == 8:
        return "'" + words(random) + "'"
    return random.choose(CASES["literals"])


def message(random, role):
    role = role if random.below(12) != 0 else random.choose(CASES["roles"])
    parts = ["name='" + role[1:2] + "'", "content=" + content(random), "role=" + role]
    for _ in range(random.below(3)):
        at = random.below(len(parts))
        parts[at] += ", " + random.choose(CASES["others"])
    if random.below(20) == 0:
        at = random.below(len(parts))
        parts[at] = random.choose(CASES["others"])
    before, after = random.choose(CASES["wraps"])
    return before + "Msg(" + ", ".join(parts) + ")" + after


def attributes(number):
    random = Random(number)
    kind = random.choose(CASES["attributes"])
    query, output = message(random, "'user'"), message(random, "'assistant'")
    span = {"input": {"kwargs": {"msg": query}}, "output": output}
    if kind == "noOutput":
        del span["output"]
    elif kind == "nullOutput":
        span["output"] = None
    elif kind == "nullInput":
        span["input"]["kwargs"]["msg"] = None
    elif kind == "numberInput":
        span["input"]["kwargs"]["msg"] = 3
    elif kind == "numberOutput":
        span["output"] = 3
    elif kind == "noKwargs":
        span["input"] = {"msg": query}
    elif kind == "noInput":
        del span["input"]
    elif kind == "emptyOutput":
        span["output"] = ""
    elif kind == "notMsg":
        span["input"]["kwargs"]["msg"] = query.replace("Msg", "msg")
    text = json.dumps([span] if kind == "list" else span, ensure_ascii=False)
    if kind == "nan":
        return '{"a": [NaN, -Infinity, "NaN"], ' + text[1:]
    return '{"output": null, ' + text[1:] if kind == "duplicate" else text


def stand_ins(clone, foreign, packages):
    """AgentJet's packages without what their `__init__` files import."""
    for name in foreign:
        sys.modules[name] = mock.MagicMock()
    for name in packages:
        package = ModuleType(name)
        package.__path__ = [str(clone / name.replace(".", "/"))]
        sys.modules[name] = package


def outcome(connector, text):
    rows = SimpleNamespace(fetchall=lambda: [(text,)])
    connection = SimpleNamespace(cursor=lambda: SimpleNamespace(execute=lambda _: rows), close=lambda: None)
    with mock.patch.object(connector, "sqlite3", SimpleNamespace(connect=lambda _: connection)):
        try:
            tasks = connector.LocalSqliteConnectorV1(__file__).load_tasks_from_conversation()
            # As the reader then writes it to its file.
            json.dumps([task.model_dump() for task in tasks], ensure_ascii=False)
        except Exception:  # whatever it is, training ends
            return "x"
    return "k" + tasks[0].metadata["qa_hash"][:8] if tasks else "s"


def split(reader, count):
    made = object.__new__(reader.TracingReader)
    made.reader_config = {"train_output_path": "/dev/null/none"}
    tasks = [reader.Task(main_query=str(at), metadata={"qa_hash": str(at)}) for at in range(count)]
    made._connector = SimpleNamespace(load_tasks_from_conversation=lambda: tasks)
    made._filters, made._train_ratio, made._split_seed = [], 0.7, 42
    made._append_tasks = lambda path, tasks: None
    made._init_tasks()
    return [[int(task.main_query) for task in half] for half in [made._train_tasks, made._val_tasks]]


def main(folder, clone):
    stand_ins(clone, FOREIGN, ["ajet", "ajet.task_reader", "ajet.schema", "ajet.utils"])
    reader = importlib.import_module("ajet.task_reader.tracing_reader")
    connector = importlib.import_module("ajet.task_reader.tracing_reader.connector")
    connector.print = lambda *_: None
    outcomes = [outcome(connector, attributes(number)) for number in range(COUNT)]
    lines = ["".join(outcomes[at : at + 100]) for at in range(0, COUNT, 100)]
    vectors = {"spans": lines, "splits": [json.dumps(split(reader, count)) for count in SPLITS]}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tracing.json").write_text(json.dumps(vectors, indent=1) + "\n", encoding="utf-8")
    kinds = {kind: sum(one[0] == kind for one in outcomes) for kind in "ksx"}
    print(f"{COUNT} spans: {kinds['k']} kept, {kinds['s']} left out, {kinds['x']} that end training")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
