"""Scripts that call AgentScope's `tune`: run as `__main__`, and the run that they ask for is one of the backbone's."""

from __future__ import annotations

import asyncio
import functools
import inspect
import io
import os
import sys
import threading
from importlib import metadata
from types import FrameType, ModuleType
from typing import Any, Callable

from .channel import BackboneError, Channel
from .failures import OWN, WorkerFailure, import_failure, is_users
from .functions import FORMS, check_signature, name_of
from .load import Loader
from .packages import check_packages
from .plain import plain
from .stand_in import install_trinity


class Scripts:
    def __init__(self, channel: Channel, loader: Loader) -> None:
        self._channel = channel
        self._loader = loader
        self._runs = False

    async def run(self, params: dict[str, Any]) -> None:
        """To the script's end, in a thread: its run needs the event loop."""
        global _scripts
        _scripts = self
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def work() -> None:
            error = raised_by(params["file"])
            loop.call_soon_threadsafe(settle, ended, error)

        install_trinity()  # whose rewards judges of tuners take
        self._runs = True
        threading.Thread(target=work, name=os.path.basename(params["file"]), daemon=True).start()
        try:
            await ended
        finally:
            self._runs = False

    def tune(self, package: str, workflow: Any, judge: Any, given: dict[str, Any], caller: FrameType | None) -> None:
        if not self._runs:
            raise not_a_script()
        call = {
            "package": package,
            "agentscopeWithout": installed_without(f"agentscope.{package}"),
            "workflow": self._reference(workflow, "workflow_func", caller),
            "judge": None if judge is None else self._reference(judge, "judge_func", caller),
            "file": None if caller is None else os.path.abspath(caller.f_code.co_filename),
            "line": None if caller is None else caller.f_lineno,
            "given": {name: described(value) for name, value in given.items() if value is not None},
        }
        try:
            status = self._channel.ask("tune", call).result()
        except BackboneError as error:
            raise RuntimeError(str(error)) from None
        if status == "cancelled":
            raise KeyboardInterrupt("The run was canceled.")

    def preview(self, dataset: Any, rows: int) -> list[Any]:
        call = {"path": dataset.path, "name": dataset.name, "split": dataset.split, "rows": rows}
        try:
            return self._channel.ask("preview", plain(call)).result()
        except BackboneError as error:
            raise RuntimeError(str(error)) from None

    def job(self, call: dict[str, Any]) -> Any:
        """Sends a request of an `AgentJetJob` to the backbone and returns its result. Raises its errors."""
        if not self._runs:
            raise not_a_script()
        file, line = users_line()
        try:
            return self._channel.ask("job", plain({**call, "file": file, "line": line})).result()
        except BackboneError as error:
            raise RuntimeError(str(error)) from None

    def reference(self, workflow: Any) -> dict[str, str]:
        """Returns a reference by which the backbone requests a job's class or function, wherever it was defined."""
        if not inspect.isclass(workflow):
            return self._reference(workflow, "workflow", None)
        file = os.path.abspath(inspect.getfile(workflow))
        self._loader.keep(file, workflow.__name__, workflow)
        return {"file": file, "name": workflow.__name__}

    def _reference(self, function: Callable[..., Any], fallback: str, caller: FrameType | None) -> dict[str, str]:
        """Returns a reference by which the backbone requests the function, wherever it was defined."""
        target = function.func if isinstance(function, functools.partial) else function
        code = getattr(inspect.unwrap(target), "__code__", None) or (caller.f_code if caller else None)
        file = os.path.abspath(code.co_filename) if code is not None else ""
        name = name_of(function)
        name = name if name.isidentifier() and target is function else fallback
        self._loader.keep(file, name, function)
        return {"file": file, "name": name}


_scripts: Scripts | None = None


def scripts() -> Scripts:
    if _scripts is None:
        raise not_a_script()
    return _scripts


def not_a_script() -> WorkerFailure:
    return WorkerFailure(
        "tune/not-a-script",
        "The call of tune(…) or AgentJetJob is in an imported module, but must be in the script that is run.",
        'Move it under if __name__ == "__main__", or run the script itself: agentjet --conf FILE.py.',
    )


