"""The packages that a requirements.txt lists: those that are missing, and their installation.

``python -m agentjet_worker.requirements FILE [ENVIRONMENT]`` installs them, into a new environment if its folder is given.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys

#: Packages that AgentJet has parts of. Training needs the rest.
BUNDLED = {"agentjet", "ajet", "astuner", "trinity", "trinity-rft"}


def missing_packages(folders: list[str], bundled: bool) -> dict[str, object] | None:
    """Returns the first requirements.txt with missing packages, and their names."""
    for folder in folders:
        file = os.path.join(folder, "requirements.txt")
        names = [name for name in names_in(file) if not is_installed(name) and not (bundled and name.lower() in BUNDLED)]
        if names:
            return {"file": file, "packages": names}
    return None


def names_in(file: str) -> list[str]:
    """Returns the names of packages that are always needed. Options, URLs and packages for some systems are left out."""
    try:
        with open(file, encoding="utf-8-sig") as lines:
            found = [re.fullmatch(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^]]*\])?\s*(?:[=<>!~(].*)?", without_comment(line)) for line in lines]
    except (OSError, ValueError):
        return []
    return [match[1] for match in found if match is not None and ";" not in match[0]]


def without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).strip()


def is_installed(name: str) -> bool:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def install(file: str) -> int:
    from .fetch_debugpy import find_installer

    installer = find_installer()
    if installer is None:
        print(f"{sys.executable} has no pip, and PATH has no uv.", file=sys.stderr)
        return 1
    return subprocess.run([*installer, "-r", file]).returncode


def create(environment: str) -> str:
    """Creates a virtual environment and returns its Python. Some systems have no pip for new environments."""
    import venv

    venv.create(environment, with_pip=importlib.util.find_spec("ensurepip") is not None, symlinks=os.name != "nt")
    return os.path.join(environment, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def main(file: str, environment: str | None = None) -> int:
    if environment is None:
        return install(file)
    return subprocess.run([create(environment), "-m", "agentjet_worker.requirements", file]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
