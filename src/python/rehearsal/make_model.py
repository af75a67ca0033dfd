"""Writes a tiny random Qwen3 with a byte-level tokenizer and a ChatML template. Needs the standard library only.

The same seed gives the same bytes. LoRA learns within tens of steps, because of three choices:

- The output head is not the embedding. Otherwise the model repeats its last token.
- The head is large enough to select one token.
- The embedding is small against what the layers add, so that the whole context counts.

Usage: python make_model.py FOLDER SEED
"""

import array
import json
import math
import random
import struct
import sys
from pathlib import Path

HIDDEN, LAYERS, FEED_FORWARD = 64, 2, 128
HEADS, KEY_HEADS, HEAD_SIZE = 4, 2, 16
EMBEDDING_SCALE, HEAD_SCALE = 0.5, 0.15
POSITIONS = 8192

# The first 256 tokens are the bytes.
END_OF_TEXT, END_OF_MESSAGE = 256, 258
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAGS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
VOCABULARY = 256 + len(SPECIAL) + len(TAGS)

# Content is a string or a list of parts. Tools are written as Qwen and Hermes models do.
TEMPLATE = r"""
{%- macro text(content) -%}
  {%- if content is string -%}{{- content -}}
  {%- elif content -%}
    {%- for part in content -%}{{- part.text if part.text is defined else '' -}}{%- endfor -%}
  {%- endif -%}
{%- endmacro -%}
{%- if tools -%}
  {{- '<|im_start|>system\n' -}}
  {%- if messages and messages[0].role == 'system' -%}{{- text(messages[0].content) + '\n' -}}{%- endif -%}
  {{- '<tools>' -}}
  {%- for tool in tools -%}{{- '\n' -}}{{- tool | tojson -}}{%- endfor -%}
  {{- '\n</tools><|im_end|>\n' -}}
{%- endif -%}
{%- for message in messages -%}
  {%- if message.role == 'tool' -%}
    {{- '<|im_start|>user\n<tool_response>' + text(message.content) + '</tool_response><|im_end|>\n' -}}
  {%- elif not (tools and loop.first and message.role == 'system') -%}
    {{- '<|im_start|>' + message.role + '\n' + text(message.content) -}}
    {%- if message.tool_calls -%}
      {%- for call in message.tool_calls -%}
        {%- set called = call.function if call.function is defined else call -%}
        {{- '<tool_call>{"name": "' + called.name + '", "arguments": ' -}}
        {%- if called.arguments is string -%}{{- called.arguments -}}
        {%- else -%}{{- called.arguments | tojson -}}
        {%- endif -%}
        {{- '}</tool_call>' -}}
      {%- endfor -%}
    {%- endif -%}
    {{- '<|im_end|>\n' -}}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}
"""


def byte_letters() -> list[str]:
    """Returns GPT-2's letters for the 256 bytes, in the order of the bytes."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def write_tokenizer(folder: Path) -> None:
    """Writes a tokenizer with one token per byte, whose id is the byte, and the added tokens."""
    added = [
        {"id": 256 + at, "content": name, "special": name in SPECIAL}
        | {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
        for at, name in enumerate(SPECIAL + TAGS)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {letter: byte for byte, letter in enumerate(byte_letters())},
        "merges": [],
    }
    write(
        folder / "tokenizer.json",
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": None,
            "pre_tokenizer": byte_level,
            "post_processor": None,
            "decoder": byte_level,
            "model": model,
        },
    )
    write(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": None,
            "eos_token": SPECIAL[2],
            "pad_token": SPECIAL[0],
            "unk_token": None,
            "add_prefix_space": False,
            "clean_up_tokenization_spaces": False,
            "model_max_length": POSITIONS,
            "added_tokens_decoder": {
                str(token["id"]): {key: value for key, value in token.items() if key != "id"} for token in added
            },
            "chat_template": TEMPLATE.strip(),
        },
    )


def write_weights(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    tensors: dict[str, tuple[list[int], array.array]] = {}

    def normal(name: str, rows: int, columns: int, scale: float) -> None:
        tensors[name] = ([rows, columns], array.array("f", (rng.gauss(0, scale) for _ in range(rows * columns))))

    def linear(name: str, rows: int, columns: int) -> None:
        normal(name, rows, columns, 1 / math.sqrt(columns))

    def ones(name: str, size: int) -> None:
        tensors[name] = ([size], array.array("f", [1] * size))

    queries, keys = HEADS * HEAD_SIZE, KEY_HEADS * HEAD_SIZE
    normal("model.embed_tokens.weight", VOCABULARY, HIDDEN, EMBEDDING_SCALE)
    for layer in range(LAYERS):
        block = f"model.layers.{layer}."
        ones(block + "input_layernorm.weight", HIDDEN)
        linear(block + "self_attn.q_proj.weight", queries, HIDDEN)
        linear(block + "self_attn.k_proj.weight", keys, HIDDEN)
        linear(block + "self_attn.v_proj.weight", keys, HIDDEN)
        linear(block + "self_attn.o_proj.weight", HIDDEN, queries)
        ones(block + "self_attn.q_norm.weight", HEAD_SIZE)
        ones(block + "self_attn.k_norm.weight", HEAD_SIZE)
        ones(block + "post_attention_layernorm.weight", HIDDEN)
        linear(block + "mlp.gate_proj.weight", FEED_FORWARD, HIDDEN)
        linear(block + "mlp.up_proj.weight", FEED_FORWARD, HIDDEN)
        linear(block + "mlp.down_proj.weight", HIDDEN, FEED_FORWARD)
    ones("model.norm.weight", HIDDEN)
    normal("lm_head.weight", VOCABULARY, HIDDEN, HEAD_SCALE)
    write_safetensors(folder / "model.safetensors", tensors)


def write_safetensors(file: Path, tensors: dict[str, tuple[list[int], array.array]]) -> None:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, (shape, values) in tensors.items():
        size = 4 * len(values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
        if sys.byteorder == "big":
            values.byteswap()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(values.tobytes() for _, values in tensors.values())
    file.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_config(folder: Path) -> None:
    write(
        folder / "config.json",
        {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "vocab_size": VOCABULARY,
            "hidden_size": HIDDEN,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KEY_HEADS,
            "head_dim": HEAD_SIZE,
            "intermediate_size": FEED_FORWARD,
            "max_position_embeddings": POSITIONS,
            "rms_norm_eps": 1e-6,
            "rope_theta": 10000.0,
            "tie_word_embeddings": False,
            "hidden_act": "silu",
            "attention_bias": False,
            "bos_token_id": None,
            "eos_token_id": END_OF_MESSAGE,
            "pad_token_id": END_OF_TEXT,
            # Older versions of transformers read the first, newer ones the second.
            "torch_dtype": "float32",
            "dtype": "float32",
        },
    )
    write(folder / "generation_config.json", {"eos_token_id": [END_OF_MESSAGE], "pad_token_id": END_OF_TEXT})


def write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def main(folder: Path, seed: int) -> None:
    folder.mkdir(parents=True)
    write_tokenizer(folder)
    write_weights(folder, seed)
    write_config(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
