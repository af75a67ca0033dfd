"""What AgentJet makes of documents and replies: `datagen.py FOLDER CLONE` writes FOLDER/datagen.json.

The texts are those of test/unit/generation/generationVectors.test.ts, by number; AgentJet's own code of the clone cuts
them, names its caches and reads the replies.
"""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import yaml
from omegaconf import OmegaConf
from strings import Random
from tracing import stand_ins

CASES = json.loads((Path(__file__).parent / "datagen.json").read_text(encoding="utf-8"))
COUNT = 2_000
SIZES = [1, 7, 20, 50, 200]
SPLITS = ["sentence", "paragraph", "character"]
FOREIGN = ["loguru", "dotenv", "tqdm", "unstructured", "unstructured.partition", "unstructured.partition.auto"]
FOREIGN += ["ajet.task_rollout.dashscope_llm_bridge"]
FOREIGN += ["ajet.task_reader.tracing_reader.filters.deduplication_filter"]
PACKAGES = ["ajet", "ajet.task_reader", "ajet.schema", "ajet.utils", "ajet.data_generator", "ajet.task_rollout"]
PACKAGES += ["ajet.task_reader.tracing_reader", "ajet.task_reader.tracing_reader.filters"]


def text(number):
    random = Random(number)
    return "".join(random.choose(CASES["parts"]) for _ in range(random.below(40)))


def fingerprint(chunks):
    """Tells lists of texts apart; the unit test computes the same."""
    joined = "\0".join(chunks)
    state = len(chunks)
    for character in joined:
        state = (state * 31 + ord(character)) & 0xFFFFFFFF
    return format(state, "08x")


def chunk_prints(reader):
    made = object.__new__(reader.DocReader)
    prints = []
    for number in range(COUNT):
        random = Random(number + 1_000_000)
        made.chunk_size, made.split_by = random.choose(SIZES), random.choose(SPLITS)
        prints.append(fingerprint(made._chunk_document(text(number))))
    return prints


def parse_caches(reader):
    names = []
    for path, languages, size, split in [
        ["/d/paper.v2.pdf", ["eng"], 5120, "sentence"],
        ["/d/notes", ["zho", "eng"], 100, "paragraph"],
        ["/d/.hidden", [], 0, "character"],
    ]:
        made = object.__new__(reader.DocReader)
        made.chunk_size, made.split_by = size, split
        names.append(Path(made._get_cache_path(path, "0123456789abcdef" * 4, languages)).as_posix())
    return names


def keys(generator, clone):
    default = yaml.safe_load((clone / "ajet/default_config/ajet_default.yaml").read_text(encoding="utf-8"))
    base = default["ajet"]["task_reader"]["data_generation"]
    found = []
    for changes in CASES["configs"]:
        config = OmegaConf.merge({"data_generation": base}, {"data_generation": yaml.safe_load(changes)})
        config.data_generation.deduplication_filter.enabled = False
        with mock.patch.object(generator.os, "makedirs"), mock.patch.object(generator.os.path, "exists", lambda _: False):
            with mock.patch.object(generator.DataGeneratorTaskReader, "_generate_and_save_tasks"):
                made = generator.DataGeneratorTaskReader(config)
        found.append(Path(made.generated_train_file).name)
    return found


def questions(augmentor):
    made = object.__new__(augmentor.KnowledgeAugmentor)
    results = []
    for reply in CASES["replies"]:
        try:
            tasks = made._parse_llm_output_to_task(reply, None, SimpleNamespace(doc_id="doc"))
            results.append([task.model_dump() for task in tasks])
        except Exception:  # the call is logged and left out, whatever it is
            results.append(None)
    return results


def main(folder, clone):
    stand_ins(clone, FOREIGN, PACKAGES)
    router = lambda **_: SimpleNamespace(get_training_tasks=lambda: [])  # noqa: E731
    sys.modules["ajet.task_reader"].RouterTaskReader = router
    reader = importlib.import_module("ajet.task_reader.document_reader.doc_reader")
    augmentor = importlib.import_module("ajet.data_generator.knowledge_augmentation")
    generator = importlib.import_module("ajet.task_reader.data_generator_reader")
    prints = chunk_prints(reader)
    vectors = {
        "chunks": ["".join(prints[at : at + 14]) for at in range(0, COUNT, 14)],
        "parseCaches": parse_caches(reader),
        "keys": keys(generator, clone),
        "questions": [json.dumps(tasks, ensure_ascii=False) for tasks in questions(augmentor)],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "datagen.json").write_text(json.dumps(vectors, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
