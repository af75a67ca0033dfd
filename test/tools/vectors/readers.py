"""What AgentJet reads of data sets: `readers.py FOLDER CLONE` writes FOLDER/readers.json and the Parquet files.

The data sets are made here, by seed; AgentJet's own readers of the clone read them.
"""

import base64
import datetime
import decimal
import importlib.util
import json
import math
import os
import shutil
import sys
import tempfile
import types
from pathlib import Path

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from strings import Random, string

HERE = Path(__file__).parent
CASES = json.loads((HERE / "readers.json").read_text(encoding="utf-8"))
datasets.disable_progress_bars()
datasets.utils.logging.set_verbosity(datasets.utils.logging.CRITICAL)


def reader_module(clone, name):
    """One of AgentJet's modules without those it would bring along, which need a trainer."""
    for part in ["ajet", "ajet.schema", "ajet.task_reader"]:
        if part not in sys.modules:
            sys.modules[part] = types.ModuleType(part)
            sys.modules[part].__path__ = [str(clone / part.replace(".", "/"))]
    return importlib.import_module(name)


def config(folder, split):
    repo = types.SimpleNamespace(dataset_path=str(folder), training_split=split, validation_split=split)
    return types.SimpleNamespace(huggingface_dat_repo=repo)


def plain(value):
    """JSON, with what JSON cannot say as Python writes it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1:
        return str(value)
    return value


def read(clone, folder, split):
    """The rows of the tasks; None where AgentJet refuses the data set."""
    module = reader_module(clone, "ajet.task_reader.hf_dataset_reader")
    try:
        tasks = module.HuggingFaceTaskReader(config(folder, split)).get_training_tasks()
    except Exception:
        return None
    for at, task in enumerate(tasks):
        assert (task.init_messages, task.task_id, task.env_type) == ([], str(at), "no_env")
        assert task.main_query == task.metadata.get("question", "Empty")
    return [plain(task.metadata) for task in tasks]


TYPES = {
    "question": pa.string(),
    "flag": pa.bool_(),
    "small": pa.int8(),
    "count": pa.int64(),
    "natural": pa.uint64(),
    "ratio": pa.float64(),
    "single": pa.float32(),
    "day": pa.date32(),
    "noon": pa.time64("us"),
    "made": pa.timestamp("us"),
    "seen": pa.timestamp("ms", tz="UTC"),
    "precise": pa.timestamp("ns"),
    "price": pa.decimal128(12, 3),
    "fee": pa.decimal128(30, 8),
    "raw": pa.binary(),
    "tags": pa.list_(pa.string()),
    "grid": pa.list_(pa.list_(pa.int32())),
    "who": pa.struct([("name", pa.string()), ("age", pa.int32())]),
    "turns": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string()), ("ids", pa.list_(pa.int64()))])),
    "deep": pa.struct([("inner", pa.struct([("at", pa.timestamp("s")), ("many", pa.list_(pa.decimal128(9, 2)))]))]),
}


def arrow_value(random, kind, nulls=True):
    if nulls and random.below(7) == 0:
        return None
    if pa.types.is_string(kind):
        return string(random.below(1_000_000))
    if pa.types.is_boolean(kind):
        return random.below(2) == 0
    if pa.types.is_integer(kind):
        width = kind.bit_width - (1 if pa.types.is_signed_integer(kind) else 0)
        bits = random.below(width + 1)
        value = (random.below(1 << 31) * (1 << 32) + random.below(1 << 31) * 3) & ((1 << bits) - 1)
        return -value if pa.types.is_signed_integer(kind) and random.below(3) == 0 else value
    if pa.types.is_floating(kind):
        value = (random.below(2_000_001) - 1_000_000) / (1 << random.below(20))
        return random.choose([value, value, value, 0.0, math.inf, -math.inf, math.nan]) if nulls else value
    if pa.types.is_date(kind):
        return datetime.date(1900, 1, 1) + datetime.timedelta(days=random.below(90_000))
    if pa.types.is_time(kind):
        return (datetime.datetime(2000, 1, 1) + datetime.timedelta(microseconds=random.below(86_400) * 1_000_003 % 86_400_000_000)).time()
    if pa.types.is_timestamp(kind):
        count = random.below(1 << 31) - (1 << 30)
        scale = {"s": 1, "ms": 1000, "us": 1_000_000, "ns": 1_000_000_000}[kind.unit]
        return pa.scalar(count * scale + random.below(3) * random.below(scale), kind)
    if pa.types.is_decimal(kind):
        digits = random.below(10 ** (1 + random.below(8)))
        return decimal.Decimal(digits if random.below(2) else -digits).scaleb(-kind.scale)
    if pa.types.is_binary(kind):
        return bytes(random.below(256) for _ in range(random.below(9)))
    if pa.types.is_list(kind):
        return [arrow_value(random, kind.value_type) for _ in range(random.below(4))]
    return {field.name: arrow_value(random, field.type) for field in kind}


def arrow_table(random, rows, since_1970):
    columns = {}
    for name, kind in TYPES.items():
        values = [arrow_value(random, kind, nulls=name != "question") for _ in range(rows)]
        if since_1970:
            values = [moved(value) for value in values]
        columns[name] = pa.array([as_python(value) for value in values], kind) if not has_scalar(kind) else from_scalars(values, kind)
    return pa.table(columns)


def moved(value):
    """Arrow writes what is earlier in INT96 as few others do."""
    if isinstance(value, pa.TimestampScalar):
        return pa.scalar(abs(value.value), value.type)
    return {key: moved(item) for key, item in value.items()} if isinstance(value, dict) else value


def has_scalar(kind):
    return pa.types.is_timestamp(kind)


def from_scalars(values, kind):
    return pa.array([None if value is None else value.value for value in values], pa.int64()).cast(kind)


def as_python(value):
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if isinstance(value, dict):
        return {key: as_python(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_python(item) for item in value]
    return value


def parquet_files(folder):
    for number, case in enumerate(CASES["parquet"]):
        target = folder / "parquet" / case["name"]
        target.mkdir(parents=True)
        table = arrow_table(Random(number + 1), case["rows"], case.get("since1970", False))
        pq.write_table(table, target / "train.parquet", **case["options"])


def csv_cell(random, kind):
    pool = CASES["csv"]["cells"][kind]
    text = random.choose(pool)
    return text.replace("#", str(random.below(1000)))


def csv_texts():
    random = Random(77)
    for _ in range(CASES["csv"]["files"]):
        kinds = [random.choose(list(CASES["csv"]["cells"])) for _ in range(1 + random.below(5))]
        end = random.choose(["\n", "\n", "\r\n"])
        header = ["question", *[random.choose(CASES["csv"]["names"]) for _ in kinds]]
        rows = [header]
        for _ in range(1 + random.below(8)):
            rows.append(["q" + str(random.below(100)), *[csv_cell(random, kind) for kind in kinds]])
        for row in rows[1:]:
            if random.below(12) == 0:
                del row[1 + random.below(len(row)) :]
        text = end.join(",".join(row) for row in rows)
        text = ("\ufeff" if random.below(9) == 0 else "") + text + random.choose(["", end, end + end])
        yield "train.csv", text


def json_value(random, kind):
    if isinstance(kind, dict):
        return {key: json_value(random, one) for key, one in kind.items() if random.below(4) != 0}
    if isinstance(kind, list):
        # Of a list, pyarrow loses the nulls before its first value.
        items = [json_value(random, kind[0]) for _ in range(random.below(3))]
        return [item for item in items if item is not None]
    return random.choose(CASES["json"]["values"][kind])


def json_texts():
    random = Random(99)
    for _ in range(CASES["json"]["files"]):
        shape = {name: random.choose(CASES["json"]["shapes"]) for name in CASES["json"]["names"] if random.below(3) != 0}
        rows = [{"question": f"q{at}", **json_value(random, shape)} for at in range(1 + random.below(6))]
        if random.below(4) == 0:
            yield "train.json", json.dumps(rows, indent=random.choose([None, 1]))
        else:
            lines = "\n".join(json.dumps(row, ensure_ascii=random.below(2) == 0) for row in rows)
            yield "train.jsonl", lines + random.choose(["", "\n"])


def split_folders(clone):
    """Which files are read for which split: each file has one row, its own path."""
    random = Random(5)
    results = []
    for _ in range(CASES["splits"]["count"]):
        paths = sorted({random.choose(CASES["splits"]["paths"]) for _ in range(1 + random.below(6))})
        readme = random.choose(CASES["splits"]["readmes"]) if random.below(4) == 0 else None
        with tempfile.TemporaryDirectory() as name:
            for path in paths:
                file = Path(name) / "set" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                row = {"question": path}
                if path.endswith((".csv", ".tsv")):
                    file.write_text("question\n" + path + "\n", encoding="utf-8")
                elif path.endswith(".parquet"):
                    pq.write_table(pa.table({"question": [path]}), file)
                else:
                    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
            if readme is not None:
                (Path(name) / "set" / "README.md").write_text(readme, encoding="utf-8")
            found = {}
            for split in CASES["splits"]["names"]:
                datasets.config.HF_DATASETS_CACHE = Path(name) / "cache"
                tasks = read(clone, Path(name) / "set", split)
                if tasks is not None:
                    found[split] = [row["question"] for row in tasks]
        results.append({"paths": paths, "readme": readme, "splits": found})
    return results


def dummy_ids(clone):
    """AgentJet's class by itself: its module imports readers that need more."""
    import ast

    task = reader_module(clone, "ajet.schema.task").Task
    tree = ast.parse((clone / "ajet/task_reader/__init__.py").read_text(encoding="utf-8"))
    [cls] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "RandomDummyTaskReader"]
    base = reader_module(clone, "ajet.task_reader.task_reader_base").BaseTaskReader
    names = {"np": np, "Task": task, "BaseTaskReader": base, "List": list}
    exec(compile(ast.Module([cls], []), "random_dummy", "exec"), names)
    return [one.model_dump() for one in names["RandomDummyTaskReader"](None).get_training_tasks()]


