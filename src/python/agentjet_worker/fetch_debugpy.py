"""Installs debugpy into a folder, and nothing into the interpreter: ``python -m agentjet_worker.fetch_debugpy FOLDER VERSION``.

The folder gets a subfolder for this Python, such as ``py3.12``, because debugpy has native code. The installer is the
interpreter's pip, else `uv`, else the pip of Python for new environments. Its settings for index and proxy apply.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import subprocess
import sys


def main(folder: str, version: str) -> int:
    target = os.path.join(folder, f"py{sys.version_info[0]}.{sys.version_info[1]}")
    installer = find_installer()
    if installer is None:
        print(f"{sys.executable} has no pip, and PATH has no uv.", file=sys.stderr)
        return 1
    # Settings for installing into environments, which this does not.
    os.environ.update(PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0")
    done = subprocess.run([*installer, "--no-deps", "--target", target, f"debugpy=={version}"])
    if done.returncode == 0 and not os.path.isfile(os.path.join(target, "debugpy", "__init__.py")):
        print("The installed package does not contain debugpy.", file=sys.stderr)
        return 1
    return done.returncode


def find_installer() -> list[str] | None:
    pip = ["install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--retries", "1"]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", *pip]
    uv = shutil.which("uv")
    if uv is not None:
        return [uv, "pip", "install", "--python", sys.executable]
    wheel = bundled_pip()
    return None if wheel is None else [sys.executable, os.path.join(wheel, "pip"), *pip]


def bundled_pip() -> str | None:
    """A wheel, which Python runs as it is."""
    spec = importlib.util.find_spec("ensurepip")
    folders = [] if spec is None or spec.origin is None else [os.path.join(os.path.dirname(spec.origin), "_bundled")]
    folders.append("/usr/share/python-wheels")  # where Debian has them
    found = [wheel for folder in folders for wheel in sorted(glob.glob(os.path.join(folder, "pip-*.whl")))]
    return found[-1] if found else None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
