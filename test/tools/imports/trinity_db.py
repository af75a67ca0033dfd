"""Writes a database of experiences with Trinity-RFT's own schema and serialization. Usage: trinity_db.py OUT TABLE"""

import sys
from pathlib import Path

import torch
from sqlalchemy import create_engine, text
from sqlalchemy.orm import sessionmaker
from trinity.buffer.schema import sql_schema
from trinity.common.experience import EID, Experience


def main(out: str, table: str) -> None:
    Path(out).unlink(missing_ok=True)
    if hasattr(sql_schema, "init_engine"):  # up to 0.5: the experience stands in its row
        engine, model = sql_schema.init_engine(f"sqlite:///{out}", table, "experience")
        blob = None
    else:
        model, blob = sql_schema._create_table_classes(table, "experience")
        engine = create_engine(f"sqlite:///{out}")
        sql_schema.Base.metadata.create_all(engine)
    odd = single_turn(2, 1)
    odd.metrics["when"] = Path("/tmp")  # a class that no reader of ours knows
    session = sessionmaker(bind=engine)()
    for number, experience in enumerate([*counting(), single_turn(2, 0), odd], start=1):
        row = model.from_experience(experience)
        session.add(row)
        if blob is not None:
            session.add(blob(id=number, experience_bytes=experience.serialize()))
        session.commit()
    session.execute(text(f"UPDATE {table} SET timestamp = '2026-01-02 03:04:05'"))
    session.commit()
    engine.dispose()


def counting() -> list[Experience]:
    return [multi_turn(task, run) for task in range(2) for run in range(2)]


def multi_turn(task: int, run: int) -> Experience:
    """Two replies of the model with a tool's result between them."""
    prompt = [151644, 872, 198, 40 + task, 151645]
    response = [100 + run, 101, 151645, 198, 500, 501, 110, 111, 151645]
    mask = [1, 1, 1, 0, 0, 0, 1, 1, 1]
    return Experience(
        eid=EID(batch=0, task=task, run=run, step=0, suffix=f"{task}{run}"),
        tokens=torch.tensor(prompt + response, dtype=torch.int32),
        prompt_length=len(prompt),
        logprobs=torch.tensor([-0.25 * (i + 1) if m else 0.0 for i, m in enumerate(mask)], dtype=torch.float32),
        action_mask=torch.tensor(mask, dtype=torch.bool),
        reward=float(run),
        metrics={"accuracy": float(run)},
        info={"model_version": 3},
        messages=[
            {"role": "system", "content": "You count."},
            {"role": "user", "content": f"How many are {task} apples? ünïcode ✓"},
            {"role": "assistant", "content": "I look.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "count", "arguments": '{"what": "apples"}'}},
            ]},
            {"role": "tool", "content": str(task), "tool_call_id": "c1"},
            {"role": "assistant", "content": f"There are {task}."},
        ],
        tools=[{"type": "function", "function": {"name": "count", "parameters": {"type": "object"}}}],
    )


def single_turn(task: int, run: int) -> Experience:
    return Experience(
        eid=EID(batch=0, task=task, run=run, step=0, suffix=f"{task}{run}"),
        tokens=torch.tensor([1, 2, 3, 7, 8, 9], dtype=torch.int64),
        prompt_length=3,
        logprobs=torch.tensor([-0.5, -1.0, -1.5]),
        reward=0.5,
        info={"model_version": 3},
        prompt_text="What is 1 + 1?",
        response_text="It is 2.",
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
