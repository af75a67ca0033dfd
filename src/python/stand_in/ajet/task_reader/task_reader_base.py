"""The base of task readers. The run reads its tasks itself; a module that has a reader besides can be imported."""

from typing import Any, List

from ajet.schema.task import Task


class BaseTaskReader:
    def __init__(self, reader_config: Any) -> None:
        self.reader_config = reader_config

    def get_training_tasks(self) -> List[Task]:
        raise NotImplementedError(f"{type(self).__name__} does not implement `get_training_tasks`.")

    def get_validation_tasks(self) -> List[Task]:
        raise NotImplementedError(f"{type(self).__name__} does not implement `get_validation_tasks`.")