def settle(ended: asyncio.Future[None], error: BaseException | None) -> None:
    if error is None:
        ended.set_result(None)
    elif isinstance(error, StopIteration):
        ended.set_exception(RuntimeError("StopIteration was raised"))
    else:
        ended.set_exception(error)


def raised_by(file: str) -> BaseException | None:
    """Runs the file like `python FILE` and returns the exception that ends it; None without one."""
    module = ModuleType("__main__")
    module.__file__ = file
    sys.modules["__main__"] = module
    sys.argv = [file]
    sys.path.insert(0, os.path.dirname(file))
    try:
        with io.open_code(file) as text:
            code = compile(text.read(), file, "exec")
        exec(code, module.__dict__)
    except SystemExit as error:
        return None if error.code in (None, 0) else caused(exited(error), error)
    except (ImportError, SyntaxError) as error:
        return caused(import_failure(error, sys.executable), error)
    except BaseException as error:
        return error
    return None


def exited(error: SystemExit) -> WorkerFailure:
    return WorkerFailure(
        "tune/exit",
        f"The script called sys.exit({error.code!r}).",
        "The run counts only if the script ends with exit code 0.",
    )


def caused(failure: WorkerFailure, error: BaseException) -> WorkerFailure:
    failure.__cause__ = error
    return failure


def described(value: Any) -> Any:
    """Configuration classes of every version are pydantic's, or have their fields as attributes."""
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    fields = value.model_dump() if hasattr(value, "model_dump") else vars(value)
    return plain(fields)


def tune(
    *,
    workflow_func: Any,
    judge_func: Any = None,
    train_dataset: Any = None,
    eval_dataset: Any = None,
    model: Any = None,
    auxiliary_models: Any = None,
    algorithm: Any = None,
    project_name: str | None = None,
    experiment_name: str | None = None,
    monitor_type: str | None = None,
    config_path: str | None = None,
) -> None:
    """Replaces `agentscope.tuner.tune` with a run on the debug backbone. Returns when the run has ended."""
    check_signature(workflow_func, FORMS["workflow"])
    if judge_func is not None:
        check_signature(judge_func, FORMS["judge"])
        check_packages(judge_func)
    check_packages(workflow_func)
    given = {
        "train_dataset": train_dataset,
        "eval_dataset": eval_dataset,
        "model": model,
        "auxiliary_models": auxiliary_models,
        "algorithm": algorithm,
        "project_name": project_name,
        "experiment_name": experiment_name,
        "monitor_type": monitor_type,
        "config_path": None if config_path is None else os.fspath(config_path),
    }
    scripts().tune("tuner", workflow_func, judge_func, given, caller_of_tune())


def tune_as_before_1_0_12(workflow_func: Any, config_path: str) -> None:
    """Replaces `agentscope.tune.tune`, whose workflows return their reward."""
    from .functions import RewardOnly, check_first_signature

    check_first_signature(workflow_func)
    kept = RewardOnly(workflow_func)
    scripts().tune("tune", kept, None, {"config_path": os.fspath(config_path)}, caller_of_tune())


def installed_without(module: str) -> str | None:
    """Returns the version of the installed AgentScope if the module is not its own but the bundled one."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    try:
        return metadata.version("agentscope") if file.startswith(OWN + os.sep) else None
    except metadata.PackageNotFoundError:
        return None


def users_line() -> tuple[str | None, int | None]:
    """Returns the innermost line of user code on the stack."""
    frame: FrameType | None = sys._getframe(1) if hasattr(sys, "_getframe") else None
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return (None, None) if frame is None else (os.path.abspath(frame.f_code.co_filename), frame.f_lineno)


def caller_of_tune() -> FrameType | None:
    return sys._getframe(2) if hasattr(sys, "_getframe") else None


def tune_prompt(*_: Any, **__: Any) -> Any:
    raise not_debugged("tune_prompt")


async def select_model(*_: Any, **__: Any) -> Any:
    raise not_debugged("select_model")


def not_debugged(name: str) -> WorkerFailure:
    return WorkerFailure(
        "tune/not-debugged",
        f"The debug backbone does not support {name}(…), which does not train a model.",
        "Run the script without AgentJet: python FILE. To debug its workflow and judge, use tune(…).",
    )
