"""Writes the real language model of the tests as the Hugging Face Hub has it: with 32-bit weights, for a Tinker server.

Usage: python realModel.py FOLDER
"""

import json
import struct
import sys
from pathlib import Path

import numpy
from gguf import GGUFReader
from gguf.quants import dequantize

sys.path.append(str(Path(__file__).parent.parent / "llm"))
from model import model_file, write_tokenizer  # noqa: E402

NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
NAMES_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def config_of(reader: GGUFReader) -> dict:
    def field(name: str):
        return reader.fields[name].contents()

    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "torch_dtype": "float32",
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
        "hidden_size": field("llama.embedding_length"),
        "intermediate_size": field("llama.feed_forward_length"),
        "num_hidden_layers": field("llama.block_count"),
        "num_attention_heads": field("llama.attention.head_count"),
        "num_key_value_heads": field("llama.attention.head_count_kv"),
        "rms_norm_eps": float(field("llama.attention.layer_norm_rms_epsilon")),
        "rope_theta": float(field("llama.rope.freq_base")),
        "max_position_embeddings": field("llama.context_length"),
        "vocab_size": field("llama.vocab_size"),
        "bos_token_id": field("tokenizer.ggml.bos_token_id"),
        "eos_token_id": field("tokenizer.ggml.eos_token_id"),
    }


def weights_of(reader: GGUFReader, config: dict):
    """Yields names and arrays (float32) in the layout of the Hub."""
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    for tensor in reader.tensors:
        shape = [int(size) for size in reversed(tensor.shape)]
        weights = dequantize(tensor.data, tensor.tensor_type).astype("<f4").reshape(shape)
        *layer, part, _ = tensor.name.split(".")
        if part in heads:
            # llama.cpp has the two halves of a head's rotation interleaved.
            halves = weights.reshape(heads[part], -1, 2, shape[-1])
            weights = halves.swapaxes(1, 2).reshape(shape)
        name = f"model.layers.{layer[1]}.{NAMES_IN_LAYER[part]}" if layer else NAMES[part]
        yield f"{name}.weight", numpy.ascontiguousarray(weights)


def write_safetensors(file: Path, weights: dict) -> None:
    header, size = {}, 0
    for name, array in weights.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [size, size + array.nbytes]}
        size += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with file.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in weights.values():
            out.write(array.tobytes())


def main(folder: Path) -> None:
    model = model_file()
    reader = GGUFReader(model)
    config = config_of(reader)
    write_tokenizer(model, folder)
    write_safetensors(folder / "model.safetensors", dict(weights_of(reader, config)))
    (folder / "config.json").write_text(json.dumps(config))


main(Path(sys.argv[1]))
