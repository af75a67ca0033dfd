"""
Writes FOLDER/names.json: what upstream's tutorials and documents import of AgentJet's own package, under each of the names
that the package has had. One line per name, with the files that import it. Asks the history of the clone, which has to be whole.

    imported_names.py FOLDER CLONE
"""

import ast
import json
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

#: What the package is called, and since when it is not: the last commit of each older name is the one before its folder went.
PACKAGES = ("ajet", "agentscope_tuner", "astuner", "astune")
FOLDERS = ("tutorial", "docs", "README.md")

folder, clone = map(Path, sys.argv[1:])


def git(*args: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{clone} has no whole history: git {' '.join(args)} says {done.stderr.strip()}")
    return done.stdout


def last_of(package: str) -> str:
    if git("ls-tree", "HEAD", package) != "":
        return "HEAD"
    gone = git("log", "-1", "--format=%H", "--diff-filter=D", "HEAD", "--", f"{package}/__init__.py").strip()
    if gone == "":
        sys.exit(f"{clone} has no package {package}, and its history none.")
    return f"{gone}^"


def sources(commit: str):
    """Files of Python, and what documents have of it between fences."""
    for file in git("ls-tree", "-r", "--name-only", commit, *FOLDERS).splitlines():
        if file.endswith(".py"):
            yield file, git("show", f"{commit}:{file}")
        elif file.endswith(".md"):
            for block in re.findall(r"^[ \t]*```+ ?python[^\n]*\n(.*?)^[ \t]*```", git("show", f"{commit}:{file}"), re.S | re.M):
                yield file, textwrap.dedent(block)


def imports(text: str, package: str):
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a document leaves something out: its imports stand on lines of their own all the same
        lines = [line.strip() for line in text.splitlines()]
        text = "\n".join(line for line in lines if re.match(rf"(from|import) {package}\b[^(]*$", line))
        tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == package:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names if alias.name.split(".")[0] == package)


rows = []
for package in PACKAGES:
    used = defaultdict(set)
    for file, text in sources(last_of(package)):
        for name in imports(text, package):
            used[name].add(file)
    for (module, name), files in sorted(used.items(), key=str):
        rows.append({"module": module, "name": name, "usedBy": sorted(files)})
folder.mkdir(exist_ok=True)
(folder / "names.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
print(f"{len(rows)} names")
