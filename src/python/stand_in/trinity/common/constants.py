"""Names that Trinity gives to things outside of it."""

from enum import Enum

CHECKPOINT_ROOT_DIR_ENV_VAR = "TRINITY_CHECKPOINT_ROOT_DIR"
PREVIOUS_STAGE_CHECKPOINT_DIR_ENV_VAR = "TRINITY_PREV_STAGE_CKPT_DIR"
MODEL_PATH_ENV_VAR = "TRINITY_MODEL_PATH"
TASKSET_PATH_ENV_VAR = "TRINITY_TASKSET_PATH"
BUFFER_PATH_ENV_VAR = "TRINITY_BUFFER_PATH"
PLUGIN_DIRS_ENV_VAR = "TRINITY_PLUGIN_DIRS"
LOG_DIR_ENV_VAR = "TRINITY_LOG_DIR"
LOG_LEVEL_ENV_VAR = "TRINITY_LOG_LEVEL"
LOG_NODE_IP_ENV_VAR = "TRINITY_LOG_NODE_IP"
EXPLORER_NAME = "explorer"
TRAINER_NAME = "trainer"
MAX_MODEL_LEN = 4096


class PromptType(Enum):
    MESSAGES = "messages"
    PLAINTEXT = "plaintext"


class StorageType(Enum):
    SQL = "sql"
    QUEUE = "queue"
    FILE = "file"


class RunningStatus(Enum):
    RUNNING = "running"
    REQUIRE_SYNC = "require_sync"
    STOPPED = "stopped"
