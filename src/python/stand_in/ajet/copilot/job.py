"""A training job that is configured in code instead of YAML. `tune` runs it on the debug backbone, in this process."""

from __future__ import annotations

from itertools import count
from typing import Any, Callable, Dict, List, Optional, Sequence, Type, Union

from agentjet_worker.config import Attributes
from agentjet_worker.script import scripts

from ajet.workflow import Workflow

_numbers = count()


class AgentJetJob:
    """
    ``AgentJetJob(model=…, n_gpu=8).set_workflow(Mine).set_data("jsonl", "tasks.jsonl").tune()``, in a script that
    ``agentjet --conf job.py``, or F5 on it, runs. Takes the arguments of all releases. With ``base_yaml_config``, they
    replace values of that config. Whatever is wrong raises an error that says what to do.
    """

    def __init__(
        self,
        backbone: Optional[str] = None,
        model: Optional[str] = None,
        n_gpu: Optional[int] = None,
        algorithm: Optional[str] = None,
        n_gpu_for_infer: Optional[int] = None,
        *_: Any,
        **others: Any,
    ) -> None:
        self._number = next(_numbers)
        self._workflow: Union[None, str, Dict[str, str]] = None
        #: The episodes of the run, once `tune` has returned, as the run reports them.
        self.results: List[Dict[str, Any]] = []
        given = {"backbone": backbone, "model": model, "n_gpu": n_gpu, "algorithm": algorithm, **others}
        given["n_gpu_for_infer"] = n_gpu_for_infer
        given = {name: value for name, value in given.items() if value is not None}
        #: Every key with its default or what was set; keys that AgentJet does not know are refused.
        self.config: Any = self._config(self._ask("config", given=given))

    def set_workflow(
        self, workflow: Union[str, Type[Workflow], Callable[..., Any]], ensure_reward_in_workflow: bool = False
    ) -> AgentJetJob:
        """Sets the workflow: a locator (``file.py->Name``), or the class itself. The flag is ignored, as in training."""
        self._workflow = workflow if isinstance(workflow, str) else scripts().reference(workflow)
        return self

    def set_data(
        self,
        type: str,
        dataset_path: Optional[str] = None,
        training_split: Optional[str] = None,
        validation_split: Optional[str] = None,
        validation_path: Optional[str] = None,
    ) -> AgentJetJob:
        """`type`: hf (a folder or hub id; splits `train` and `test`), jsonl (a file), dummy; others are set in `config`."""
        splits = {
            "trainingSplit": training_split,
            "validationSplit": validation_split,
            "validationPath": validation_path,
        }
        given = {name: value for name, value in splits.items() if value is not None}
        path = None if dataset_path is None else str(dataset_path)
        self.config = self._config(
            self._ask("set-data", config=self.config, type=type, path=path, splits=given)
        )
        return self

    def dump_job_as_yaml(self, path: Any) -> str:
        """Writes the whole config, ready for ``agentjet --conf`` and for ``ajet``. Returns the file, absolute."""
        return self._ask("dump", config=self.config, workflow=self._workflow, path=str(path))

    def load_job_from_yaml(self, path: Any) -> AgentJetJob:
        """Takes the config from a YAML file, composed with its defaults; a workflow set before is forgotten."""
        self.config = self._config(self._ask("load", path=str(path)))
        self._workflow = None
        return self

    def tune(self, *_: Any, **__: Any) -> AgentJetJob:
        """Returns when the run is over; raises when it cannot start."""
        ended = self._ask("tune", config=self.config, workflow=self._workflow)
        self.results = ended["episodes"]
        if ended["status"] == "cancelled":
            raise KeyboardInterrupt("The run was canceled.")
        return self

    def _ask(self, op: str, **params: Any) -> Any:
        return scripts().job({"op": op, "job": self._number, **params})

    def _config(self, values: Dict[str, Any]) -> Section:
        return Section(values, lambda key: self._ask("check", key=list(key)))


class Section(Attributes):
    """A section of a job's config. Keys are also attributes. The backbone checks a new key before it is set."""

    def __init__(
        self, values: Dict[str, Any], check: Callable[[Sequence[str]], Any], path: Sequence[str] = ()
    ) -> None:
        super().__init__()
        object.__setattr__(self, "_check", check)
        object.__setattr__(self, "_path", tuple(path))
        for key, value in values.items():
            super().__setitem__(key, self._within(key, value))

    def __setitem__(self, key: str, value: Any) -> None:
        if key not in self:
            self._check([*self._path, key])
        super().__setitem__(key, self._within(key, value))

    def _within(self, key: str, value: Any) -> Any:
        return Section(value, self._check, [*self._path, key]) if isinstance(value, dict) else value


#: The name that it had before.
AstunerJob = AgentJetJob
