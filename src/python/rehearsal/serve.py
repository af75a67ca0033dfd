"""Runs the Tinker server of SkyRL with JAX on the CPU, on 127.0.0.1 only.

SkyRL imports packages that this path does not compute with. They are replaced in this process:

- `torch`, for a type annotation.
- `peft`, to write `adapter_config.json`. The real package imports PyTorch.
- `uv run`, to start the engine. Here the engine is this file in a second process.

Writes one line of JSON to the standard output when the API answers, before the engine does: {"url"} or {"error"}.
The rest goes to the standard error.

Usage: python serve.py FOLDER MODEL PORT SESSION_TIMEOUT
"""

import importlib.machinery
import json
import os
import socket
import sys
import time
import types
from pathlib import Path

import locks

# Before the first import of jax and transformers.
os.environ |= {"JAX_PLATFORMS": "cpu", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
# Also keeps code that compiles fast: a start compiles hundreds of small functions.
os.environ |= {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"}

POLL_SECONDS = 0.01
BACKEND = {
    # The base model takes one place.
    "max_lora_adapters": 5,
    "max_lora_rank": 32,
    # Each other number of rows or datums would be compiled separately, in seconds.
    "sample_max_num_sequences": 8,
    "train_micro_batch_size": 1,
}


def replace_packages() -> None:
    if sys.version_info < (3, 12):
        # SkyRL 0.3 uses `typing.TypedDict`, which pydantic refuses before Python 3.12.
        import typing

        import typing_extensions

        typing.TypedDict = typing_extensions.TypedDict
    import transformers  # noqa: F401  looks for torch, and must not find the replacement

    class LoraConfig:
        def __init__(self, **fields: object):
            self.fields = {"peft_type": "LORA", "task_type": None, "target_modules": None, "bias": "none", **fields}

        def save_pretrained(self, folder: str) -> None:
            text = json.dumps(self.fields, indent=2, default=str)
            Path(folder, "adapter_config.json").write_text(text, encoding="utf-8")

    for name, members in {"torch": {"Tensor": type("Tensor", (), {})}, "peft": {"LoraConfig": LoraConfig}}.items():
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        vars(module).update(members)
        sys.modules[name] = module


def run_engine() -> None:
    from skyrl.tinker import engine

    replace_polling(engine)
    engine.main()


def replace_polling(engine: types.ModuleType) -> None:
    """Lets the engine look for requests more often than ten times per second."""
    once = getattr(engine.TinkerEngine, "process_pending_requests_once", None)
    if once is None:  # SkyRL 0.3
        return

    def process_pending_requests(self: object) -> None:
        while True:
            once(self)
            time.sleep(POLL_SECONDS)

    engine.TinkerEngine.process_pending_requests = process_pending_requests


def run_api(folder: Path, model: str, port: int, session_timeout: int, answer) -> None:
    import uvicorn
    from skyrl.tinker import api
    from skyrl.tinker.config import EngineConfig, config_to_argv
    from skyrl.utils.log import get_uvicorn_log_config

    try:
        listener = socket.create_server(("127.0.0.1", port), reuse_port=False)
    except OSError as error:
        answer({"error": "port", "message": str(error)})
        sys.exit(1)
    config = EngineConfig(
        base_model=model,
        backend="jax",
        backend_config=BACKEND,
        checkpoints_base=folder / "checkpoints",
        database_url=f"sqlite:///{folder / 'tinker.db'}",
        session_timeout_sec=session_timeout,
        session_cleanup_interval_sec=min(60, max(1, session_timeout // 2)),
    )
    api._build_uv_run_cmd_engine = lambda _, given: [
        *(sys.executable, "-E", "-s", "-B", os.path.abspath(__file__), "--engine"),
        *config_to_argv(given),
    ]
    api.app.state.engine_config = config

    class Server(uvicorn.Server):
        async def startup(self, sockets=None) -> None:
            await super().startup(sockets)
            if self.started:
                answer({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"})

    log = {"log_config": get_uvicorn_log_config(), "access_log": False}
    Server(uvicorn.Config(api.app, timeout_keep_alive=75, **log)).run(sockets=[listener])


def main() -> None:
    if sys.argv[1:2] == ["--engine"]:
        del sys.argv[1]
        replace_packages()
        run_engine()
        return
    # The engine inherits the standard output, and prints to it.
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(message: dict) -> None:
        print(json.dumps(message), file=pipe, flush=True)

    folder, model, port, session_timeout = sys.argv[1:]
    lock = locks.take(Path(folder, "lock"))
    if lock is None:
        answer({"error": "in-use"})
        sys.exit(1)
    replace_packages()
    run_api(Path(folder).absolute(), model, int(port), int(session_timeout), answer)


if __name__ == "__main__":
    main()
