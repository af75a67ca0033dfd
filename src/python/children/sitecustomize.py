"""
Lets child processes of the user's Python code import what the worker imports: the stand-ins, and files that the worker loaded as
modules. Python runs this at its start because PYTHONPATH has this folder, see `agentjet_worker.children`. It imports nothing
before such a module is needed. Pythons that are too old for the worker are left alone.
"""

import os
import sys


class Later:
    """Finds modules by the entries of `agentjet_worker.children`. Loads the worker's finders when they are needed."""

    def __init__(self, entries):
        self._entries = entries
        self._finders = None

    def find_spec(self, name, path=None, target=None):
        if self._entries.get(name):
            from importlib.util import spec_from_file_location

            return spec_from_file_location(name, self._entries[name])
        if self._entries.get(name.partition(".")[0]) != "":
            return None
        if self._finders is None:
            self._finders = []  # Imports of the finders themselves come here, too.
            self._finders = worker_finders([package for package, file in self._entries.items() if file == ""])
        found = (finder.find_spec(name, path, target) for finder in self._finders)
        return next((spec for spec in found if spec is not None), None)


def worker_finders(packages):
    from importlib.util import module_from_spec, spec_from_file_location

    folder = os.path.join(os.path.dirname(OWN), "agentjet_worker")
    init = os.path.join(folder, "__init__.py")
    spec = spec_from_file_location("agentjet_worker", init, submodule_search_locations=[folder])
    sys.modules.setdefault("agentjet_worker", module_from_spec(spec))
    from agentjet_worker.children import finders

    return finders(packages)


def run_hidden():
    """Runs the `sitecustomize` of the user's environment, which this one hides."""
    sys.path[:] = [folder for folder in sys.path if folder != OWN]
    own = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        sys.modules["sitecustomize"] = own
        if error.name != "sitecustomize":
            raise


OWN = os.path.dirname(os.path.abspath(__file__))
if sys.version_info >= (3, 10):
    lines = os.environ.get("AGENTJET_CHILDREN", "").split("\n")
    sys.meta_path.insert(0, Later(dict(line.partition("=")[::2] for line in lines if line)))
run_hidden()