def texts(clone, cases):
    for name, text in cases:
        with tempfile.TemporaryDirectory() as folder:
            datasets.config.HF_DATASETS_CACHE = Path(folder) / "cache"
            target = Path(folder) / "set"
            target.mkdir()
            (target / name).write_bytes(text.encode())
            yield {"name": name, "text": text, "rows": read(clone, target, "train")}


def main(folder, clone):
    shutil.rmtree(folder, ignore_errors=True)
    parquet_files(folder)
    with tempfile.TemporaryDirectory() as cache:
        datasets.config.HF_DATASETS_CACHE = Path(cache)
        parquet = {case["name"]: read(clone, folder / "parquet" / case["name"], "train") for case in CASES["parquet"]}
    vectors = {
        "parquet": parquet,
        "csv": list(texts(clone, csv_texts())),
        "json": list(texts(clone, json_texts())),
        "splits": split_folders(clone),
        "dummy": dummy_ids(clone),
    }
    for name in ["csv", "json"]:
        refused = sum(case["rows"] is None for case in vectors[name])
        print(f"{name}: {len(vectors[name])} files, {refused} of them refused")
    # Lines of their own for cases, so that a change shows where it is.
    parts = [f"{json.dumps(key)}: {lines(value)}" for key, value in vectors.items()]
    (folder / "readers.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def lines(value):
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(item) for item in value) + "]"
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items()) + "}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
