"""Sets up a rehearsal: a virtual environment with pinned packages, and a tiny model.

Writes events to the standard output, one JSON object per line. A lock lets one process work at a time. The mark in the
environment is written last, so an interrupted set-up starts again. Only the downloaded packages are kept.

Usage: python set_up.py ENVIRONMENT MODEL SEED
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import locks

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"
# One start of pip per group: an interrupted set-up loses at most the downloads of a group.
GROUP = 8
BYTES_NEEDED = 1_300_000_000


class SetUpError(Exception):
    """A step that failed, with the last lines of its output."""

    def __init__(self, *lines: str):
        self.lines = lines


def emit(event: str, **fields: object) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


def main(environment: Path, model: Path, seed: str) -> None:
    environment.parent.mkdir(parents=True, exist_ok=True)
    with locks.wait_for(environment.with_suffix(".lock"), lambda: emit("waiting")):
        mark = environment / "installed"
        python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        # The Python that it was made with can be gone.
        if not (mark.exists() and runs(python)):
            install(environment, python)
            mark.touch()
        if not model.exists():
            emit("model")
            make_model(python, model, seed)
    emit("ready", python=str(python))


def runs(python: Path) -> bool:
    return python.exists() and subprocess.run([python, "-I", "-c", ""], capture_output=True).returncode == 0


def install(environment: Path, python: Path) -> None:
    if environment.exists():
        shutil.rmtree(environment)
    free = shutil.disk_usage(environment.parent).free
    if free < BYTES_NEEDED:
        raise SetUpError(f"No space left on device: {free // 1_000_000} MB are free.")
    emit("environment")
    venv.create(environment, symlinks=os.name != "nt", with_pip=True)
    pip = [python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    wheels = environment.with_suffix(".wheels")
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#")]
    emit("download", packages=len(lines))
    for at in range(0, len(lines), GROUP):
        group = lines[at : at + GROUP]
        run([*pip, "download", "--no-deps", "--only-binary=:all:", "--dest", wheels, *group])
    emit("install")
    run([*pip, "install", "--no-deps", "--no-compile", "--no-index", "--find-links", wheels, "-r", REQUIREMENTS])
    shutil.rmtree(wheels)


def run(command: list) -> None:
    """Runs pip, and passes its output on line by line."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    said = []
    for line in process.stdout:
        emit("pip", line=line.rstrip())
        said.append(line.rstrip())
    if process.wait() != 0:
        raise SetUpError(*said[-20:])


def make_model(python: Path, model: Path, seed: str) -> None:
    part = model.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    run([python, "-I", HERE / "make_model.py", part, seed])
    part.rename(model)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    except SetUpError as error:
        emit("failed", lines=error.lines)
        sys.exit(1)
    except (OSError, subprocess.CalledProcessError) as error:
        output = getattr(error, "output", None) or b""
        emit("failed", lines=[*output.decode(errors="replace").splitlines()[-5:], str(error)])
        sys.exit(1)
