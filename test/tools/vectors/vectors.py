"""Writes what the Python packages return to a folder: two small tokenizers, ids of strings, rendered templates.

The second argument is the folder of the built-in tokenizer, whose ids and template are compared too.
"""

import gzip
import json
import struct
import sys
from pathlib import Path

from jinja2.exceptions import TemplateError
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from conversations import conversation
from strings import string

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHATML_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
# As in Qwen's: one token each, yet not special.
TAG_TOKENS = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
SENTENCE_TOKENS = ["<unk>", "<s>", "</s>"]

# Strings are numbered from 1; those for training come from far beyond the ones compared.
TRAINING = range(10_000_000, 10_020_000)
SENTENCE_TRAINING = range(20_000_000, 20_004_000)
COMPARED = 100_000
IN_FULL = 2_000
SENTENCE_COMPARED = 10_000
QWEN_COMPARED = 20_000
CONVERSATIONS = 60


def train_byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN_PATTERN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=4000, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    tokenizer.train_from_iterator((string(seed) for seed in TRAINING), trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in CHATML_TOKENS])
    tokenizer.add_tokens([AddedToken(token, normalized=False) for token in TAG_TOKENS])
    return tokenizer


def train_sentence_pieces():
    """As SentencePiece has it: spaces as letters of their own, unknown characters as bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    trainer = trainers.BpeTrainer(
        vocab_size=1500, limit_alphabet=120, special_tokens=SENTENCE_TOKENS + BYTE_TOKENS, show_progress=False
    )
    tokenizer.train_from_iterator((string(seed) for seed in SENTENCE_TRAINING), trainer)
    tokenizer.pre_tokenizer = None
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    content = json.loads(tokenizer.to_str())
    # Bytes are plain entries of the vocabulary: a text that spells one is a text.
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] in SENTENCE_TOKENS]
    return Tokenizer.from_str(json.dumps(content))


def save(tokenizer, folder, config):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def fingerprint(ids):
    """FNV-1a over the ids, 32 bits each."""
    value = 0x811C9DC5
    for one in ids:
        value = ((value ^ one) * 0x01000193) & 0xFFFFFFFF
    return value


def write_ids(tokenizer, folder, count, in_full):
    encodings = [tokenizer.encode(string(seed), add_special_tokens=False).ids for seed in range(1, count + 1)]
    prints = struct.pack(f"<{count}I", *map(fingerprint, encodings))
    (folder / "fingerprints.bin").write_bytes(prints)
    compressed = gzip.compress(json.dumps(encodings[:in_full], separators=(",", ":")).encode(), mtime=0)
    (folder / "ids.json.gz").write_bytes(compressed)


def render(tokenizer, template, case):
    try:
        return tokenizer.apply_chat_template(
            case["messages"],
            tools=case["tools"],
            chat_template=template,
            add_generation_prompt=case["addGenerationPrompt"],
            tokenize=False,
        )
    except TemplateError as error:
        return {"error": str(error)}


def write_templates(tokenizer, folder, qwen_template):
    cases = [conversation(seed) for seed in range(1, CONVERSATIONS + 1)]
    templates = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.jinja"))}
    templates["qwen2.5"] = qwen_template
    rendered = {name: [render(tokenizer, text, case) for case in cases] for name, text in templates.items()}
    content = {"cases": cases, "rendered": rendered}
    (folder / "rendered.json").write_text(
        json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def main(fixtures, qwen):
    byte_level = train_byte_level()
    save(
        byte_level,
        fixtures / "byte-level",
        {
            "bos_token": "<|endoftext|>",
            "eos_token": {"__type": "AddedToken", "content": "<|im_end|>"},
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
    )
    write_ids(byte_level, fixtures / "byte-level", COMPARED, IN_FULL)
    sentence = train_sentence_pieces()
    config = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    save(sentence, fixtures / "sentence-pieces", config)
    write_ids(sentence, fixtures / "sentence-pieces", SENTENCE_COMPARED, 200)
    speaking = PreTrainedTokenizerFast(
        tokenizer_object=byte_level, bos_token="<|endoftext|>", eos_token="<|im_end|>"
    )
    config = json.loads((qwen / "tokenizer_config.json").read_text(encoding="utf-8"))
    write_templates(speaking, fixtures / "templates", config["chat_template"])
    (fixtures / "qwen2.5").mkdir(exist_ok=True)
    write_ids(Tokenizer.from_file(str(qwen / "tokenizer.json")), fixtures / "qwen2.5", QWEN_COMPARED, 200)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
