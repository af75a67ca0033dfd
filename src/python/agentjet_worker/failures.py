"""The errors that the backbone reports, with their location in the user's code."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import site
import sys
import sysconfig
import traceback
from types import TracebackType
from typing import Any, Iterator

#: The limit of frames that an error shows.
MOST_FRAMES = 20
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class WorkerFailure(Exception):
    """An error with a code, and what to do about it."""

    def __init__(
        self, code: str, message: str, hint: str | None = None, place: tuple[str | None, int | None] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.place = place


def failure_of(error: BaseException) -> dict[str, Any]:
    failure: dict[str, Any] = {"message": message_of(error), "stack": stack_of(error)}
    place = place_of(error)
    if isinstance(error, WorkerFailure):
        failure["code"] = error.code
        failure["hint"] = error.hint
        if error.place is not None and error.place[0] is not None:
            place = (error.place[0], error.place[1])
    elif isinstance(error, SystemExit):
        failure["code"] = "episode/exit"
        failure["message"] = f"The code called sys.exit({error.code!r})."
        failure["hint"] = "Return a result, or raise an error that describes the problem."
    elif isinstance(error, ModuleNotFoundError):
        missing = import_failure(error, sys.executable)
        failure["code"] = missing.code
        failure["hint"] = missing.hint
    elif isinstance(error, asyncio.CancelledError):
        failure["code"] = "episode/cancelled"
    if place is not None:
        failure["file"], line = place
        if line is not None:
            failure["line"] = line
    failure["userStack"] = user_stack_of(error)
    return {key: value for key, value in failure.items() if value is not None}


def message_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception as broken:  # the user's own __str__
        text = f"(its message cannot be read: {type(broken).__name__})"
    name = type(error).__name__
    if isinstance(error, WorkerFailure):
        return text
    return name if text == "" else f"{name}: {text}"


def stack_of(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:
        return message_of(error)


def place_of(error: BaseException) -> tuple[str, int | None] | None:
    """Returns the innermost line of user code. For a file that is not valid Python, returns that file."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return error.filename, error.lineno
    frames = [frame for frame in frames_of(error.__traceback__) if is_users(frame[0])]
    if frames:
        return frames[-1]
    cause = error.__cause__
    return place_of(cause) if cause is not None else None


def user_stack_of(error: BaseException) -> str | None:
    """Returns the frames of user code, the innermost last, or None if there are not several."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return "".join(traceback.format_list(frames[-MOST_FRAMES:])).rstrip() if len(frames) > 1 else None


def frames_of(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def is_users(file: str) -> bool:
    if file.startswith("<"):
        return False
    full = os.path.abspath(file)
    return not any(full.startswith(folder + os.sep) for folder in FOREIGN)


def foreign_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths["stdlib"], paths["platstdlib"], paths["purelib"], paths["platlib"], OWN}
    folders.update(site.getsitepackages() if hasattr(site, "getsitepackages") else [])
    user = site.getusersitepackages() if hasattr(site, "getusersitepackages") else None
    if user is not None:
        folders.add(user)
    folders.add(os.path.join(sys.base_prefix, "lib", f"python{sys.version_info.major}.{sys.version_info.minor}"))
    return tuple(os.path.abspath(folder) for folder in folders)


FOREIGN = foreign_folders()


def import_failure(error: Exception, executable: str) -> WorkerFailure:
    """Returns the error of a user module that cannot be imported, with a fix."""
    message = message_of(error)
    if isinstance(error, SyntaxError):
        return WorkerFailure("python/syntax", message, "Fix the line. Until then, Python cannot read the file.")
    if isinstance(error, ImportError) and is_stand_in(error, ("trinity",)):
        return WorkerFailure(
            "python/not-in-bundled-trinity",
            without_path(message, error),
            "AgentJet includes only the part of `trinity` that workflows and reward functions use. For the rest, install "
            f"Trinity-RFT without the packages for training: {install_command('--no-deps trinity-rft', executable)}",
        )
    if isinstance(error, ImportError) and is_stand_in(error, ("ajet", "astuner")):
        return WorkerFailure(
            "python/not-in-bundled-ajet",
            without_path(message, error),
            "AgentJet includes only the part of `ajet` that workflows and judges use. For the rest, run in a clone of "
            "AgentJet, or use the package of the interpreter with --ajet-package installed (launch.json: ajetPackage).",
        )
    if isinstance(error, ModuleNotFoundError) and error.name == "pydantic":
        return WorkerFailure(
            "python/no-pydantic",
            f"{executable} has no pydantic, which AgentJet needs.",
            f"Install pydantic: {install_command('pydantic', executable)}",
        )
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        package = error.name.partition(".")[0]
        return WorkerFailure(
            "python/no-such-module",
            message,
            f"Install it ({install_command(package, executable)}), select another interpreter with --python FILE "
            '(launch.json: python; in the editor also "Python: Select Interpreter"), or correct the name. '
            "AgentJet searches modules in the working directory and next to the config.",
        )
    return WorkerFailure(
        "python/import-raised",
        message,
        "Set a breakpoint there, or use --verbose (launch.json: verbose) to see the whole stack.",
    )


def install_command(package: str, executable: str) -> str:
    """Returns the command that installs a package for this interpreter, which may not have pip, for example one of `uv`."""
    python = f'"{executable}"' if " " in executable else executable
    if importlib.util.find_spec("pip") is not None:
        return f"{python} -m pip install {package}"
    if made_by_uv():
        return f"uv pip install --python {python} {package}"
    return f"{python} -m ensurepip, then {python} -m pip install {package}"


def made_by_uv() -> bool:
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as lines:
            return any(line.partition("=")[0].strip() == "uv" for line in lines)
    except OSError:
        return False


def is_stand_in(error: ImportError, names: tuple[str, ...]) -> bool:
    return (error.name or "").partition(".")[0] in names and (error.path is None or error.path.startswith(OWN + os.sep))


def without_path(message: str, error: ImportError) -> str:
    return message.replace(f" ({error.path})", "") if error.path is not None else message
